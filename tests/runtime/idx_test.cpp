// The idx reader: good files plain and compressed, and each way a file can be bad.
#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>

#include "tests/runtime/data_fixture.h"

namespace netc {
namespace {

using testing::HasSubstr;

class IdxTest : public DataTest {
 protected:
  IdxTest() {
    add_field("image", type_of(DType::u8, {2, 3, 1}));
    add_field("label", class_type(4));
    folder_.write("images", idx_text(8, {3, 2, 3}, std::string("abcdefghijklmnopqr")));
    folder_.write("labels", idx_text(8, {3}, std::string("\0\3\1", 3)));
    add_split("train", "idx", {{"image", "images"}, {"label", "labels"}});
  }

  void compress(const std::string& name) {
    const std::string text = read_file(folder_ / name);
    gzFile file = gzopen((folder_ / (name + ".gz")).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    std::filesystem::remove(folder_ / name);
  }
};

TEST_F(IdxTest, ReadsBytesAndLabels) {
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  const Split& train = *data.split("train");
  EXPECT_EQ(train.rows(), 3);
  EXPECT_EQ(value_at<uint8_t>(train, "image", 0, 0), 'a');
  EXPECT_EQ(value_at<uint8_t>(train, "image", 2, 5), 'r');
  EXPECT_EQ(value_at<int32_t>(train, "label", 1), 3);
  EXPECT_EQ(value_at<int32_t>(train, "label", 2), 1);
  EXPECT_EQ(data.bytes(), 18 + 3 * 4 + 3 * 4);   // pictures, labels as i32, record numbers
}

TEST_F(IdxTest, TakesTheCompressedFileAndSaysSo) {
  compress("images");
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  EXPECT_EQ(value_at<uint8_t>(*data.split("train"), "image", 1, 0), 'g');
  ASSERT_EQ(data.remarks.size(), 1u);
  EXPECT_THAT(data.remarks[0], HasSubstr("images: read from "));
}

TEST_F(IdxTest, ReadsBigEndianNumbers) {
  spec_.fields.clear();
  add_field("x", type_of(DType::f32, {2}));
  add_field("n", type_of(DType::i32));
  folder_.write("x", idx_text(0x0D, {2, 2}, std::string("\x3F\x80\0\0\xC0\0\0\0\0\0\0\0\x3F\0\0\0", 16)));
  folder_.write("n", idx_text(0x0C, {2}, std::string("\0\0\1\2\xFF\xFF\xFF\xFE", 8)));
  spec_.splits.clear();
  add_split("train", "idx", {{"x", "x"}, {"n", "n"}});
  const Dataset data = open();
  ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
  const Split& train = *data.split("train");
  EXPECT_EQ(value_at<float>(train, "x", 0, 0), 1);
  EXPECT_EQ(value_at<float>(train, "x", 0, 1), -2);
  EXPECT_EQ(value_at<float>(train, "x", 1, 1), 0.5);
  EXPECT_EQ(value_at<int32_t>(train, "n", 0), 258);
  EXPECT_EQ(value_at<int32_t>(train, "n", 1), -2);
}

TEST_F(IdxTest, SaysWhereItLookedForAMissingFile) {
  spec_.splits[0].files[0].second = "image";
  EXPECT_EQ(faults(), "N0804: no file `image`\n");
  const std::string text = to_text(diagnostics_);
  EXPECT_THAT(text, HasSubstr("looked in " + std::filesystem::path(folder_ / "").parent_path().string()));
  EXPECT_THAT(text, HasSubstr("there is a `images`"));
  EXPECT_THAT(text, HasSubstr("(the test)"));
}

TEST_F(IdxTest, ReportsEveryMissingFile) {
  std::filesystem::remove(folder_ / "images");
  std::filesystem::remove(folder_ / "labels");
  EXPECT_EQ(faults(), "N0804: no file `images`\nN0804: no file `labels`\n");
}

TEST_F(IdxTest, RefusesOtherFiles) {
  folder_.write("images", "PNG, perhaps");
  EXPECT_EQ(faults(),
            "N0809: `image`: the file holds no idx data (it starts with 50 4e 47 2c, not 00 00 08 03 or the like), the field "
            "says u8[2, 3, 1]\n");
}

TEST_F(IdxTest, RefusesAnEmptyFile) {
  folder_.write("labels", "");
  EXPECT_EQ(faults(), "N0809: `label`: the file holds no idx data (less than 4 bytes), the field says class(4)\n");
}

TEST_F(IdxTest, RefusesAFileThatIsCutShort) {
  folder_.write("images", idx_text(8, {3, 2, 3}, std::string("abcdefghijklmnop")));
  EXPECT_EQ(faults(), "N0809: `image`: the file holds 2 of the 3 records its header promises, the field says u8[2, 3, 1]\n");
}

TEST_F(IdxTest, RefusesWhatFollowsTheLastRecord) {
  folder_.write("labels", idx_text(8, {3}, std::string("\0\3\1\2", 4)));
  EXPECT_EQ(faults(), "N0809: `label`: the file holds more than the 3 records its header promises, the field says class(4)\n");
}

// A header of 4 GB of pictures in front of a few bytes takes no memory.
TEST_F(IdxTest, DoesNotBelieveAHeader) {
  folder_.write("images", idx_text(8, {0x7FFFFFFF, 2, 3}, "abc"));
  EXPECT_EQ(faults(),
            "N0809: `image`: the file holds fewer than the 2147483647 records its header promises, the field says u8[2, 3, 1]\n");
}

TEST_F(IdxTest, SaysWhatIsDamagedInsideGzip) {
  compress("images");
  std::string text = read_file(folder_ / "images.gz");
  folder_.write("images.gz", text.substr(0, text.size() - 12));
  faults();
  EXPECT_THAT(to_text(diagnostics_), HasSubstr("damaged gzip data: "));
}

TEST_F(IdxTest, ComparesTheShapeWithTheField) {
  spec_.fields[0].raw = type_of(DType::u8, {4, 4, 1});
  EXPECT_EQ(faults(), "N0809: `image`: the file holds u8[2, 3], the field says u8[4, 4, 1]\n");
  EXPECT_THAT(to_text(diagnostics_), HasSubstr("write `u8[2, 3, 1]`"));
}

TEST_F(IdxTest, ComparesTheElementTypeWithTheField) {
  spec_.fields[0].raw = type_of(DType::f32, {2, 3, 1});
  EXPECT_EQ(faults(), "N0809: `image`: the file holds u8[2, 3], the field says f32[2, 3, 1]\n");
}

TEST_F(IdxTest, WantsEquallyManyRecords) {
  folder_.write("labels", idx_text(8, {2}, std::string("\0\1", 2)));
  EXPECT_EQ(faults(), "N0809: `label`: the file holds 2 records, the field says 3 like `image`\n");
}

TEST_F(IdxTest, NamesTheRecordOfALabelOutOfRange) {
  folder_.write("labels", idx_text(8, {3}, std::string("\0\7\4", 3)));
  EXPECT_EQ(faults(), "N0808: labels, record 1: label 7 outside class(4)\n");
  const std::string text = to_text(diagnostics_);
  EXPECT_THAT(text, HasSubstr("2 of the labels lie outside; they go from 0 to 7"));
  EXPECT_THAT(text, HasSubstr("class(8) holds all of them"));
}

TEST_F(IdxTest, SuspectsLabelsThatCountFromOne) {
  folder_.write("labels", idx_text(8, {3}, std::string("\1\4\2", 3)));
  EXPECT_EQ(faults(), "N0808: labels, record 1: label 4 outside class(4)\n");
  EXPECT_THAT(to_text(diagnostics_), HasSubstr("the labels count from 1, classes from 0"));
}

TEST_F(IdxTest, WantsAFileForEveryField) {
  spec_.splits[0].files.pop_back();
  EXPECT_EQ(faults(), "N0805: split `train` names no file for field `label`\n");
}

TEST_F(IdxTest, RefusesASplitWithoutSamples) {
  folder_.write("images", idx_text(8, {0, 2, 3}, ""));
  folder_.write("labels", idx_text(8, {0}, ""));
  EXPECT_EQ(faults(), "N0811: split `train` is empty\n");
}

// The files Debian's dataset-fashion-mnist brings, named like the originals: the compressed ones are taken.
TEST(FashionMnist, HasItsCounts) {
  const std::string folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
  DataSpec spec;
  FieldSpec image, label;
  image.name = "image";
  image.raw = type_of(DType::u8, {28, 28, 1});
  label.name = "label";
  label.raw = class_type(10);
  spec.fields = {image, label};
  for (const auto& [split, prefix] : {std::pair{"train", "train"}, {"test", "t10k"}}) {
    ReaderSpec reader;
    reader.split = split;
    reader.reader = "idx";
    reader.files = {{"image", std::string(prefix) + "-images-idx3-ubyte"}, {"label", std::string(prefix) + "-labels-idx1-ubyte"}};
    reader.file_spans.resize(2);
    spec.splits.push_back(reader);
  }
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const Dataset data = open_dataset(spec, {folder, "Debian"}, diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << to_text(diagnostics);
  EXPECT_EQ(data.split("train")->rows(), 60000);
  EXPECT_EQ(data.split("test")->rows(), 10000);
  EXPECT_EQ(data.remarks.size(), 4u);
  std::vector<int> counts(10);
  for (int64_t r = 0; r < 60000; ++r) ++counts[static_cast<size_t>(value_at<int32_t>(*data.split("train"), "label", r))];
  EXPECT_EQ(counts, std::vector<int>(10, 6000));   // the set is balanced
}

}  // namespace
}  // namespace netc
