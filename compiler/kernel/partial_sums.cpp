#include "compiler/kernel/partial_sums.h"

#include <algorithm>

#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

// Of two values that are stored in one place, added, or chosen between.
Share join(Share a, Share b) {
  if (a == Share::zero) return b;
  if (b == Share::zero || a == b) return a;
  return Share::broken;
}

Share product(Share a, Share b) {
  if (a == Share::broken || b == Share::broken) return Share::broken;
  if (a == Share::zero || b == Share::zero) return Share::zero;
  if (a == Share::whole) return b;
  return b == Share::whole ? a : Share::broken;
}

// The shares of a kernel's expressions, given those of the buffers it loads.
class KernelShares {
 public:
  KernelShares(const Program& program, const Kernel& kernel, const std::vector<Share>& loads)
      : program_(program), kernel_(kernel), loads_(loads), over_batch_(kernel.reductions.size(), 0) {
    for (const Phase& phase : kernel.phases)
      for (int32_t r : phase.reductions) over_batch_[static_cast<size_t>(r)] = loops_over_batch(phase);
    // Reductions name expressions that stand before the values they give, phase by phase: once in order is enough,
    // except that tidied kernels may number a `reduced` before its operands.
    shares_.assign(kernel.exprs.size(), Share::zero);
    for (size_t round = 0; round <= kernel.phases.size(); ++round)
      for (size_t i = 0; i < kernel.exprs.size(); ++i) shares_[i] = share_of(kernel.exprs[i]);
  }

  Share of_store(const Phase& phase, const Store& store) const {
    const Share value = at(store.value);
    if (!store.accumulate || !loops_over_batch(phase)) return value;
    return value == Share::zero || value == Share::whole ? Share::summand : Share::broken;
  }

 private:
  bool loops_over_batch(const Phase& phase) const {
    return std::any_of(phase.loop.begin(), phase.loop.end(),
                       [&](AxisId axis) { return kernel_.axes[static_cast<size_t>(axis)].extent.times_batch; });
  }

  Share at(ExprId id) const { return shares_[static_cast<size_t>(id)]; }

  Share share_of(const Expr& e) const {
    switch (e.op) {
      case ExprOp::constant: return e.value == 0 ? Share::zero : Share::whole;
      case ExprOp::load: return loads_[static_cast<size_t>(root_of(program_, e.buffer))];
      case ExprOp::reduced: return of_reduction(e.slot);
      case ExprOp::neg: return at(e.args[0]);
      case ExprOp::cast: return is_floating(e.type) || at(e.args[0]) != Share::summand ? at(e.args[0]) : Share::broken;
      case ExprOp::add:
      case ExprOp::sub: return join(at(e.args[0]), at(e.args[1]));
      case ExprOp::mul: return product(at(e.args[0]), at(e.args[1]));
      case ExprOp::div: return at(e.args[1]) == Share::summand ? Share::broken : product(at(e.args[0]), Share::whole);
      case ExprOp::select:
        if (at(e.args[0]) != Share::whole && at(e.args[0]) != Share::zero) return Share::broken;
        return join(at(e.args[1]), at(e.args[2]));
      default: break;
    }
    for (int i = 0; i < arity(e.op); ++i)
      if (at(e.args[i]) == Share::summand || at(e.args[i]) == Share::broken) return Share::broken;
    return Share::whole;
  }

  Share of_reduction(int64_t number) const {
    const Reduction& reduction = kernel_.reductions[static_cast<size_t>(number)];
    const Share value = at(reduction.value);
    const bool over_batch = over_batch_[static_cast<size_t>(number)] != 0;
    if (reduction.combine != Combine::sum) return over_batch || value == Share::summand ? Share::broken : Share::whole;
    if (!over_batch) return value;
    return value == Share::whole || value == Share::zero ? Share::summand : Share::broken;
  }

  const Program& program_;
  const Kernel& kernel_;
  const std::vector<Share>& loads_;
  std::vector<char> over_batch_;   // by reduction
  std::vector<Share> shares_;      // by expression
};

bool may_hold_summands(const Buffer& buffer) {
  return buffer.kind == BufferKind::gradient || buffer.kind == BufferKind::result;
}

class Completion {
 public:
  explicit Completion(const Program& program) : program_(program) {
    sums_.completed.assign(program.buffers.size(), 0);
    for (const Kernel& kernel : program.kernels) uses_.push_back(memory_uses(program, kernel));
  }

  PartialSums find() {
    while (pass()) {
    }
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      const size_t root = static_cast<size_t>(root_of(program_, static_cast<BufferId>(i)));
      sums_.shares[i] = sums_.shares[root];
      if (program_.buffers[i].kind == BufferKind::result && sums_.shares[i] == Share::summand) sums_.completed[root] = 1;
    }
    // What was marked before something it is made of was: it is whole by itself.
    for (size_t i = 0; i < sums_.completed.size(); ++i)
      if (sums_.shares[i] != Share::summand) sums_.completed[i] = 0;
    return std::move(sums_);
  }

 private:
  // Walks the steps with what is known to be completed. True if more turned out to be, so that all must be seen again.
  bool pass() {
    sums_.shares.assign(program_.buffers.size(), Share::whole);
    for (size_t i = 0; i < program_.buffers.size(); ++i)
      if (is_temporary(program_.buffers[i])) sums_.shares[i] = Share::zero;
    sums_.makes.assign(program_.kernels.size(), 0);
    sums_.faults.clear();
    bool again = false;
    for (const Step& step : program_.steps) {
      if (take(step.kernel)) continue;
      bool more = complete_inputs(step.kernel);
      // The kernel itself may be sound, but another one stored what does not go with it in the same buffer.
      if (!more) more = complete_fellow_writers(step.kernel);
      again = again || more;
      if (!more)
        sums_.faults.push_back(in_kernel(program_.kernels[static_cast<size_t>(step.kernel)],
                                         "makes something of the rows of one tower that no sum over the towers completes"));
      else take(step.kernel);   // with what it reads completed, so that one walk finds most
    }
    return again;
  }

  bool complete_fellow_writers(int32_t kernel) {
    bool any = false;
    for (const MemoryUse& use : uses_[static_cast<size_t>(kernel)])
      for (size_t other = 0; use.writes && other < uses_.size(); ++other)
        for (const MemoryUse& theirs : uses_[other])
          if (theirs.root == use.root && theirs.writes) any = complete_inputs(static_cast<int32_t>(other)) || any;
    return any;
  }

  // What kernels see of the buffers now: those completed are whole.
  std::vector<Share> loads() const {
    std::vector<Share> seen = sums_.shares;
    for (size_t i = 0; i < seen.size(); ++i)
      if (sums_.completed[i]) seen[i] = Share::whole;
    return seen;
  }

  // Adds what the kernel stores to the shares of buffers; false if it may not store that.
  bool take(int32_t id) {
    // Again while it changes: a later phase may load what an earlier one stores.
    for (bool changed = true; changed;)
      if (!store_all(id, changed)) return false;
    return true;
  }

  bool store_all(int32_t id, bool& changed) {
    const Kernel& kernel = program_.kernels[static_cast<size_t>(id)];
    const KernelShares shares(program_, kernel, loads());
    Share all = Share::zero;
    changed = false;
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores) {
        const Share share = shares.of_store(phase, store);
        Share& known = sums_.shares[static_cast<size_t>(root_of(program_, store.buffer))];
        all = join(all, share);
        const Share both = join(known, share);
        if (all == Share::broken || both == Share::broken) return false;
        if (share == Share::summand && (parallel_over_batch(kernel) || !may_hold_summands(program_.buffers[static_cast<size_t>(store.buffer)])))
          return false;
        changed = changed || both != known;
        known = both;
      }
    sums_.makes[static_cast<size_t>(id)] = all == Share::summand;
    return true;
  }

  bool complete_inputs(int32_t kernel) {
    bool any = false;
    for (const MemoryUse& use : uses_[static_cast<size_t>(kernel)]) {
      const auto root = static_cast<size_t>(use.root);
      if (!use.reads || use.writes || sums_.shares[root] != Share::summand || sums_.completed[root]) continue;
      sums_.completed[root] = 1;
      any = true;
    }
    return any;
  }

  const Program& program_;
  PartialSums sums_;
  std::vector<std::vector<MemoryUse>> uses_;   // by kernel
};

}  // namespace

PartialSums find_partial_sums(const Program& program) { return Completion(program).find(); }

}  // namespace netc
