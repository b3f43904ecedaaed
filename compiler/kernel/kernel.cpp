#include "compiler/kernel/kernel.h"

#include <algorithm>

namespace netc {
namespace {

bool any_times_batch(const Kernel& kernel, const std::vector<AxisId>& axes) {
  return std::any_of(axes.begin(), axes.end(),
                     [&](AxisId axis) { return kernel.axes[static_cast<size_t>(axis)].extent.times_batch; });
}

// The axis an index is, if it is nothing but that axis.
AxisId plain_axis(const Index& index) {
  const bool plain = index.offset == 0 && index.gathered == kNone && index.terms.size() == 1 &&
                     index.terms[0].coefficient == 1;
  return plain ? index.terms[0].axis : kNone;
}

bool is_load_of(const Kernel& kernel, ExprId id, AxisId x, AxisId y) {
  const Expr& e = kernel.exprs[static_cast<size_t>(id)];
  if (e.op != ExprOp::load || e.type != DType::f32) return false;
  const AxisId row = plain_axis(e.row), column = plain_axis(e.column);
  return (row == x && column == y) || (row == y && column == x);
}

}  // namespace

bool loops_over_batch(const Kernel& kernel) {
  return std::any_of(kernel.phases.begin(), kernel.phases.end(),
                     [&](const Phase& phase) { return any_times_batch(kernel, phase.loop); });
}

bool parallel_over_batch(const Kernel& kernel) { return any_times_batch(kernel, kernel.parallel); }

bool match_matrix_product(const Kernel& kernel, MatrixProduct* product) {
  if (kernel.parallel.size() != 2 || kernel.reductions.size() != 1 || kernel.phases.size() < 2) return false;
  const Phase& first = kernel.phases.front();
  if (first.loop.size() != 1 || first.reductions.size() != 1 || !first.stores.empty()) return false;

  const Store* output = nullptr;
  for (size_t i = 1; i < kernel.phases.size(); ++i) {
    if (!kernel.phases[i].loop.empty()) return false;
    if (output == nullptr && !kernel.phases[i].stores.empty()) output = &kernel.phases[i].stores.front();
  }
  if (output == nullptr) return false;

  const Reduction& reduction = kernel.reductions[static_cast<size_t>(first.reductions[0])];
  const Expr& value = kernel.exprs[static_cast<size_t>(reduction.value)];
  if (reduction.combine != Combine::sum || value.op != ExprOp::mul || value.type != DType::f32) return false;

  MatrixProduct found;
  found.lane = plain_axis(output->column);
  if (found.lane == kernel.parallel[0]) found.row = kernel.parallel[1];
  else if (found.lane == kernel.parallel[1]) found.row = kernel.parallel[0];
  else return false;
  found.reduced = first.loop[0];

  found.a = value.args[0];
  found.b = value.args[1];
  if (!is_load_of(kernel, found.a, found.row, found.reduced)) std::swap(found.a, found.b);
  if (!is_load_of(kernel, found.a, found.row, found.reduced)) return false;
  if (!is_load_of(kernel, found.b, found.reduced, found.lane)) return false;
  if (product != nullptr) *product = found;
  return true;
}

}  // namespace netc
