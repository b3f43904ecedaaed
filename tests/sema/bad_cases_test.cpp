// Broken files, one mistake each: exactly the message that the name of the file says.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

struct BadCase {
  const char* file;
  const char* codes;   // with the line of the mistake
};

constexpr BadCase kCases[] = {
    {"N0202_layer.net", "N0202@7"},     {"N0203_twice.net", "N0203@2"},  {"N0204_pattern.net", "N0204@7"},
    {"N0301_arg.net", "N0301@7"},       {"N0301_opt.net", "N0301@13"},   {"N0306_twice.net", "N0306@7"},
    {"N0307_lr.net", "N0307@13"},       {"N0308_neg.net", "N0308@7"},    {"N0309_assert.net", "N0309@2"},
    {"N0401_add.net", "N0401@9"},       {"N0402_rank.net", "N0402@7"},   {"N0404_two.net", "N0404@7"},
    {"N0406_u8.net", "N0406@7"},        {"N0408_vocab.net", "N0408@7"},  {"N0409_axis.net", "N0409@7"},
    {"N0412_heads.net", "N0412@7"},     {"N0413_reshape.net", "N0413@7"}, {"N0415_concat.net", "N0415@8"},
    {"N0416_annot.net", "N0416@7"},     {"N0501_shared.net", "N0501@7"}, {"N0502_tie.net", "N0502@8"},
    {"N0601_name.net", "N0601@12"},     {"N0602_classes.net", "N0602@12"}, {"N0604_trainfield.net", "N0604@16"},
    {"N0605_missing.net", "N0605@9"},   {"N0701_batch.net", "N0701@14"}, {"N0702_plan.net", "N0702@17"},
    {"N0802_input.net", "N0802@6"},     {"N0803_shape.net", "N0803@6"},  {"W1101_shared.net", "W1101@7"},
    {"W1102_shared.net", "W1102@7"},
};

TEST(BadCases, GiveTheCodeInTheirNameOnce) {
  AnalyzeOptions check;
  check.every_train = true;
  std::set<std::string> tested;
  for (const BadCase& bad : kCases) {
    tested.insert(bad.file);
    const Analyzed analyzed = analyze_file(cases(std::string("bad/") + bad.file), check);
    EXPECT_EQ(analyzed.codes(), bad.codes) << bad.file << "\n" << analyzed.messages();
  }
  for (const auto& entry : std::filesystem::directory_iterator(cases("bad"))) {
    const std::string name = entry.path().filename().string();
    if (name[0] == 'N' || name[0] == 'W') {
      EXPECT_TRUE(tested.contains(name)) << name << " is not in the list";
    }
  }
}

}  // namespace
}  // namespace netc::test
