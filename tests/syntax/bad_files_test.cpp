// The broken files of tests/cases/bad whose mistake is one of syntax.
#include <gtest/gtest.h>

#include "tests/syntax/support.h"

namespace netc::test {
namespace {

TEST(BadFiles, GiveTheirCode) {
  const struct {
    const char* file;
    std::vector<std::string> codes;
  } cases[] = {
      {"s01_missing_brace.net", {"N0104"}},
      {"s02_equals_in_record.net", {"N0107"}},
      {"s04_single_quotes.net", {"N0105"}},
      {"s05_semicolons.net", {"N0114", "N0114"}},
      {"s07_unknown_unit.net", {"N0108"}},
      {"s08_space_unit.net", {"N0109"}},
      {"s10_python_comment_ok.net", {}},
      {"s11_missing_comma.net", {"N0111"}},
      {"s13_gpu_space.net", {"N0117"}},
      {"s14_assign_walrus.net", {"N0114"}},
      {"s16_two_errors.net", {"N0101", "N0104", "N0110"}},
  };
  for (const auto& each : cases) {
    const Parsed parsed = parse_case(std::string("bad/") + each.file);
    EXPECT_EQ(parsed.codes(), each.codes) << each.file << "\n" << parsed.text();
  }
}

// The others are wrong in what they mean; the parser has nothing to say about them.
TEST(BadFiles, OfOtherKindsAreRead) {
  for (const std::string& file : case_files("bad")) {
    if (file.rfind("bad/s", 0) == 0) continue;
    EXPECT_EQ(parse_case(file).text(), "") << file;
  }
}

TEST(BadFiles, ThreeMistakesAreReportedInTheirPlaces) {
  EXPECT_EQ(parse_case("bad/s16_two_errors.net").text(), R"(error[N0101]: expected `:` and a type, found `f32`
  --> s16_two_errors.net:2:11
   |
2  |   input x f32[4]
   |           ^^^
help: insert `:` (guess)
2  |   input x: f32[4]

error[N0104]: this `(` is never closed
  --> s16_two_errors.net:3:21
   |
3  |   let h = x |> dense(8
   |                     ^
4  |   output y = h |> dense(2)
   |   ------ it should end before this
help: close it with `)` (guess)
3  |   let h = x |> dense(8)

error[N0110]: a pipeline is written `|>`
  --> s16_two_errors.net:8:16
   |
8  |   output y = x ||> dense(2)
   |                ^^^
help: write `|>` (certain)
8  |   output y = x |> dense(2)
)");
}

TEST(BadFiles, WhatCouldBeReadIsInTheTree) {
  const Parsed parsed = parse_case("bad/s16_two_errors.net");
  EXPECT_EQ(structure(parsed.file),
            "(net  a () (input  x (type f32 - shape 4)) (let  (name h) - (|> x (stage - (call dense (- 8)))))"
            " (output  y - (|> h (stage - (call dense (- 2))))))\n"
            "(net  b () (input  x (type f32 - shape 4)) (output  y - (|> x (stage - (call dense (- 2))))))\n");
}

// An edit that is certain has to lead to a file without that mistake.
TEST(BadFiles, CertainEditsRepairThem) {
  for (const std::string& file : case_files("bad")) {
    if (file.rfind("bad/s", 0) != 0) continue;
    std::string text = read_case(file);
    for (int round = 0; round < 10; ++round) {
      const Parsed parsed = parse_text(text);
      const Edit* edit = nullptr;
      for (const Diagnostic* record : parsed.diagnostics->sorted()) {
        for (const Help& help : record->helps) {
          if (help.confidence == Confidence::certain || help.confidence == Confidence::guess)
            edit = &help.alternatives.at(0).at(0);
        }
        if (!record->helps.empty() && !edit) edit = &record->helps[0].alternatives.at(0).at(0);
      }
      if (!edit) break;
      text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->replacement);
    }
    EXPECT_EQ(parse_text(text).text(), "") << file << "\n" << text;
  }
}

}  // namespace
}  // namespace netc::test
