#include "runtime/batch_feed.h"

#include <cstring>

#include "compiler/base/errors.h"

namespace netc {
namespace {

const std::string& field_of(const std::string& input, const std::vector<std::pair<std::string, std::string>>& inputs) {
  for (const auto& [name, field] : inputs)
    if (name == input) return field;
  return input;
}

// bool and u8 are both one byte; the narrowing pairs are the types no kernel computes in.
bool can_feed(DType column, DType buffer) {
  if (column == buffer || dtype_bytes(column) == 1) return dtype_bytes(column) == dtype_bytes(buffer);
  return (column == DType::f64 && buffer == DType::f32) || (column == DType::i64 && buffer == DType::i32);
}

template <typename From, typename To>
void convert(const std::byte* from, std::byte* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    From value{};
    std::memcpy(&value, from + i * int64_t{sizeof value}, sizeof value);
    const auto converted = static_cast<To>(value);
    std::memcpy(to + i * int64_t{sizeof converted}, &converted, sizeof converted);
  }
}

}  // namespace

BatchFeed::BatchFeed(const Program& program, const std::vector<std::pair<std::string, std::string>>& inputs,
                     const Split& split)
    : split_(split), bindings_(program.buffers.size()) {
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.kind != BufferKind::input || buffer.alias_of != kNone) continue;
    const std::string& field = field_of(buffer.name, inputs);
    const Column* column = split.column(field);
    if (column == nullptr) throw InternalError("input " + buffer.name + " is fed by no field of the data (" + field + ")");
    const int64_t values = buffer.rows.count * buffer.columns;
    if (values != element_count(column->shape) || !can_feed(column->dtype, buffer.dtype))
      throw InternalError("input " + buffer.name + " does not look like field " + field);
    bindings_[b] = {column, values, buffer.dtype};
  }
}

void BatchFeed::set_batch(std::span<const uint32_t> rows, std::span<const int64_t> tower_rows) {
  rows_ = rows;
  first_row_.resize(tower_rows.size());   // the same size each time: allocates once
  int64_t first = 0;
  for (size_t t = 0; t < tower_rows.size(); ++t) {
    first_row_[t] = first;
    first += tower_rows[t];
  }
}

void BatchFeed::copy(BufferId buffer, int tower, int64_t begin, int64_t end, void* destination) const {
  const Binding& binding = bindings_[static_cast<size_t>(buffer)];
  const Column& column = *binding.column;
  auto* out = static_cast<std::byte*>(destination);
  const int64_t out_bytes = binding.values * dtype_bytes(binding.stored);
  const uint32_t* row = rows_.data() + first_row_[static_cast<size_t>(tower)];
  for (int64_t i = begin; i < end; ++i, out += out_bytes) {
    const std::byte* record = column.record(split_.records[row[i]]);
    if (column.dtype == DType::f64 && binding.stored == DType::f32) convert<double, float>(record, out, binding.values);
    else if (column.dtype == DType::i64 && binding.stored == DType::i32) convert<int64_t, int32_t>(record, out, binding.values);
    else std::memcpy(out, record, static_cast<size_t>(out_bytes));
  }
}

}  // namespace netc
