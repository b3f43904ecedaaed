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

}  // namespace

BatchFeed::BatchFeed(const Program& program, const std::vector<std::pair<std::string, std::string>>& inputs,
                     const Split& split)
    : split_(split), columns_(program.buffers.size()) {
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.kind != BufferKind::input || buffer.alias_of != kNone) continue;
    const std::string& field = field_of(buffer.name, inputs);
    const Column* column = split.column(field);
    if (column == nullptr) throw InternalError("input " + buffer.name + " is fed by no field of the data (" + field + ")");
    const bool same_bytes = dtype_bytes(column->dtype) == dtype_bytes(buffer.dtype);   // bool is fed as u8
    if (!same_bytes || is_floating(column->dtype) != is_floating(buffer.dtype) ||
        buffer.rows.count * buffer.columns != element_count(column->shape))
      throw InternalError("input " + buffer.name + " does not look like field " + field);
    columns_[b] = column;
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
  const Column& column = *columns_[static_cast<size_t>(buffer)];
  auto* out = static_cast<std::byte*>(destination);
  const uint32_t* row = rows_.data() + first_row_[static_cast<size_t>(tower)];
  for (int64_t i = begin; i < end; ++i, out += column.record_bytes)
    std::memcpy(out, column.record(split_.records[row[i]]), static_cast<size_t>(column.record_bytes));
}

}  // namespace netc
