// The arrows of docs/architecture.md, read off the #include lines: a file may include its own room and the rooms in
// its row of the table, nothing else. The compiler never knows a device; the runtime never knows a layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

const std::map<std::string, Rooms>& allowed_edges() {
  static const std::map<std::string, Rooms> table = {
      {"compiler/base", {}},
      {"compiler/syntax", {"compiler/base", "grammar"}},
      {"compiler/graph", {"compiler/base"}},
      {"compiler/kernel", {"compiler/base"}},
      {"compiler/kernel/cuda", {"compiler/kernel", "compiler/base"}},
      {"compiler/ops", {"compiler/graph", "compiler/kernel", "compiler/base"}},
      {"compiler/layers", {"compiler/ops", "compiler/graph", "compiler/kernel", "compiler/base"}},
      {"compiler/autodiff", {"compiler/ops", "compiler/graph", "compiler/kernel", "compiler/base"}},
      {"compiler/passes", {"compiler/ops", "compiler/graph", "compiler/kernel", "compiler/base"}},
      {"compiler/program", {"compiler/ops", "compiler/graph", "compiler/kernel", "compiler/base"}},
      {"compiler/sema",
       {"compiler/syntax", "compiler/layers", "compiler/autodiff", "compiler/ops", "compiler/graph", "compiler/base"}},
      {"compiler",
       {"compiler/base", "compiler/syntax", "compiler/graph", "compiler/kernel", "compiler/ops", "compiler/layers",
        "compiler/autodiff", "compiler/passes", "compiler/program", "compiler/sema"}},
      {"runtime", {"compiler/kernel", "compiler/base"}},
      {"runtime/jit", {"compiler/base"}},
      {"runtime/gpu", {"runtime", "runtime/jit", "compiler/kernel", "compiler/kernel/cuda", "compiler/base"}},
      {"runtime/backend/reference", {"runtime", "compiler/kernel", "compiler/base"}},
      {"runtime/backend/cpu", {"runtime", "compiler/kernel", "compiler/base"}},
      {"runtime/backend/sim", {"runtime/gpu", "compiler/kernel", "compiler/kernel/cuda", "compiler/base"}},
      {"cli",
       {"compiler", "compiler/base", "compiler/syntax", "compiler/graph", "compiler/kernel", "compiler/kernel/cuda", "compiler/layers",
        "compiler/sema", "runtime", "runtime/gpu", "runtime/jit", "runtime/backend/cpu", "runtime/backend/reference", "runtime/backend/sim"}},
  };
  return table;
}

// Libraries that stay out of headers, and those that one room has for itself.
const std::regex kHeavyLibrary(R"(^(fmt|spdlog|nlohmann|CLI|yaml-cpp)/|^(antlr4-runtime|csv|zlib)\.h$)");
const std::map<std::string, std::string> kOwnedLibraries = {
    {"CLI/", "cli"}, {"antlr4-runtime.h", "compiler/syntax"}, {"csv.h", "runtime"}, {"zlib.h", "runtime"}};

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

bool is_generated_parser(const std::string& header) {
  return starts_with(header, "Net") && (starts_with(header, "NetLexer") || starts_with(header, "NetParser") ||
                                        starts_with(header, "NetVisitor") || starts_with(header, "NetBaseVisitor"));
}

// The room of a path relative to the top of the tree: the deepest row of the table that is a folder above it.
std::string room_of(const std::string& path) {
  if (is_generated_parser(path)) return "grammar";
  std::string best;
  for (const auto& [room, edges] : allowed_edges())
    if (starts_with(path, room + "/") && room.size() > best.size()) best = room;
  return best;
}

struct SourceFile {
  std::string path;                    // relative to the top of the tree
  std::vector<std::string> includes;   // as spelled
};

std::vector<SourceFile> read_tree() {
  const fs::path top = NETC_SOURCE_DIR;
  static const std::regex include_line(R"re(^\s*#\s*include\s*["<]([^">]+)[">].*)re");
  std::vector<SourceFile> files;
  for (const char* folder : {"compiler", "runtime", "cli"})
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      SourceFile file{fs::relative(entry.path(), top), {}};
      std::ifstream in(entry.path());
      std::smatch match;
      for (std::string line; std::getline(in, line);)
        if (line.find("include") != std::string::npos && std::regex_match(line, match, include_line))
          file.includes.push_back(match[1]);
      files.push_back(std::move(file));
    }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

class Layering : public ::testing::Test {
 protected:
  static const std::vector<SourceFile>& tree() {
    static const std::vector<SourceFile> files = read_tree();
    return files;
  }
};

// Includes that go against an arrow, in words.
std::vector<std::string> wrong_arrows(const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    const std::string room = room_of(file.path);
    for (const std::string& include : file.includes) {
      const std::string target = room_of(include);
      if (target.empty() || target == room || allowed_edges().at(room).count(target)) continue;
      found.push_back(file.path + " includes " + include + ": " + room + " may not look into " + target);
    }
  }
  return found;
}

TEST_F(Layering, EveryFileStandsInARoom) {
  ASSERT_GT(tree().size(), 20u) << "the sources were not found below " << NETC_SOURCE_DIR;
  for (const SourceFile& file : tree()) EXPECT_NE(room_of(file.path), "") << file.path << " is in no room of the table";
}

TEST_F(Layering, ArrowsGoDownOnly) { EXPECT_THAT(wrong_arrows(tree()), ::testing::IsEmpty()); }

TEST_F(Layering, AWrongArrowIsSeen) {
  const std::vector<SourceFile> planted = {
      {"compiler/graph/verify.cpp", {"compiler/base/errors.h", "compiler/ops/op.h"}},
      {"runtime/backend/cpu/pool.cpp", {"runtime/backend.h", "runtime/backend/reference/backend.h"}},
      {"runtime/trainer.cpp", {"compiler/kernel/program.h", "compiler/graph/graph.h"}},
      {"compiler/sema/names.cpp", {"NetParser.h"}},
  };
  EXPECT_THAT(wrong_arrows(planted),
              ::testing::ElementsAre(::testing::HasSubstr("may not look into compiler/ops"),
                                     ::testing::HasSubstr("may not look into runtime/backend/reference"),
                                     ::testing::HasSubstr("may not look into compiler/graph"),
                                     ::testing::HasSubstr("may not look into grammar")));
}

TEST_F(Layering, TheTableHasNoCircles) {
  // Only the compiler's rooms: a backend and the runtime's interface know each other's headers by design.
  std::map<std::string, int> depth;
  std::function<int(const std::string&)> visit = [&](const std::string& room) {
    auto [found, fresh] = depth.emplace(room, -1);
    if (!fresh) {
      EXPECT_NE(found->second, -1) << "a circle through " << room;
      return found->second;
    }
    int deepest = 0;
    const auto row = allowed_edges().find(room);
    if (row != allowed_edges().end())
      for (const std::string& next : row->second) deepest = std::max(deepest, 1 + visit(next));
    return depth[room] = deepest;
  };
  for (const auto& [room, edges] : allowed_edges())
    if (starts_with(room, "compiler")) visit(room);
}

TEST_F(Layering, OnlyTheParserSeesTheGeneratedGrammar) {
  for (const SourceFile& file : tree())
    for (const std::string& include : file.includes) {
      if (room_of(include) != "grammar" && include != "antlr4-runtime.h") continue;
      EXPECT_TRUE(starts_with(file.path, "compiler/syntax/parse") && file.path.ends_with(".cpp"))
          << file.path << " includes " << include;
    }
}

TEST_F(Layering, HeavyLibrariesStayOutOfHeadersAndInTheirRooms) {
  for (const SourceFile& file : tree())
    for (const std::string& include : file.includes) {
      if (file.path.ends_with(".h")) {
        EXPECT_FALSE(std::regex_search(include, kHeavyLibrary)) << file.path << " includes " << include;
      }
      for (const auto& [library, owner] : kOwnedLibraries) {
        if (!starts_with(include, library)) continue;
        EXPECT_EQ(room_of(file.path), owner) << file.path << " includes " << include;
      }
    }
}

TEST_F(Layering, IncludesOfOurOwnAreSpelledFromTheTop) {
  for (const SourceFile& file : tree())
    for (const std::string& include : file.includes) {
      const bool beside = fs::exists(fs::path(NETC_SOURCE_DIR) / fs::path(file.path).parent_path() / include);
      EXPECT_FALSE(beside && include.find('/') == std::string::npos)
          << file.path << " includes " << include << " relative to itself";
    }
}

}  // namespace
