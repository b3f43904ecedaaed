#include "runtime/backend/reference/input_feed.h"

#include <algorithm>

#include "compiler/base/errors.h"
#include "runtime/backend/reference/reference_memory.h"

namespace netc {
namespace {

bool is_fed(const Buffer& buffer) { return buffer.kind == BufferKind::input && buffer.alias_of == kNone; }

}  // namespace

void take_rows(const Program& program, const std::vector<int64_t>& rows, std::span<TowerView> towers) {
  if (rows.size() != towers.size()) throw InternalError("a step must give rows to each tower");
  int64_t first = 0;
  for (size_t tower = 0; tower < towers.size(); ++tower) {
    if (rows[tower] < 0 || rows[tower] > program.batch_capacity)
      throw InternalError("tower " + std::to_string(tower) + " holds at most " +
                          std::to_string(program.batch_capacity) + " rows, not " + std::to_string(rows[tower]));
    towers[tower].rows = rows[tower];
    towers[tower].first_row = first;
    first += rows[tower];
  }
}

InputFeed::InputFeed(const Program& program, Arithmetic arithmetic) : program_(program), arithmetic_(arithmetic) {
  for (const Buffer& buffer : program.buffers)
    if (is_fed(buffer)) row_.resize(std::max(row_.size(), static_cast<size_t>(buffer.rows.count * buffer.columns)));
}

void InputFeed::fill(const StepContext& context, std::span<const TowerView> towers) {
  for (size_t i = 0; i < program_.buffers.size(); ++i)
    if (is_fed(program_.buffers[i])) fill(context, towers, static_cast<BufferId>(i));
}

void InputFeed::fill(const StepContext& context, std::span<const TowerView> towers, BufferId id) {
  const Buffer& buffer = program_.buffers[static_cast<size_t>(id)];
  const bool as_fed = buffer.layout == Layout::row_major && arithmetic_ == Arithmetic::f32;
  for (size_t tower = 0; tower < towers.size(); ++tower) {
    void* memory = towers[tower].buffers[static_cast<size_t>(id)];
    if (towers[tower].rows == 0) continue;
    if (as_fed) {
      context.feed(id, static_cast<int>(tower), 0, towers[tower].rows, memory);
      continue;
    }
    // Rows come in the buffer's own type, row-major; here they are stored otherwise.
    Buffer fed = buffer;
    fed.layout = Layout::row_major;
    for (int64_t row = 0; row < towers[tower].rows; ++row) {
      context.feed(id, static_cast<int>(tower), row, row + 1, row_.data());
      for (int64_t r = 0; r < buffer.rows.count; ++r)
        for (int64_t c = 0; c < buffer.columns; ++c)
          write_element(buffer, arithmetic_, memory, row * buffer.rows.count + r, c,
                        read_element(fed, Arithmetic::f32, row_.data(), r, c));
    }
  }
}

}  // namespace netc
