// The npy reader: versions, types and byte orders of the format, and files that are not what the field says.
#include <gmock/gmock.h>

#include "tests/runtime/data_fixture.h"

namespace netc {
namespace {

using testing::HasSubstr;

class NpyTest : public DataTest {
 protected:
  void read_x(TensorType type, const std::string& text) {
    add_field("x", std::move(type));
    folder_.write("x.npy", text);
    add_split("train", "npy", {{"x", "x.npy"}});
  }
};

TEST_F(NpyTest, ReadsAllVersions) {
  const std::string values = bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6});
  for (const int version : {1, 2, 3}) {
    spec_ = {};
    read_x(type_of(DType::f32, {3}), npy_text("<f4", false, "(2, 3)", values, version));
    const Dataset data = open();
    ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
    EXPECT_EQ(data.split("train")->rows(), 2);
    EXPECT_EQ(value_at<float>(*data.split("train"), "x", 1, 2), 6);
  }
}

TEST_F(NpyTest, ReadsEveryTypeInItsOwnWidth) {
  const auto check = [&](DType dtype, const std::string& descr, const std::string& values, auto expected) {
    spec_ = {};
    read_x(type_of(dtype), npy_text(descr, false, "(2,)", values));
    const Dataset data = open();
    ASSERT_TRUE(diagnostics_.empty()) << to_text(diagnostics_);
    EXPECT_EQ(value_at<decltype(expected)>(*data.split("train"), "x", 1), expected);
  };
  check(DType::f64, "<f8", bytes_of(std::vector<double>{0, 1e300}), 1e300);
  check(DType::i32, "<i4", bytes_of(std::vector<int32_t>{0, -5}), int32_t{-5});
  check(DType::i64, "<i8", bytes_of(std::vector<int64_t>{0, int64_t{1} << 40}), int64_t{1} << 40);
  check(DType::u8, "|u1", std::string("\0\xC8", 2), uint8_t{200});
  check(DType::boolean, "|b1", std::string("\0\1", 2), uint8_t{1});
  check(DType::f32, ">f4", std::string("\0\0\0\0\x40\x49\x0F\xDB", 8), 3.14159274f);
}

TEST_F(NpyTest, TakesClassesFromAnyWholeType) {
  read_x(class_type(3), npy_text("<i8", false, "(3,)", bytes_of(std::vector<int64_t>{2, 0, 1})));
  EXPECT_EQ(value_at<int32_t>(*open().split("train"), "x", 0), 2);
}

TEST_F(NpyTest, ChecksClassNumbers) {
  read_x(class_type(3, {2}), npy_text("<i4", false, "(2, 2)", bytes_of(std::vector<int32_t>{2, 0, 1, -1})));
  EXPECT_EQ(faults(), "N0808: x.npy, record 1: label -1 outside class(3)\n");
}

TEST_F(NpyTest, RefusesFortranOrder) {
  read_x(type_of(DType::f32, {3}), npy_text("<f4", true, "(2, 3)", std::string(24, '\0')));
  EXPECT_EQ(faults(), "N0809: `x`: the file holds an array in Fortran order, the field says f32[3]\n");
  EXPECT_THAT(to_text(diagnostics_), HasSubstr("np.ascontiguousarray"));
}

TEST_F(NpyTest, RefusesTypesItCannotHold) {
  read_x(type_of(DType::f32), npy_text("<c8", false, "(1,)", std::string(8, '\0')));
  EXPECT_EQ(faults(), "N0809: `x`: the file holds values of NumPy's type '<c8', the field says f32\n");
}

TEST_F(NpyTest, ConvertsNothingSilently) {
  read_x(type_of(DType::f32), npy_text("<f8", false, "(1,)", std::string(8, '\0')));
  EXPECT_EQ(faults(), "N0809: `x`: the file holds f64, the field says f32\n");
}

TEST_F(NpyTest, RefusesDamagedHeaders) {
  const std::string good = npy_text("<f4", false, "(1,)", std::string(4, '\0'));
  for (const std::string& bad : {std::string("junk"), good.substr(0, 8), good.substr(0, 40), "\x93NUMPY\x09" + good.substr(7),
                                 npy_text("<f4", false, "(1", ""), npy_text("<f4", false, "()", std::string(4, '\0')),
                                 npy_text("<f4", false, "(-1,)", "")}) {
    spec_ = {};
    Diagnostics fresh(sources_);
    read_x(type_of(DType::f32), bad);
    open_dataset(spec_, {folder_ / "", "the test"}, fresh);
    ASSERT_EQ(fresh.error_count(), 1);
    EXPECT_EQ(fresh.sorted()[0]->summary, "`x`: the file holds no npy data, the field says f32");
  }
}

TEST_F(NpyTest, RefusesAFileThatIsCutShort) {
  read_x(type_of(DType::f32, {2}), npy_text("<f4", false, "(3, 2)", std::string(20, '\0')));
  EXPECT_EQ(faults(), "N0809: `x`: the file holds 2 of the 3 records its header promises, the field says f32[2]\n");
}

}  // namespace
}  // namespace netc
