// Data sets of a test: files in a folder of their own, declarations put together by hand, and what was said about them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "runtime/data/dataset.h"
#include "tests/support/temporary_folder.h"

namespace netc {

inline TensorType type_of(DType dtype, Shape shape = {}) { return {dtype, std::move(shape), false, 0}; }
inline TensorType class_type(int64_t classes, Shape shape = {}) { return {DType::i32, std::move(shape), false, classes}; }

class DataTest : public testing::Test {
 protected:
  DataTest() {
    sources_.add("test.net", std::string(1000, 'x'));   // something for spans to point at
  }

  void add_field(const std::string& name, TensorType type) {
    FieldSpec field;
    field.name = name;
    field.raw = field.type = std::move(type);
    field.span = next_span();
    spec_.fields.push_back(std::move(field));
  }

  ReaderSpec& add_split(const std::string& split, const std::string& reader,
                        std::vector<std::pair<std::string, std::string>> files = {}) {
    ReaderSpec spec;
    spec.split = split;
    spec.reader = reader;
    for (size_t i = 0; i < files.size(); ++i) spec.file_spans.push_back(next_span());
    spec.files = std::move(files);
    spec.span = next_span();
    spec_.splits.push_back(std::move(spec));
    return spec_.splits.back();
  }

  Dataset open() { return open_dataset(spec_, {folder_ / "", "the test"}, diagnostics_); }

  // Opens, and gives the summaries of everything that was reported, one a line.
  std::string faults() {
    open();
    std::string text;
    for (const Diagnostic* d : diagnostics_.sorted()) text += std::string(code_name(d->code)) + ": " + d->summary + "\n";
    return text;
  }

  Span next_span() {
    place_ += 2;
    return {0, place_, place_ + 1};
  }

  TemporaryFolder folder_;
  SourceMap sources_;
  Diagnostics diagnostics_{sources_};
  DataSpec spec_;
  uint32_t place_ = 0;
};

// Value `element` of row `row` of a split.
template <typename T>
T value_at(const Split& split, const std::string& field, int64_t row, int64_t element = 0) {
  T value{};
  std::memcpy(&value, split.column(field)->record(split.records.at(static_cast<size_t>(row))) + element * int64_t{sizeof value},
              sizeof value);
  return value;
}

// "\x00\x00\x08\x03..." with sizes, then the values.
inline std::string idx_text(unsigned char type, const std::vector<uint32_t>& sizes, const std::string& values) {
  std::string text = {0, 0, static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const uint32_t size : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift & 0xFF);
  return text + values;
}

// An .npy file of version `major` with this header text, padded as NumPy does.
inline std::string npy_text(const std::string& descr, bool fortran, const std::string& shape, const std::string& values,
                            int major = 1) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  const size_t prefix = major == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(major);
  text += '\0';
  for (size_t i = 0; i < prefix - 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return text + header + values;
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace netc
