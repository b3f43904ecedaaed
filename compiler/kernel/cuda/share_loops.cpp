#include "compiler/kernel/cuda/share_loops.h"

#include <algorithm>
#include <numeric>

#include "compiler/kernel/analysis.h"

namespace netc::cuda {
namespace {

bool same_extents(const Kernel& kernel, const std::vector<AxisId>& a, const std::vector<AxisId>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](AxisId x, AxisId y) {
    return kernel.axes[static_cast<size_t>(x)].extent == kernel.axes[static_cast<size_t>(y)].extent;
  });
}

class Renaming {
 public:
  explicit Renaming(const Kernel& kernel) : kernel_(kernel), axis_(kernel.axes.size()) {
    std::iota(axis_.begin(), axis_.end(), 0);
    for (size_t p = 0; p < kernel.phases.size(); ++p) {
      const std::vector<AxisId>& loop = kernel.phases[p].loop;
      for (size_t q = 0; q < p; ++q) {
        if (loop.empty() || !same_extents(kernel, loop, kernel.phases[q].loop)) continue;
        for (size_t i = 0; i < loop.size(); ++i)
          axis_[static_cast<size_t>(loop[i])] = axis_[static_cast<size_t>(kernel.phases[q].loop[i])];
        break;
      }
    }
  }

  AxisId operator()(AxisId axis) const { return axis_[static_cast<size_t>(axis)]; }

  Index operator()(Index index, const std::vector<ExprId>& renamed) const {
    for (Index::Term& term : index.terms) term.axis = (*this)(term.axis);
    std::sort(index.terms.begin(), index.terms.end(), [](const auto& a, const auto& b) { return a.axis < b.axis; });
    if (index.gathered != kNone) index.gathered = renamed[static_cast<size_t>(index.gathered)];
    return index;
  }

 private:
  const Kernel& kernel_;
  std::vector<AxisId> axis_;
};

}  // namespace

Kernel share_loops(const Kernel& kernel) {
  const Renaming rename(kernel);
  Kernel result = kernel;
  result.exprs.clear();
  std::vector<ExprId> renamed;
  for (Expr e : kernel.exprs) {
    for (int i = 0; i < arity(e.op); ++i) e.args[i] = renamed[static_cast<size_t>(e.args[i])];
    if (e.op == ExprOp::axis) e.slot = rename(static_cast<AxisId>(e.slot));
    e.row = rename(e.row, renamed);
    e.column = rename(e.column, renamed);
    const auto known = std::find(result.exprs.begin(), result.exprs.end(), e);
    if (known == result.exprs.end()) renamed.push_back(result.add(e));
    else renamed.push_back(static_cast<ExprId>(known - result.exprs.begin()));
  }
  for (Reduction& r : result.reductions) r.value = renamed[static_cast<size_t>(r.value)];
  for (Phase& phase : result.phases) {
    for (AxisId& axis : phase.loop) axis = rename(axis);
    for (Store& s : phase.stores) {
      s.value = renamed[static_cast<size_t>(s.value)];
      s.row = rename(s.row, renamed);
      s.column = rename(s.column, renamed);
    }
  }
  return result;
}

}  // namespace netc::cuda
