#include "compiler/kernel/cuda/memory_access.h"

#include <algorithm>
#include <cmath>

#include "compiler/base/errors.h"

namespace netc::cuda {
namespace {

const Buffer& buffer_of(const Program& program, BufferId id) { return program.buffers[static_cast<size_t>(id)]; }

// Bytes of an arena that a buffer holds; arena 0: a place of its own.
struct Range {
  int arena = 0;
  int64_t begin = 0, end = 0;
};

Range range_of(const Program& program, BufferId root) {
  const Buffer& b = buffer_of(program, root);
  if (b.arena_offset == kNone || (b.kind != BufferKind::activation && b.kind != BufferKind::gradient)) return {};
  const int64_t bytes = allocated_elements(b, program.batch_capacity) * dtype_bytes(b.dtype);
  return {b.kind == BufferKind::activation ? 1 : 2, b.arena_offset, b.arena_offset + bytes};
}

}  // namespace

std::vector<Access> accesses(const Kernel& kernel) {
  std::vector<Access> all;
  for (const Phase& phase : kernel.phases) {
    const bool in_loop = !phase.loop.empty();
    const std::vector<bool> needed = needed_by_phase(kernel, phase);
    for (size_t i = 0; i < kernel.exprs.size(); ++i) {
      const Expr& e = kernel.exprs[i];
      if (needed[i] && e.op == ExprOp::load)
        all.push_back({e.buffer, &e.row, &e.column, static_cast<ExprId>(i), false, in_loop});
    }
    for (const Store& s : phase.stores) all.push_back({s.buffer, &s.row, &s.column, kNone, s.accumulate, in_loop});
  }
  return all;
}

int64_t step_along(const Program& program, const Access& access, AxisId axis) {
  const LinearPlace place = linear_place(program, access.buffer, *access.row, *access.column);
  const auto found = place.coefficients.find(axis);
  return found == place.coefficients.end() ? 0 : found->second;
}

bool gathered_varies(const std::vector<Dependence>& depends, const Access& access, AxisId axis) {
  for (const Index* index : {access.row, access.column})
    if (index->gathered != kNone && (depends[static_cast<size_t>(index->gathered)].axes & axis_bit(axis)) != 0)
      return true;
  return false;
}

bool may_overlap(const Program& program, BufferId a, BufferId b) {
  a = root_of(program, a);
  b = root_of(program, b);
  if (a == b) return true;
  const Range x = range_of(program, a), y = range_of(program, b);
  return x.arena != 0 && x.arena == y.arena && x.begin < y.end && y.begin < x.end;
}

std::vector<bool> reads_written_memory(const Kernel& kernel, const Program& program) {
  std::vector<bool> reads(kernel.exprs.size(), false);
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    const Expr& e = kernel.exprs[i];
    if (e.op == ExprOp::load)
      for (const Phase& phase : kernel.phases)
        for (const Store& s : phase.stores)
          if (may_overlap(program, s.buffer, e.buffer)) reads[i] = true;
    for_each_operand(e, [&](ExprId operand) {
      if (reads[static_cast<size_t>(operand)]) reads[i] = true;
    });
  }
  return reads;
}

bool fits_32_bits(const Kernel& kernel, const Program& program) {
  constexpr double kLimit = 2147483647.0 - (1 << 20);   // a last block may count some way beyond the end
  const int64_t rows = std::max<int64_t>(1, program.batch_capacity);
  const auto length = [&](AxisId axis) {
    return static_cast<double>(size_of(kernel.axes[static_cast<size_t>(axis)].extent, rows));
  };
  double points = 1;
  for (AxisId axis : kernel.parallel) points *= length(axis);
  if (points > kLimit) return false;
  for (const Phase& phase : kernel.phases) {
    double turns = 1;
    for (AxisId axis : phase.loop) turns *= length(axis);
    if (turns > kLimit) return false;
  }
  for (const Access& access : accesses(kernel)) {
    const LinearPlace place = linear_place(program, access.buffer, *access.row, *access.column);
    double reach = std::abs(static_cast<double>(place.offset));
    for (const auto& [axis, step] : place.coefficients) reach += std::abs(static_cast<double>(step)) * length(axis);
    if (reach > kLimit) return false;
  }
  return true;
}

Extent product_of(const Kernel& kernel, const std::vector<AxisId>& axes) {
  Extent product;
  for (AxisId axis : axes) {
    const Extent& extent = kernel.axes[static_cast<size_t>(axis)].extent;
    if (extent.times_batch && product.times_batch)
      throw InternalError("kernel " + kernel.name + " runs over the square of the batch");
    product.count *= extent.count;
    product.times_batch |= extent.times_batch;
  }
  return product;
}

int64_t size_of(const Extent& extent, int64_t rows) { return extent.times_batch ? extent.count * rows : extent.count; }

}  // namespace netc::cuda
