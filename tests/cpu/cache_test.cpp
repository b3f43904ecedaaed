// The store of compiled kernels: kept, shared by processes, and never trusted blindly.
#include "runtime/backend/cpu/kernel_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/backend/cpu/cpu_backend.h"
#include "tests/cpu/temporary_folder.h"

namespace netc {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const Target& plain() { return *find_target("plain"); }

// A unit whose one kernel writes a number.
std::string answer(int value) {
  return "void answer(const void* batch, void* const* buffers, long long tower, long long item, void* scratch) {\n"
         "  *(int*)buffers[0] = " + std::to_string(value) + ";\n}\n";
}

int ask(const CompiledUnit& unit) {
  int value = 0;
  void* buffers[] = {&value};
  unit.function("answer", 0)(nullptr, buffers, 0, 0, nullptr);
  return value;
}

size_t entries(const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) count += entry.path().extension() == ".so";
  return count;
}

TEST(KernelCache, CompilesOnceAndThenLoads) {
  TemporaryFolder folder;
  const HostCompiler compiler = find_host_compiler("");
  const KernelCache cache(folder.path(), nullptr);
  const auto first = cache.compile({answer(41)}, plain(), compiler);
  EXPECT_FALSE(first->from_cache());
  EXPECT_EQ(ask(*first), 41);
  const auto second = cache.compile({answer(41)}, plain(), compiler);
  EXPECT_TRUE(second->from_cache());
  EXPECT_EQ(ask(*second), 41);
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(KernelCache, TellsSourcesTargetsAndCompilersApart) {
  TemporaryFolder folder;
  HostCompiler compiler = find_host_compiler("");
  const KernelCache cache(folder.path(), nullptr);
  const std::string path = cache.entry_path(answer(1), plain(), compiler);
  EXPECT_EQ(path, cache.entry_path(answer(1), plain(), compiler));
  EXPECT_NE(path, cache.entry_path(answer(2), plain(), compiler));
  EXPECT_NE(path, cache.entry_path(answer(1), *find_target("avx2"), compiler));
  compiler.version += ".1";
  EXPECT_NE(path, cache.entry_path(answer(1), plain(), compiler));
}

TEST(KernelCache, BuildsDamagedEntriesAgain) {
  TemporaryFolder folder;
  const HostCompiler compiler = find_host_compiler("");
  const KernelCache cache(folder.path(), nullptr);
  cache.compile({answer(5)}, plain(), compiler);
  const std::string path = cache.entry_path(answer(5), plain(), compiler);
  const auto size = fs::file_size(path);
  {
    SCOPED_TRACE("one byte changed");
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.put('\x5a');
    file.close();
    const auto unit = cache.compile({answer(5)}, plain(), compiler);
    EXPECT_FALSE(unit->from_cache());
    EXPECT_EQ(ask(*unit), 5);
  }
  for (uintmax_t length : {uintmax_t{0}, uintmax_t{10}, size - 1}) {
    SCOPED_TRACE("cut to " + std::to_string(length));
    fs::resize_file(path, length);
    const auto unit = cache.compile({answer(5)}, plain(), compiler);
    EXPECT_FALSE(unit->from_cache());
    EXPECT_EQ(ask(*unit), 5);
  }
  EXPECT_TRUE(cache.compile({answer(5)}, plain(), compiler)->from_cache());
}

TEST(KernelCache, IsSharedByProcessesThatBuildAtOnce) {
  TemporaryFolder folder;
  const HostCompiler compiler = find_host_compiler("");
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int status = 1;
      try {
        const KernelCache cache(folder.path(), nullptr);
        for (int n = 0; n < 3; ++n)
          if (ask(*cache.compile({answer(n)}, plain(), compiler)) != n) _exit(2);
        status = 0;
      } catch (...) {
      }
      _exit(status);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries(folder.path()), 3u);   // nothing half done is left
}

TEST(KernelCache, CompilesPartsSideBySide) {
  TemporaryFolder folder;
  const HostCompiler compiler = find_host_compiler("");
  const KernelCache cache(folder.path(), nullptr);
  const auto unit = cache.compile({answer(1), answer(2)}, plain(), compiler);
  int value = 0;
  void* buffers[] = {&value};
  unit->function("answer", 1)(nullptr, buffers, 0, 0, nullptr);
  EXPECT_EQ(value, 2);
}

TEST(KernelCache, WorksWithoutAFolderAndSaysSo) {
  TemporaryFolder folder;
  std::ofstream(folder.path() + "/file") << "not a folder";
  std::vector<std::string> told;
  const KernelCache cache(folder.path() + "/file/below", [&](const std::string& word) { told.push_back(word); });
  EXPECT_EQ(ask(*cache.compile({answer(3)}, plain(), find_host_compiler(""))), 3);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], HasSubstr("cannot be written"));
}

TEST(KernelCache, NamesTheSourceThatDoesNotCompile) {
  TemporaryFolder folder;
  const KernelCache cache(folder.path(), nullptr);
  try {
    cache.compile({"this is no C\n"}, plain(), find_host_compiler(""));
    FAIL() << "compiled";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder.path()));
    EXPECT_THAT(error.what(), HasSubstr(".c"));
  }
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(HostCompiler, IsMissedInWords) {
  EXPECT_THROW(find_host_compiler("no-such-compiler"), CompilerMissing);
  CpuOptions options;
  options.host_cxx = "no-such-compiler";
  try {
    make_cpu_backend(options);
    FAIL() << "made";
  } catch (const CompilerMissing& error) {
    EXPECT_THAT(error.what(), HasSubstr("no-such-compiler"));
  }
}

TEST(HostCompiler, HasAShortVersion) {
  EXPECT_THAT(find_host_compiler("").version, testing::MatchesRegex("(gcc|clang) [0-9].*"));
}

}  // namespace
}  // namespace netc
