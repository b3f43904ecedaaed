// Interval arithmetic over the affine indices: each load and store lies inside its buffer for every number of rows.
//
// With the batch B symbolic an index reaches at most  constant + slope * B, and a buffer has  fixed  or  fixed * B  rows.
// Both are linear in B, so the bound holds for all B >= 1 if it holds at B = 1 and the index grows no faster.
// A gathered part is left to the run time, which checks every id.
#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

struct Reach {
  int64_t low = 0, high = 0;               // at B = 1
  int64_t low_slope = 0, high_slope = 0;   // per further row of the batch
};

Reach reach(const Index& index, const Kernel& kernel) {
  Reach r{index.offset, index.offset};
  for (const Index::Term& term : index.terms) {
    const Extent& extent = kernel.axes[static_cast<size_t>(term.axis)].extent;
    const int64_t last = term.coefficient * (extent.count - 1);
    const int64_t slope = extent.times_batch ? term.coefficient * extent.count : 0;
    (term.coefficient > 0 ? r.high : r.low) += last;
    (term.coefficient > 0 ? r.high_slope : r.low_slope) += slope;
  }
  return r;
}

void check(const Kernel& kernel, const Index& index, Extent size, const std::string& what, Faults& faults) {
  if (index.gathered != kNone) return;
  const Reach r = reach(index, kernel);
  if (r.low < 0 || r.low_slope < 0) faults.push_back(in_kernel(kernel, what + " begins below 0"));
  const int64_t size_slope = size.times_batch ? size.count : 0;
  if (r.high >= size.count || r.high_slope > size_slope)
    faults.push_back(in_kernel(kernel, what + " reaches " + std::to_string(r.high) +
                                           (r.high_slope ? " + " + std::to_string(r.high_slope) + "*(B-1)" : "") +
                                           " of " + std::to_string(size.count) + (size.times_batch ? "*B" : "")));
}

}  // namespace

void verify_bounds(const Program& program, Faults& faults) {
  for (const Kernel& kernel : program.kernels) {
    const auto check_place = [&](BufferId id, const Index& row, const Index& column, const std::string& verb) {
      const Buffer& b = program.buffers[static_cast<size_t>(id)];
      check(kernel, row, b.rows, verb + b.name + ": the row", faults);
      check(kernel, column, {b.columns, false}, verb + b.name + ": the column", faults);
    };
    for (const Expr& e : kernel.exprs)
      if (e.op == ExprOp::load) check_place(e.buffer, e.row, e.column, "load of ");
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores) check_place(store.buffer, store.row, store.column, "store to ");
  }
}

}  // namespace netc
