// docs/diagnostics.md, the table of codes and `netc explain` tell the same story.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "compiler/base/diagnostics.h"
#include "tests/cli/run.h"

namespace netc {
namespace {

// Code -> title, from the headings of the page.
std::map<std::string, std::string> headings() {
  std::ifstream page(NETC_SOURCE_DIR "/docs/diagnostics.md");
  std::map<std::string, std::string> found;
  for (std::string line; std::getline(page, line);)
    if (line.rfind("### ", 0) == 0) found[line.substr(4, 5)] = line.substr(10);
  return found;
}

const std::map<std::string, std::string>& table() {
  static const std::map<std::string, std::string> codes = {
#define NETC_CODE(code, title) {#code, title},
#include "compiler/base/diagnostic_codes.def"
#undef NETC_CODE
  };
  return codes;
}

TEST(Explain, EveryCodeHasASectionUnderItsTitle) {
  const auto on_page = headings();
  for (const auto& [code, title] : table()) {
    ASSERT_TRUE(on_page.count(code)) << code << " has no section in docs/diagnostics.md";
    EXPECT_EQ(on_page.at(code), title) << code;
  }
}

TEST(Explain, NoSectionWithoutACode) {
  for (const auto& [code, title] : headings()) EXPECT_TRUE(table().count(code)) << code << " is not in the table";
}

TEST(Explain, PrintsOneSection) {
  const Ran ran = run({"explain", "n0310"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out,
            "N0310 `{arg}` must lie in {range}, got {v}\n\n"
            "    wrong   dropout(20)\n"
            "    right   dropout(20%)\n");
}

TEST(Explain, LastSectionOfAChapterEndsThere) {
  EXPECT_THAT(run({"explain", "N0119"}).out, ::testing::Not(::testing::HasSubstr("Names")));
}

TEST(Explain, UnknownCode) {
  const Ran ran = run({"explain", "N9999"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, ::testing::HasSubstr("there is no diagnostic `N9999`"));
}

}  // namespace
}  // namespace netc
