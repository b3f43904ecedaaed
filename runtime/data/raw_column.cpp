#include "runtime/data/raw_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

namespace netc {
namespace {

bool same_but_for_ones(const Shape& a, const Shape& b) {
  Shape left, right;
  std::copy_if(a.begin(), a.end(), std::back_inserter(left), [](int64_t n) { return n != 1; });
  std::copy_if(b.begin(), b.end(), std::back_inserter(right), [](int64_t n) { return n != 1; });
  return left == right;
}

bool fits(const RawValues& raw, const Shape& sample, const TensorType& declared) {
  if (!same_but_for_ones(sample, declared.shape)) return false;
  if (declared.classes > 0) return raw.dtype == DType::u8 || raw.dtype == DType::i32 || raw.dtype == DType::i64;
  return raw.dtype == declared.dtype;
}

void report_type(const ReadRequest& request, const FieldSpec& field, const std::string& path, const RawValues& raw,
                 Shape sample) {
  const std::string found = to_string(TensorType{raw.dtype, sample, false, 0});
  auto& error = report_mismatch(request, field, path, found, declared_type(field));
  if (field.raw.classes > 0) {
    error.help("classes are whole numbers (u8, i32 or i64), one a record for `class(N)`");
    return;
  }
  if (sample.size() == 2 && field.raw.shape.size() == 3) sample.push_back(1);   // pictures of one channel
  error.help(fmt::format("write `{}`, or save the file with the type of the field",
                         to_string(TensorType{raw.dtype, sample, false, 0})));
}

// The rest of the file, as many bytes as the header promised; false, reported, if there are fewer or more.
bool read_values(const ReadRequest& request, const FieldSpec& field, const std::string& path, InputFile& file,
                 int64_t records, int64_t record_bytes, std::vector<std::byte>* values) {
  const std::string declared = declared_type(field);
  const int64_t wanted = records * record_bytes;
  int64_t got = 0;
  if (wanted <= file.most_bytes()) {   // else the header lies: take no memory for it
    values->resize(static_cast<size_t>(wanted));
    got = static_cast<int64_t>(file.read(values->data(), values->size()));
  }
  if (got < wanted) {
    const std::string found = wanted <= file.most_bytes()
                                  ? fmt::format("{} of the {} records its header promises", got / record_bytes, records)
                                  : fmt::format("fewer than the {} records its header promises", records);
    report_mismatch(request, field, path, found, declared)
        .note(file.damage().empty() ? "the file is cut short" : "damaged gzip data: " + file.damage())
        .help("fetch the file again");
    return false;
  }
  std::byte extra{};
  if (file.read(&extra, 1) == 1) {
    report_mismatch(request, field, path, fmt::format("more than the {} records its header promises", records), declared);
    return false;
  }
  return true;
}

int64_t whole_number(const std::byte* at, DType dtype) {
  if (dtype == DType::u8) return static_cast<int64_t>(*at);
  if (dtype == DType::i32) {
    int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  int64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::optional<Column> read_raw_column(const ReadRequest& request, const FieldSpec& field, const std::string& path,
                                      InputFile& file, const RawValues& raw) {
  const int64_t records = raw.shape.front();
  const Shape sample(raw.shape.begin() + 1, raw.shape.end());
  if (!fits(raw, sample, field.raw)) {
    report_type(request, field, path, raw, sample);
    return std::nullopt;
  }

  const int width = dtype_bytes(raw.dtype);
  const int64_t per_record = element_count(sample);
  std::vector<std::byte> values;
  if (!read_values(request, field, path, file, records, per_record * width, &values)) return std::nullopt;
  if (width > 1 && raw.order != std::endian::native)
    for (auto p = values.begin(); p != values.end(); p += width) std::reverse(p, p + width);

  Column column = make_column(field, 0);
  if (field.raw.classes == 0) {
    column.bytes = std::move(values);
    return column;
  }
  LabelCheck labels(field, std::filesystem::path(path).filename().string());
  column.bytes.resize(static_cast<size_t>(records * column.record_bytes));
  for (int64_t i = 0; i < records * per_record; ++i) {
    const int64_t label = whole_number(values.data() + i * width, raw.dtype);
    labels.see(label, i / per_record);
    const auto stored = static_cast<int32_t>(label);
    std::memcpy(column.bytes.data() + i * int64_t{sizeof stored}, &stored, sizeof stored);
  }
  if (!labels.report(request)) return std::nullopt;
  return column;
}

}  // namespace netc
