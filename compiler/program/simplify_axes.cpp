#include "compiler/program/simplify_axes.h"

#include <algorithm>

#include "compiler/program/affine.h"
#include "compiler/program/expr_copy.h"

namespace netc {

namespace {

template <class Visit>
void for_each_index(const Kernel& kernel, Visit visit) {
  for (const Expr& e : kernel.exprs) {
    if (e.op == ExprOp::load || e.op == ExprOp::random) {
      visit(e.row);
      visit(e.column);
    }
  }
  for (const Phase& phase : kernel.phases) {
    for (const Store& store : phase.stores) {
      visit(store.row);
      visit(store.column);
    }
  }
}

// Rebuilds the kernel with each old axis replaced by an index over `axes`; lists name the axes that stay, in order.
Kernel remap(const Kernel& kernel, std::vector<Axis> axes, const std::vector<Index>& axis_map,
             const std::vector<AxisId>& new_number) {
  Kernel result;
  result.name = kernel.name;
  result.spans = kernel.spans;
  result.axes = std::move(axes);
  const auto kept = [&](const std::vector<AxisId>& list) {
    std::vector<AxisId> out;
    for (AxisId axis : list)
      if (new_number[static_cast<size_t>(axis)] != kNone) out.push_back(new_number[static_cast<size_t>(axis)]);
    return out;
  };
  result.parallel = kept(kernel.parallel);
  ExprCopier copier(kernel, result, axis_map);
  for (const Reduction& reduction : kernel.reductions)
    result.reductions.push_back({reduction.combine, copier.copy(reduction.value)});
  for (const Phase& phase : kernel.phases) {
    Phase out{kept(phase.loop), phase.reductions, {}};
    for (const Store& store : phase.stores)
      out.stores.push_back({store.buffer, copier.copy(store.row), copier.copy(store.column), copier.copy(store.value),
                            store.accumulate});
    result.phases.push_back(std::move(out));
  }
  return result;
}

void drop_unit_axes(Kernel& kernel) {
  std::vector<Axis> axes;
  std::vector<Index> axis_map;
  std::vector<AxisId> number;
  for (const Axis& axis : kernel.axes) {
    if (axis.extent == Extent{1, false}) {
      axis_map.push_back(index_constant(0));
      number.push_back(kNone);
    } else {
      axis_map.push_back(index_of_axis(static_cast<AxisId>(axes.size())));
      number.push_back(static_cast<AxisId>(axes.size()));
      axes.push_back(axis);
    }
  }
  if (axes.size() != kernel.axes.size()) kernel = remap(kernel, std::move(axes), axis_map, number);
}

// Whether `inner` directly below `outer` always stands as outer * extent(inner) + inner, or neither occurs.
bool mergeable(const Kernel& kernel, AxisId outer, AxisId inner) {
  const Extent& extent = kernel.axes[static_cast<size_t>(inner)].extent;
  if (extent.times_batch) return false;
  for (const Expr& e : kernel.exprs)
    if (e.op == ExprOp::axis && (e.slot == outer || e.slot == inner)) return false;
  bool fits = true;
  for_each_index(kernel, [&](const Index& index) {
    fits &= coefficient_of(index, outer) == coefficient_of(index, inner) * extent.count;
  });
  return fits;
}

bool merge_one_pair(Kernel& kernel) {
  const auto try_list = [&](const std::vector<AxisId>& list) {
    for (size_t i = 0; i + 1 < list.size(); ++i) {
      const AxisId outer = list[i], inner = list[i + 1];
      if (!mergeable(kernel, outer, inner)) continue;
      std::vector<Axis> axes = kernel.axes;
      const Extent merged{kernel.axes[outer].extent.count * kernel.axes[inner].extent.count,
                          kernel.axes[outer].extent.times_batch};
      axes[static_cast<size_t>(outer)].extent = merged;
      std::vector<Index> axis_map;
      std::vector<AxisId> number;
      AxisId next = 0;
      for (AxisId axis = 0; axis < static_cast<AxisId>(axes.size()); ++axis) {
        if (axis == inner) {
          axis_map.push_back(index_constant(0));   // outer alone now counts both
          number.push_back(kNone);
        } else {
          axis_map.push_back(index_of_axis(next));
          number.push_back(next++);
        }
      }
      axes.erase(axes.begin() + inner);
      // The merged axis takes the inner coefficient: rescale before the inner one disappears.
      Kernel rescaled = kernel;
      const auto rescale = [&](Index& index) {
        for (Index::Term& term : index.terms)
          if (term.axis == outer) term.coefficient = coefficient_of(index, inner);
      };
      for (Expr& e : rescaled.exprs) {
        rescale(e.row);
        rescale(e.column);
      }
      for (Phase& phase : rescaled.phases) {
        for (Store& store : phase.stores) {
          rescale(store.row);
          rescale(store.column);
        }
      }
      kernel = remap(rescaled, std::move(axes), axis_map, number);
      return true;
    }
    return false;
  };
  if (try_list(kernel.parallel)) return true;
  for (const Phase& phase : kernel.phases)
    if (try_list(phase.loop)) return true;
  return false;
}

// A reduction whose loop has lost all its axes folds one value: it is that value, and needs no phase.
void drop_single_reductions(Kernel& kernel) {
  std::vector<bool> single(kernel.reductions.size(), false);
  for (Phase& phase : kernel.phases) {
    if (!phase.loop.empty()) continue;
    for (int32_t r : phase.reductions) single[static_cast<size_t>(r)] = true;
    phase.reductions.clear();
  }
  std::vector<int32_t> number(single.size(), kNone);
  std::vector<Reduction> kept;
  for (size_t r = 0; r < single.size(); ++r) {
    if (single[r]) continue;
    number[r] = static_cast<int32_t>(kept.size());
    kept.push_back(kernel.reductions[r]);
  }
  if (kept.size() == single.size()) return;

  std::vector<ExprId> stands_for(kernel.exprs.size());   // values stand before the results of their reductions
  const auto redirect = [&](ExprId& id) {
    if (id != kNone) id = stands_for[static_cast<size_t>(id)];
  };
  for (size_t i = 0; i < kernel.exprs.size(); ++i) {
    Expr& e = kernel.exprs[i];
    stands_for[i] = static_cast<ExprId>(i);
    for (ExprId& arg : e.args) redirect(arg);
    redirect(e.row.gathered);
    redirect(e.column.gathered);
    if (e.op != ExprOp::reduced) continue;
    const auto r = static_cast<size_t>(e.slot);
    if (single[r]) stands_for[i] = stands_for[static_cast<size_t>(kernel.reductions[r].value)];
    else e.slot = number[r];
  }
  for (Reduction& reduction : kept) redirect(reduction.value);
  kernel.reductions = std::move(kept);
  for (Phase& phase : kernel.phases) {
    for (int32_t& r : phase.reductions) r = number[static_cast<size_t>(r)];
    for (Store& store : phase.stores) {
      redirect(store.value);
      redirect(store.row.gathered);
      redirect(store.column.gathered);
    }
  }
  std::erase_if(kernel.phases, [](const Phase& phase) { return phase.reductions.empty() && phase.stores.empty(); });
}

}  // namespace

void simplify_axes(Kernel& kernel) {
  drop_unit_axes(kernel);
  drop_single_reductions(kernel);
  while (merge_one_pair(kernel)) {
  }
  tidy_exprs(kernel);
}

}  // namespace netc
