// The csv reader and the parts of a file: quoting, columns, cells that are not numbers, splits that overlap.
#include <gmock/gmock.h>

#include <set>

#include "tests/runtime/data_fixture.h"

namespace netc {
namespace {

using testing::HasSubstr;

class CsvTest : public DataTest {
 protected:
  ReaderSpec& add_csv(const std::string& split, const std::string& text) {
    folder_.write("t.csv", text);
    return add_split(split, "csv", {{"", "t.csv"}});
  }
};

TEST_F(CsvTest, PutsColumnsIntoFields) {
  add_field("xy", type_of(DType::f32, {2}));
  spec_.fields[0].columns = {"y", "x"};
  add_field("kind", class_type(3));
  add_field("ok", type_of(DType::boolean));
  add_csv("train", "x,kind,y,ok,unused\n1.5,2,-3e2,true,hello\n+2, 0 ,.25,0,\"a \"\"quoted\"\", cell\"\n");
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  const Split& train = *data.split("train");
  EXPECT_EQ(train.rows(), 2);
  EXPECT_EQ(value_at<float>(train, "xy", 0, 0), -300);
  EXPECT_EQ(value_at<float>(train, "xy", 0, 1), 1.5);
  EXPECT_EQ(value_at<float>(train, "xy", 1, 0), 0.25);
  EXPECT_EQ(value_at<float>(train, "xy", 1, 1), 2);
  EXPECT_EQ(value_at<int32_t>(train, "kind", 0), 2);
  EXPECT_EQ(value_at<uint8_t>(train, "ok", 0), 1);
  EXPECT_EQ(value_at<uint8_t>(train, "ok", 1), 0);
}

TEST_F(CsvTest, ReadsCrlfBomQuotedLinesAndNoLastLineEnd) {
  add_field("a", type_of(DType::i32));
  add_csv("train", "\xEF\xBB\xBF\"a\",b\r\n1,\"two\r\nlines\"\r\n\r\n2,x");
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  ASSERT_EQ(data.split("train")->rows(), 2);
  EXPECT_EQ(value_at<int32_t>(*data.split("train"), "a", 1), 2);
}

TEST_F(CsvTest, KnowsOtherSeparatorsAndFilesWithoutHeader) {
  add_field("b", type_of(DType::f64));
  spec_.fields[0].columns = {"2"};
  for (const char separator : {'\t', ';', '|'}) {
    spec_.splits.clear();
    ReaderSpec& reader = add_csv("train", std::string("1") + separator + "2.5\n3" + separator + "4\n");
    reader.header = false;
    reader.separator = separator;
    const Dataset data = open();
    ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
    ASSERT_EQ(data.split("train")->rows(), 2);
    EXPECT_EQ(value_at<double>(*data.split("train"), "b", 0), 2.5);
  }
}

TEST_F(CsvTest, NamesTheClosestColumn) {
  add_field("income", type_of(DType::f32));
  spec_.fields[0].columns = {"incone"};
  add_csv("train", "age,income\n1,2\n");
  EXPECT_EQ(faults(), "N0805: no column `incone` in t.csv\n");
  const std::string text = to_text(diagnostics_);
  EXPECT_THAT(text, HasSubstr("its columns: age, income"));
  EXPECT_THAT(text, HasSubstr("did you mean `from \"income\"`?"));
}

TEST_F(CsvTest, NamesTheLineOfABadCell) {
  add_field("x", type_of(DType::f32));
  add_csv("train", "x,y\n1,\"a\nb\"\nabc,1\n2,2\n1e99,3\nnan,4\n");
  EXPECT_EQ(faults(), "N0807: t.csv:4: `abc` is not f32\n");   // line 2 and 3 are one record
  EXPECT_THAT(to_text(diagnostics_), HasSubstr("3 such cells in `x`"));
}

TEST_F(CsvTest, SaysWhenACellIsMissing) {
  add_field("x", type_of(DType::f32));
  add_csv("train", "x,y\n1,1\n?,1\n").missing = "?";
  EXPECT_EQ(faults(), "N0807: t.csv:3: the cell of column `x` is missing, not f32\n");
}

TEST_F(CsvTest, ChecksWholeNumbersAndClasses) {
  add_field("n", type_of(DType::u8));
  add_field("k", class_type(3));
  add_csv("train", "n,k\n255,0\n256,1\n1.5,3\n");
  EXPECT_EQ(faults(), "N0807: t.csv:3: `256` is not u8\nN0808: t.csv:4: label 3 outside class(3)\n");
}

TEST_F(CsvTest, WantsAsManyCellsAsTheHeader) {
  add_field("x", type_of(DType::f32));
  add_csv("train", "x,y\n1,2\n1\n");
  EXPECT_EQ(faults(), "N0807: t.csv:3: 1 cells where the header has 2\n");
}

TEST_F(CsvTest, FindsQuotesThatDoNotPair) {
  add_field("x", type_of(DType::f32));
  add_csv("train", "x,y\n1,\"2\n3,4\n");
  EXPECT_THAT(faults(), HasSubstr("N0807: t.csv:"));
}

TEST_F(CsvTest, ComparesTheNumberOfColumns) {
  add_field("x", type_of(DType::f32, {3}));
  spec_.fields[0].columns = {"a", "b"};
  add_csv("train", "a,b\n1,2\n");
  EXPECT_EQ(faults(), "N0809: `x`: the file holds 2 columns for it, the field says f32[3]\n");
}

TEST_F(CsvTest, RefusesATableWithoutRecords) {
  add_field("x", type_of(DType::f32));
  add_csv("train", "x\n");
  EXPECT_EQ(faults(), "N0811: split `train` is empty\n");
  EXPECT_THAT(to_text(diagnostics_), HasSubstr("holds 0 records"));
}

TEST_F(CsvTest, RefusesAnEmptyFile) {
  add_field("x", type_of(DType::f32));
  add_csv("train", "");
  EXPECT_EQ(faults(), "N0811: split `train` is empty\n");
}

class PartTest : public CsvTest {
 protected:
  PartTest() {
    add_field("x", type_of(DType::i32));
    std::string text = "x\n";
    for (int i = 0; i < 103; ++i) text += std::to_string(i) + "\n";
    folder_.write("t.csv", text);
  }
  void add_part(const std::string& split, double begin, double end, std::optional<int64_t> shuffle = 5) {
    ReaderSpec& reader = add_split(split, "csv", {{"", "t.csv"}});
    reader.part = {begin, end};
    reader.shuffle = shuffle;
  }
  static std::vector<int> values_of(const Split& split) {
    std::vector<int> values;
    for (int64_t r = 0; r < split.rows(); ++r) values.push_back(value_at<int32_t>(split, "x", r));
    return values;
  }
};

TEST_F(PartTest, CutsTheShuffledFileOnce) {
  add_part("train", 0, 0.8);
  add_part("validation", 0.8, 0.9);
  add_part("test", 0.9, 1);
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  EXPECT_EQ(data.split("train")->table, data.split("test")->table);   // read once
  std::multiset<int> all;
  for (const Split& split : data.splits)
    for (const int x : values_of(split)) all.insert(x);
  EXPECT_EQ(all.size(), 103u);
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), 103u);
  const auto train = values_of(*data.split("train"));
  EXPECT_FALSE(std::is_sorted(train.begin(), train.end()));
  EXPECT_EQ(train, values_of(*open().split("train")));                 // the same each time
}

TEST_F(PartTest, KeepsTheFilesOrderWithoutShuffle) {
  add_part("train", 0, 0.5, std::nullopt);
  add_part("test", 0.5, 1, std::nullopt);
  const auto test = values_of(*open().split("test"));
  EXPECT_EQ(test.front(), 52);   // 51.5 records round up
  EXPECT_EQ(test.back(), 102);
}

TEST_F(PartTest, TakeMovesSamples) {
  add_part("train", 0, 1);
  ReaderSpec& take = add_split("validation", "take");
  take.take_from = "train";
  take.take_share = 0.1;
  take.seed = 3;
  ReaderSpec& more = add_split("test", "take");
  more.take_from = "train";
  more.take_count = 20;
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  EXPECT_EQ(data.split("train")->rows(), 73);
  EXPECT_EQ(data.split("validation")->rows(), 10);
  EXPECT_EQ(data.split("test")->rows(), 20);
  std::set<int> all;
  for (const Split& split : data.splits)
    for (const int x : values_of(split)) all.insert(x);
  EXPECT_EQ(all.size(), 103u);
  spec_.splits[1].seed = 4;
  EXPECT_NE(values_of(*open().split("validation")), values_of(*data.split("validation")));
}

TEST_F(PartTest, TakeMayNotEmptyASplit) {
  add_part("train", 0, 1);
  ReaderSpec& take = add_split("validation", "take");
  take.take_from = "train";
  take.take_count = 200;
  EXPECT_EQ(faults(), "N0811: split `train` is empty\n");
}

TEST_F(PartTest, StandardizeLearnsFromTheTrainSplitOnly) {
  spec_.fields[0].transforms = {{"to_float", {{"scale", {2}}, {"offset", {1}}}, {}}, {"standardize", {}, {}}};
  add_part("train", 0, 0.1, std::nullopt);   // 0 .. 9
  add_part("test", 0.1, 1, std::nullopt);
  const Dataset data = open();
  ASSERT_EQ(data.constants.size(), 2u);
  EXPECT_EQ(data.constants[0].name, "data.x.mean");
  EXPECT_EQ(data.constants[1].name, "data.x.std");
  EXPECT_EQ(data.constants[0].shape, Shape{});
  EXPECT_FLOAT_EQ(data.constants[0].values[0], 10);                            // 2 * 4.5 + 1
  EXPECT_FLOAT_EQ(data.constants[1].values[0], 2 * std::sqrt(8.25f));          // variance of 0 .. 9 is 99 / 12
}

TEST_F(CsvTest, StandardizeKnowsEachColumn) {
  add_field("xy", type_of(DType::f32, {2}));
  spec_.fields[0].columns = {"x", "y"};
  spec_.fields[0].transforms = {{"log1p", {}, {}}, {"clip", {{"low", {0}}, {"high", {1}}}, {}}, {"standardize", {}, {}}};
  add_csv("train", "x,y\n0,0\n1,100\n");
  const Dataset data = open();
  ASSERT_EQ(data.constants.size(), 2u);
  EXPECT_EQ(data.constants[0].shape, Shape{2});
  EXPECT_FLOAT_EQ(data.constants[0].values[0], std::log(2.0f) / 2);
  EXPECT_FLOAT_EQ(data.constants[0].values[1], 0.5);   // log 101 is clipped to 1
  EXPECT_FLOAT_EQ(data.constants[1].values[0], std::log(2.0f) / 2);
  EXPECT_FLOAT_EQ(data.constants[1].values[1], 0.5);
}

// Two pictures of 1 x 2 places with two channels.
TEST_F(CsvTest, StandardizeJoinsThePlacesOfAChannel) {
  add_field("picture", type_of(DType::f32, {1, 2, 2}));
  spec_.fields[0].columns = {"a", "b", "c", "d"};
  spec_.fields[0].transforms = {{"standardize", {}, {}}};
  add_csv("train", "a,b,c,d\n1,10,3,10\n5,10,7,30\n");
  const Dataset data = open();
  ASSERT_EQ(data.constants.size(), 2u);
  EXPECT_EQ(data.constants[0].shape, Shape{2});
  EXPECT_EQ(data.constants[0].values, (std::vector<float>{4, 15}));
  EXPECT_FLOAT_EQ(data.constants[1].values[0], std::sqrt(5.0f));    // of 1 3 5 7
  EXPECT_FLOAT_EQ(data.constants[1].values[1], std::sqrt(75.0f));   // of 10 10 10 30
}

}  // namespace
}  // namespace netc
