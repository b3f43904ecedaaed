// Programs compiled by NVRTC, kept on disk: found again, and made again when an entry is damaged.
#include <gtest/gtest.h>

#include <thread>

#include "runtime/jit/program_cache.h"
#include "tests/support/temporary_folder.h"

namespace netc::test {
namespace {

constexpr const char* kSource = "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; }\n";
const std::vector<std::string> kOptions = {"--gpu-architecture=compute_80"};

class ProgramCache : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  }
  TemporaryFolder folder_;
};

TEST_F(ProgramCache, FindsWhatItHasKept) {
  const std::string path = jit::cache_entry_path(folder_ / "", kSource, kOptions);
  EXPECT_NE(path, jit::cache_entry_path(folder_ / "", kSource, {"--gpu-architecture=compute_90"}));
  EXPECT_NE(path, jit::cache_entry_path(folder_ / "", std::string(kSource) + " ", kOptions));
  const jit::CompiledProgram made = jit::compile_cached(folder_ / "", kSource, kOptions);
  EXPECT_NE(made.ptx.find(".entry twice"), std::string::npos);
  ASSERT_FALSE(read_file(path).empty());
  EXPECT_EQ(jit::compile_cached(folder_ / "", kSource, kOptions).ptx, made.ptx);
}

TEST_F(ProgramCache, MakesADamagedEntryAgain) {
  const std::string path = jit::cache_entry_path(folder_ / "", kSource, kOptions);
  const jit::CompiledProgram made = jit::compile_cached(folder_ / "", kSource, kOptions);
  const std::string whole = read_file(path);
  for (std::string damaged : {whole.substr(0, whole.size() / 2), std::string("not an entry\n"), std::string()}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    EXPECT_EQ(jit::compile_cached(folder_ / "", kSource, kOptions).ptx, made.ptx);
    EXPECT_EQ(read_file(path), whole);
  }
  std::string changed = whole;
  changed[changed.size() - 3] ^= 1;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
  EXPECT_EQ(jit::compile_cached(folder_ / "", kSource, kOptions).ptx, made.ptx);
}

TEST_F(ProgramCache, OfAFolderThatCannotBeWrittenCompilesAnew) {
  EXPECT_NE(jit::compile_cached("/proc/no/such/folder", kSource, kOptions).ptx.find("twice"), std::string::npos);
}

}  // namespace
}  // namespace netc::test
