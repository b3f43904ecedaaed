#include "compiler/kernel/cuda/kept_values.h"

#include <algorithm>

#include "compiler/kernel/cuda/memory_access.h"

namespace netc::cuda {
namespace {

constexpr int64_t kMostTurns = 32;          // loop turns written out
constexpr int64_t kMostRegisters = 64;      // for kept values
constexpr int64_t kMostText = 1024;         // operations of all turns of one phase

class Chooser {
 public:
  Chooser(const BodyEmitter& body, const std::vector<bool>& reread)
      : body_(body), kernel_(body.kernel()), reread_(reread) {}

  KeptValues choose(int team) {
    // All phases that share the loop of the first one with a loop.
    for (const Phase& phase : kernel_.phases)
      if (!phase.loop.empty() && loop_.empty()) loop_ = phase.loop;
    const Extent all = product_of(kernel_, loop_);
    KeptValues values;
    values.turns = (all.count + team - 1) / team;
    if (loop_.empty() || all.times_batch || all.count == 0 || values.turns > kMostTurns) return {};
    for (AxisId axis : loop_) loop_axes_ |= axis_bit(axis);

    at_hand_.assign(kernel_.exprs.size(), false);     // may be kept: defined by some phase so far
    taken_.assign(kernel_.exprs.size(), false);
    for (const Phase& phase : kernel_.phases) {
      if (phase.loop != loop_) continue;
      const std::vector<bool> needed = needed_given(phase, at_hand_, [&](ExprId id) {
        if (!taken_[static_cast<size_t>(id)] && registers_ + values.turns > kMostRegisters) return false;
        if (!taken_[static_cast<size_t>(id)]) registers_ += values.turns;
        taken_[static_cast<size_t>(id)] = true;
        return true;
      });
      for (size_t i = 0; i < needed.size(); ++i)
        at_hand_[i] = at_hand_[i] || (needed[i] && may_keep(static_cast<ExprId>(i)));
    }
    if (registers_ == 0) return {};

    std::vector<bool> kept(kernel_.exprs.size(), false);
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      if (kernel_.phases[p].loop != loop_) continue;
      KeptPhase phase;
      phase.phase = p;
      phase.needed = needed_given(kernel_.phases[p], kept, [&](ExprId id) {
        phase.taken.push_back(id);
        return true;
      });
      for (ExprId id : phase.taken) phase.needed[static_cast<size_t>(id)] = true;   // named x<id> once more
      for (size_t i = 0; i < kept.size(); ++i)
        if (!kept[i] && taken_[i] && phase.needed[i]) {
          phase.fresh.push_back(static_cast<ExprId>(i));
          kept[i] = true;
        }
      int64_t text = 0;
      for (size_t i = 0; i < phase.needed.size(); ++i) text += phase.needed[i] ? weight(static_cast<ExprId>(i)) : 0;
      if (text * values.turns > kMostText) return {};
      if (!phase.fresh.empty() || !phase.taken.empty()) values.phases.push_back(std::move(phase));
    }
    return values;
  }

 private:
  bool may_keep(ExprId id) const {
    const Expr& e = body_.expr(id);
    if (reread_[static_cast<size_t>(id)] || body_.is_fused(id) || e.op == ExprOp::axis) return false;
    return (body_.depends()[static_cast<size_t>(id)].axes & loop_axes_) != 0;
  }

  static constexpr int64_t kHeavy = 12;
  int64_t weight(ExprId id) const {
    switch (body_.expr(id).op) {
      case ExprOp::constant: case ExprOp::scalar: case ExprOp::reduced: return 0;
      case ExprOp::exp: case ExprOp::log: case ExprOp::log1p: case ExprOp::expm1: case ExprOp::tanh: case ExprOp::erf:
      case ExprOp::div: case ExprOp::sqrt: case ExprOp::rsqrt: case ExprOp::reciprocal: return kHeavy;
      case ExprOp::sin: case ExprOp::cos: case ExprOp::pow: case ExprOp::random: return 4 * kHeavy;
      default: return 1;
    }
  }

  // What a phase needs where `stop` values are at hand; `take` is asked before one is used.
  template <typename Take>
  std::vector<bool> needed_given(const Phase& phase, const std::vector<bool>& stop, Take take) const {
    std::vector<bool> needed(kernel_.exprs.size(), false), wanted(kernel_.exprs.size(), false);
    const auto want = [&wanted](ExprId id) {
      if (id != kNone) wanted[static_cast<size_t>(id)] = true;
    };
    for (int32_t r : phase.reductions) want(kernel_.reductions[static_cast<size_t>(r)].value);
    for (const Store& s : phase.stores) {
      want(s.value);
      want(s.row.gathered);
      want(s.column.gathered);
    }
    for (size_t i = kernel_.exprs.size(); i-- > 0;) {
      if (!wanted[i]) continue;
      if (stop[i] && take(static_cast<ExprId>(i))) continue;
      needed[i] = true;
      for_each_operand(kernel_.exprs[i], want);
    }
    return needed;
  }

  const BodyEmitter& body_;
  const Kernel& kernel_;
  const std::vector<bool>& reread_;
  std::vector<AxisId> loop_;
  AxisSet loop_axes_ = 0;
  std::vector<bool> at_hand_, taken_;
  int64_t registers_ = 0;
};

}  // namespace

const KeptPhase* KeptValues::of(size_t phase) const {
  const auto found = std::find_if(phases.begin(), phases.end(), [&](const KeptPhase& p) { return p.phase == phase; });
  return found == phases.end() ? nullptr : &*found;
}

KeptValues choose_kept(const BodyEmitter& body, const std::vector<bool>& reread, int team) {
  return Chooser(body, reread).choose(team);
}

}  // namespace netc::cuda
