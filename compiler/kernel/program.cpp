#include "compiler/kernel/program.h"

namespace netc {
namespace {

// One cache line of f32, and the widest vector the CPU backend uses: an access of a whole vector that begins at the
// last element is still inside.
constexpr int64_t kVectorElements = 16;

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

int64_t element_offset(const Buffer& buffer, int64_t row, int64_t column) {
  if (buffer.layout == Layout::row_major) return row * buffer.columns + column;
  const int64_t width = buffer.panel_columns;
  return (column / width) * (buffer.padded_rows * width) + row * width + column % width;
}

int64_t allocated_elements(const Buffer& buffer, int64_t batch) {
  if (buffer.layout == Layout::panels) {
    const int64_t panels = (buffer.columns + buffer.panel_columns - 1) / buffer.panel_columns;
    return round_up(panels * buffer.padded_rows * buffer.panel_columns, kVectorElements) + kVectorElements;
  }
  const int64_t rows = buffer.rows.count * (buffer.rows.times_batch ? batch : 1);
  return round_up(rows * buffer.columns, kVectorElements) + kVectorElements;
}

}  // namespace netc
