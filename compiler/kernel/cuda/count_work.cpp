#include "compiler/kernel/cuda/count_work.h"

#include <map>
#include <set>
#include <utility>

#include "compiler/kernel/cuda/memory_access.h"

namespace netc::cuda {
namespace {

RowCount count_of(const Extent& extent, int64_t times = 1) {
  return extent.times_batch ? RowCount{0, extent.count * times} : RowCount{extent.count * times, 0};
}

Extent extent_of(const Kernel& kernel, AxisSet axes) {
  std::vector<AxisId> list;
  for (size_t i = 0; i < kernel.axes.size(); ++i)
    if ((axes & axis_bit(static_cast<AxisId>(i))) != 0) list.push_back(static_cast<AxisId>(i));
  return product_of(kernel, list);
}

RowCount count_bytes(const Kernel& kernel, const Program& program) {
  const std::vector<Dependence> depends = dependences(kernel);
  struct Touched {
    Extent elements;
    int64_t bytes = 0;
  };
  // By memory and by the place's steps: the same elements read twice count once.
  std::map<std::pair<BufferId, std::pair<bool, std::vector<std::pair<int64_t, int64_t>>>>, Touched> touched;
  for (const Access& access : accesses(kernel)) {
    const LinearPlace place = linear_place(program, access.buffer, *access.row, *access.column);
    AxisSet axes = 0;
    std::vector<std::pair<int64_t, int64_t>> steps{{place.offset, place.gathered}};
    for (const auto& [axis, step] : place.coefficients) {
      axes |= axis_bit(axis);
      steps.push_back({step, kernel.axes[static_cast<size_t>(axis)].extent.count});
    }
    if (place.gathered != kNone) axes |= depends[static_cast<size_t>(place.gathered)].axes;
    const Buffer& buffer = program.buffers[static_cast<size_t>(access.buffer)];
    Extent elements = extent_of(kernel, axes), whole = buffer.rows;
    whole.count *= buffer.columns;
    if (place.gathered == kNone && whole.times_batch == elements.times_batch && whole.count < elements.count)
      elements = whole;
    const BufferId root = root_of(program, access.buffer);
    const bool writes = access.load == kNone;
    const int64_t bytes = dtype_bytes(buffer.dtype) * (access.accumulates ? 2 : 1);
    touched.emplace(std::pair{root, std::pair{writes, std::move(steps)}}, Touched{elements, bytes});
  }
  RowCount total;
  for (const auto& [key, one] : touched) total += count_of(one.elements, one.bytes);
  return total;
}

RowCount count_flops(const Kernel& kernel) {
  const std::vector<Dependence> depends = dependences(kernel);
  AxisSet parallel = 0;
  for (AxisId axis : kernel.parallel) parallel |= axis_bit(axis);
  RowCount total;
  std::vector<bool> counted(kernel.exprs.size(), false);
  for (const Phase& phase : kernel.phases) {
    const std::vector<bool> needed = needed_by_phase(kernel, phase);
    for (size_t i = 0; i < needed.size(); ++i) {
      const Expr& e = kernel.exprs[i];
      if (!needed[i] || counted[i] || e.type != DType::f32 || e.op < ExprOp::neg || e.op > ExprOp::pow) continue;
      counted[i] = true;
      total += count_of(extent_of(kernel, depends[i].axes | (depends[i].reductions != 0 ? parallel : 0)));
    }
    AxisSet loops = parallel;
    for (AxisId axis : phase.loop) loops |= axis_bit(axis);
    const int64_t folds = static_cast<int64_t>(phase.reductions.size());
    total += count_of(extent_of(kernel, loops), folds);
    for (const Store& s : phase.stores)
      if (s.accumulate) total += count_of(extent_of(kernel, loops));
  }
  return total;
}

}  // namespace

Work count_work(const Kernel& kernel, const Program& program) {
  return {count_bytes(kernel, program), count_flops(kernel)};
}

}  // namespace netc::cuda
