#include "compiler/kernel/cuda/kernel_form.h"

#include <algorithm>

#include "compiler/kernel/cuda/memory_access.h"

namespace netc::cuda {
namespace {

constexpr int64_t kAssumedRows = 64;        // of a batch, where a size must be guessed: never the capacity, so that the
                                            // same net gives the same text for every batch size
constexpr int64_t kLongestWarpRow = 1024;
constexpr int64_t kShortLoop = 4;           // not worth a team
constexpr int64_t kManyPoints = 16384;      // enough threads without teams

class Chooser {
 public:
  Chooser(const Kernel& kernel, const Program& program)
      : kernel_(kernel), program_(program), depends_(dependences(kernel)), accesses_(accesses(kernel)) {}

  KernelForm choose() const {
    KernelForm form;
    order_points(form);
    form.points = product_of(kernel_, kernel_.parallel);
    form.wide = !fits_32_bits(kernel_, program_);
    if (match_matrix_product(kernel_, nullptr)) {
      form.form = Form::product;
    } else if (longest_loop() == 0) {
      form.form = Form::pointwise;
      form.quads = has_quads(form.lane);
    } else {
      choose_team(form);
    }
    return form;
  }

 private:
  const Axis& axis(AxisId id) const { return kernel_.axes[static_cast<size_t>(id)]; }

  // Contiguous accesses along an axis, less scattered ones.
  int score(AxisId along, bool loops_only) const {
    int total = 0;
    for (const Access& access : accesses_) {
      if (loops_only && !access.in_loop) continue;
      const int weight = access.load == kNone ? 2 : 1;
      if (gathered_varies(depends_, access, along)) total -= weight;
      else if (const int64_t step = step_along(program_, access, along); step == 1) total += weight;
      else if (step != 0) total -= weight;
    }
    return total;
  }

  void order_points(KernelForm& form) const {
    form.order = kernel_.parallel;
    if (form.order.empty()) return;
    AxisId best = form.order.back();
    for (AxisId candidate : form.order)
      if (axis(candidate).extent != Extent{1, false} && score(candidate, false) > score(best, false)) best = candidate;
    std::erase(form.order, best);
    form.order.push_back(best);
    form.lane = best;
  }

  int64_t longest_loop() const {
    int64_t longest = 0;
    for (const Phase& phase : kernel_.phases)
      if (!phase.loop.empty()) longest = std::max(longest, size_of(product_of(kernel_, phase.loop), kAssumedRows));
    return longest;
  }

  bool accumulates_in_loops() const {
    return std::any_of(accesses_.begin(), accesses_.end(), [](const Access& a) { return a.accumulates && a.in_loop; });
  }

  // One phase that does nothing but add to rows that ids name: rows of the target can be dealt out.
  bool is_scatter() const {
    if (kernel_.phases.size() != 1 || !kernel_.reductions.empty()) return false;
    const std::vector<Store>& stores = kernel_.phases[0].stores;
    return std::all_of(stores.begin(), stores.end(),
                       [](const Store& s) { return s.accumulate && s.row.gathered != kNone; });
  }

  void choose_team(KernelForm& form) const {
    if (accumulates_in_loops()) {
      form.form = is_scatter() ? Form::scatter : Form::solo;
      return;
    }
    const int64_t longest = longest_loop(), points = size_of(form.points, kAssumedRows);
    int by_loop = 0;
    for (const Phase& phase : kernel_.phases)
      if (!phase.loop.empty()) by_loop = std::max(by_loop, score(phase.loop.back(), true));
    const int by_point = form.lane == kNone ? 0 : score(form.lane, true);
    if (longest <= kShortLoop) return;   // solo
    if (by_point > by_loop && points > 1) {
      if (points >= kManyPoints) return;
      form.form = Form::columns;
      form.team = points <= 256 ? 32 : 8;
      form.threads = form.team * 32;
      return;
    }
    const bool fixed = std::all_of(kernel_.phases.begin(), kernel_.phases.end(), [&](const Phase& phase) {
      return !product_of(kernel_, phase.loop).times_batch;
    });
    form.form = points > 1 && longest <= kLongestWarpRow ? Form::warp : Form::block;
    if (form.form == Form::block) form.threads = points == 1 && (!fixed || longest > 4096) ? 1024 : 256;
    form.team = form.form == Form::warp ? 32 : form.threads;
  }

  bool has_quads(AxisId lane) const {
    if (lane == kNone || axis(lane).extent.times_batch || axis(lane).extent.count % 4 != 0) return false;
    int quads = 0, others = 0;
    for (const Access& access : accesses_) {
      if (step_along(program_, access, lane) == 0 && !gathered_varies(depends_, access, lane)) continue;
      const bool quad = !access.accumulates &&
                        is_quad(kernel_, program_, depends_, access.buffer, *access.row, *access.column, lane);
      (quad ? quads : others) += access.load == kNone ? 2 : 1;
    }
    return quads > others;
  }

  const Kernel& kernel_;
  const Program& program_;
  const std::vector<Dependence> depends_;
  const std::vector<Access> accesses_;
};

}  // namespace

KernelForm choose_form(const Kernel& kernel, const Program& program) { return Chooser(kernel, program).choose(); }

bool is_quad(const Kernel& kernel, const Program& program, const std::vector<Dependence>& depends, BufferId buffer,
             const Index& row, const Index& column, AxisId lane) {
  const Extent& extent = kernel.axes[static_cast<size_t>(lane)].extent;
  if (extent.times_batch || extent.count % 4 != 0) return false;
  const Access access{buffer, &row, &column};
  if (gathered_varies(depends, access, lane)) return false;
  const LinearPlace place = linear_place(program, buffer, row, column);
  if (place.offset % 4 != 0) return false;
  // A gathered row may turn out to be any row.
  if (column.gathered != kNone) return false;
  if (row.gathered != kNone && program.buffers[static_cast<size_t>(buffer)].columns % 4 != 0) return false;
  for (const auto& [axis, step] : place.coefficients)
    if (axis == lane ? step != 1 : step % 4 != 0) return false;
  return place.coefficients.count(lane) != 0;
}

}  // namespace netc::cuda
