// What we ship and what we write about it works: every model is right and takes a few steps, and every whole model in
// the documentation is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/cli/run.h"
#include "tests/support/temporary_folder.h"

namespace netc {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kTop = NETC_SOURCE_DIR;

std::set<fs::path> models_in(const fs::path& folder) {
  std::set<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".net") models.insert(entry.path());
  return models;
}

TEST(Shipped, EveryModelIsRightToTheLastWarning) {
  std::set<fs::path> models = models_in(kTop / "models");
  models.merge(models_in(kTop / "bench/nets"));
  EXPECT_GE(models.size(), 8u);
  for (const fs::path& model : models) {
    const Ran ran = run({"check", model, "--strict"});
    EXPECT_EQ(ran.code, 0) << model << "\n" << ran.err;
    EXPECT_THAT(ran.err, IsEmpty()) << model;   // "cannot run it" would stand there
  }
}

TEST(Shipped, EveryModelThatHasItsDataTrains) {
  for (const fs::path& model : models_in(kTop / "models")) {
    const Ran ran = run({"train", model, "--steps", "25"});
    if (ran.code == 1 && model.stem() == "mnist_mlp") {
      EXPECT_THAT(ran.err, HasSubstr("error[N0804]"));   // the user's own files
    } else if (ran.code == 1 && model.stem() == "fashion_mlp" && !fs::exists("/usr/share/datasets/fashion-mnist")) {
      EXPECT_THAT(ran.err, HasSubstr("error[N0804]"));
    } else {
      EXPECT_EQ(ran.code, 0) << model << "\n" << ran.err;
    }
  }
}

// The blocks between ```net and ``` of a page.
std::vector<std::string> models_on_page(const fs::path& page) {
  std::vector<std::string> models;
  std::istringstream lines(read_file(page));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```net") {
      inside = true;
      models.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      models.back() += line + "\n";
    }
  }
  return models;
}

TEST(Shipped, EveryModelInTheDocumentationIsRight) {
  std::set<fs::path> pages = {kTop / "README.md"};
  for (const auto& entry : fs::directory_iterator(kTop / "docs")) pages.insert(entry.path());
  TemporaryFolder folder;
  int found = 0;
  for (const fs::path& page : pages)
    for (const std::string& text : models_on_page(page)) {
      ++found;
      const Ran ran = run({"check", folder.write("model.net", text), "--strict"});
      EXPECT_EQ(ran.code, 0) << page << "\n" << text << ran.err;
    }
  EXPECT_GE(found, 2);
}

TEST(Shipped, DocumentationNamesOnlyFilesThatExist) {
  std::set<fs::path> pages = {kTop / "README.md", kTop / "bench/README.md"};
  for (const auto& entry : fs::directory_iterator(kTop / "docs")) pages.insert(entry.path());
  for (const fs::path& page : pages) {
    const std::string text = read_file(page);
    for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const std::string target = text.substr(at + 2, text.find_first_of(")#", at) - at - 2);
      if (target.empty() || target.rfind("http", 0) == 0) continue;
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << page << " links to " << target;
    }
  }
}

}  // namespace
}  // namespace netc
