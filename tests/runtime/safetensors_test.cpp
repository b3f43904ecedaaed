// safetensors: what is written comes back, the bytes are those of the format, and nothing unsound is read.
#include "runtime/record/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/base/errors.h"
#include "tests/support/temporary_folder.h"
#include "tests/runtime/tensor_file.h"

namespace netc {
namespace {

using testing::HasSubstr;

class SafetensorsTest : public testing::Test {
 protected:
  void write(const std::string& name, const TensorFile& content) { write_tensor_file(folder_ / name, content); }

  // A file of this header text and these bytes of values.
  std::string file_of(const std::string& header, const std::string& values) {
    const uint64_t length = header.size();
    return folder_.write("x.safetensors", std::string(reinterpret_cast<const char*>(&length), 8) + header + values);
  }
  std::string refusal(const std::string& path) {
    try {
      read_safetensors(path);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "it was read";
  }
  std::string refusal(const std::string& header, const std::string& values) { return refusal(file_of(header, values)); }

  TemporaryFolder folder_;
};

TEST_F(SafetensorsTest, ComesBackAsItWas) {
  TensorFile content;
  content.metadata = {{"net", "mlp"}, {"updates", "12"}};
  content.tensors = {{"fc1.weight", {2, 3}, {1, -2, 0.5, std::numeric_limits<float>::denorm_min(), INFINITY, NAN}},
                     {"a \"quoted\" path", {}, {7}},
                     {"empty", {0, 4}, {}}};
  write("w.safetensors", content);
  const TensorFile back = read_safetensors(folder_ / "w.safetensors");
  EXPECT_EQ(back.metadata, content.metadata);
  EXPECT_EQ(back.note("net"), "mlp");
  EXPECT_EQ(back.note("absent"), "");
  ASSERT_EQ(back.tensors.size(), 3u);
  for (const StoredTensor& tensor : content.tensors) {
    const StoredTensor* found = back.find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->shape, tensor.shape);
    ASSERT_EQ(found->values.size(), tensor.values.size());
    if (!tensor.values.empty()) {
      EXPECT_EQ(std::memcmp(found->values.data(), tensor.values.data(), tensor.values.size() * 4), 0);
    }
  }
}

TEST_F(SafetensorsTest, WritesTheBytesOfTheFormat) {
  write("w.safetensors", {{{"net", "n"}}, {{"w", {2}, {1, 2}}}});
  const std::string text = read_file(folder_ / "w.safetensors");
  const std::string header = R"({"__metadata__":{"net":"n"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const size_t padded = (header.size() + 7) / 8 * 8;
  ASSERT_EQ(text.size(), 8 + padded + 8);
  EXPECT_EQ(static_cast<unsigned char>(text[0]), padded);
  EXPECT_EQ(text.substr(1, 7), std::string(7, '\0'));
  EXPECT_EQ(text.substr(8, padded), header + std::string(padded - header.size(), ' '));
  EXPECT_EQ(text.substr(8 + padded), std::string("\0\0\x80\x3F\0\0\0\x40", 8));
}

TEST_F(SafetensorsTest, RefusesWhatIsCutShort) {
  write("w.safetensors", {{}, {{"w", {2, 2}, {1, 2, 3, 4}}, {"b", {1}, {5}}}});
  const std::string whole = read_file(folder_ / "w.safetensors");
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string why = refusal(folder_.write("cut.safetensors", whole.substr(0, bytes)));
    EXPECT_THAT(why, HasSubstr("is no sound safetensors file")) << bytes;
  }
  EXPECT_THAT(refusal(folder_.write("long.safetensors", whole + "x")), HasSubstr("describes 20 bytes of values, the file holds 21"));
}

TEST_F(SafetensorsTest, RefusesWhatDoesNotAddUp) {
  const std::string eight(8, '\0');
  const auto entry = [](const std::string& name, const std::string& shape, const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  };
  EXPECT_THAT(refusal("not JSON", ""), HasSubstr("its header is not JSON"));
  EXPECT_THAT(refusal("[1]", ""), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{" + entry("w", "[3]", "[0,8]") + "}", eight), HasSubstr("`w` of shape [3] takes 12 bytes"));
  EXPECT_THAT(refusal("{" + entry("w", "[2]", "[8,0]") + "}", eight), HasSubstr("offsets say 8 to 0"));
  EXPECT_THAT(refusal("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[1]", "[4,8]") + "}", eight),
              HasSubstr("`b` starts at byte 4 of the values, where 8 was expected"));                      // overlap
  EXPECT_THAT(refusal("{" + entry("w", "[1]", "[4,8]") + "}", eight), HasSubstr("where 0 was expected"));  // gap
  EXPECT_THAT(refusal("{" + entry("w", "[1]", "[0,4]") + "}", eight), HasSubstr("describes 4 bytes of values"));
  EXPECT_THAT(refusal("{" + entry("w", "[4611686018427387904,4]", "[0,0]") + "}", ""), HasSubstr("too large"));
  EXPECT_THAT(refusal("{" + entry("w", "[-2]", "[0,8]") + "}", eight), HasSubstr("not dtype, shape and data_offsets"));
  EXPECT_THAT(refusal("{" + entry("w", "[2.0]", "[0,8]") + "}", eight), HasSubstr("not dtype, shape and data_offsets"));
  EXPECT_THAT(refusal("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", eight), HasSubstr("not dtype, shape and data_offsets"));
  EXPECT_THAT(refusal("{\"w\":7}", eight), HasSubstr("not dtype, shape and data_offsets"));
  EXPECT_THAT(refusal("{\"w\":{\"dtype\":\"F16\",\"shape\":[4],\"data_offsets\":[0,8]}}", eight), HasSubstr("`w` holds F16"));
  EXPECT_THAT(refusal("{" + entry("w", "[2]", "[0,8]") + "," + entry("w", "[2]", "[0,8]") + "}", eight),
              HasSubstr("`w` stands twice"));
  EXPECT_THAT(refusal("{\"__metadata__\":{\"a\":1}}", ""), HasSubstr("`a` is not a text"));
  EXPECT_THAT(refusal("{\"__metadata__\":3}", ""), HasSubstr("not an object of texts"));
}

TEST_F(SafetensorsTest, RefusesAHeaderThatIsTooLong) {
  EXPECT_THAT(refusal(folder_.write("x", std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10))), HasSubstr("its header would be"));
  EXPECT_THAT(refusal(folder_ / "absent"), HasSubstr("cannot read"));
}

}  // namespace
}  // namespace netc
