// The order of steps: who may run beside whom, and that nothing is read before it is made.
#include <algorithm>
#include <map>

#include "compiler/kernel/library_product.h"
#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

const Kernel& kernel_of(const Program& program, const Step& step) {
  return program.kernels[static_cast<size_t>(step.kernel)];
}

const std::string& name_of(const Program& program, BufferId id) { return program.buffers[static_cast<size_t>(id)].name; }

void verify_scope(const Program& program, const Step& step, Faults& faults) {
  const Kernel& kernel = kernel_of(program, step);
  const bool joint = step.scope != StepScope::each_tower;
  if (joint && parallel_over_batch(kernel)) faults.push_back(in_kernel(kernel, "is parallel over the batch but joint"));
  if (!joint && loops_over_batch(kernel)) faults.push_back(in_kernel(kernel, "loops over the batch on each tower alone"));
  if (step.scope == StepScope::replicated && loops_over_batch(kernel))
    faults.push_back(in_kernel(kernel, "loops over the rows of one tower but should make the same on all"));
  const std::vector<Dependence> depends = dependences(kernel);
  AxisSet batch = 0;
  for (size_t a = 0; a < kernel.axes.size(); ++a)
    if (kernel.axes[a].extent.times_batch) batch |= axis_bit(static_cast<AxisId>(a));
  const auto check = [&](BufferId id, const Index& row, const std::string& verb) {
    const Buffer& b = program.buffers[static_cast<size_t>(id)];
    if (joint && is_per_tower(b) && !(dependence(row, depends).axes & batch))
      faults.push_back(in_kernel(kernel, verb + b.name + " of no particular tower"));
  };
  for (const Expr& e : kernel.exprs)
    if (e.op == ExprOp::load) check(e.buffer, e.row, "loads ");
  for (const Phase& phase : kernel.phases)
    for (const Store& store : phase.stores) {
      check(store.buffer, store.row, "stores ");
      if (!joint && !is_per_tower(program.buffers[static_cast<size_t>(store.buffer)]))
        faults.push_back(in_kernel(kernel, "every tower stores to " + name_of(program, store.buffer) + ", which they share"));
    }
}

// A step that another one's launch does is the column sums of that product's operand, in the same stage and scope.
void verify_with(const Program& program, const Step& step, Faults& faults) {
  if (step.with == kNone) return;
  const Kernel& kernel = kernel_of(program, step);
  const bool known = step.with >= 0 && step.with < static_cast<int32_t>(program.kernels.size());
  if (!known || !is_column_sum_of(kernel, program.kernels[static_cast<size_t>(step.with)]))
    return faults.push_back(in_kernel(kernel, "goes with a kernel that cannot make its sums"));
  for (const Step& other : program.steps)
    if (other.kernel == step.with && (other.stage != step.stage || other.scope != step.scope || other.with != kNone))
      faults.push_back(in_kernel(kernel, "goes with " + kernel_of(program, other).name + " of another stage or scope"));
}

// Steps of one stage run at once: none touches what another writes. Parts of one temporary, which verify_stores has
// shown to be disjoint, may be written side by side.
void verify_races(const Program& program, const std::vector<std::vector<MemoryUse>>& uses, Faults& faults) {
  for (size_t first = 0; first < program.steps.size();) {
    size_t end = first;
    while (end < program.steps.size() && program.steps[end].stage == program.steps[first].stage) ++end;
    std::map<BufferId, std::vector<size_t>> users;
    for (size_t s = first; s < end; ++s)
      for (size_t u = 0; u < uses[s].size(); ++u) users[uses[s][u].root].push_back(s);
    for (const auto& [root, steps] : users) {
      if (steps.size() < 2) continue;
      size_t writers = 0;
      bool reads = false, accumulates = false;
      for (size_t s : steps)
        for (const MemoryUse& use : uses[s])
          if (use.root == root) {
            writers += use.writes;
            reads |= use.reads;
            accumulates |= use.accumulates;
          }
      if (writers == 0) continue;
      const bool parts = !reads && !accumulates && is_temporary(program.buffers[static_cast<size_t>(root)]);
      if (!parts)
        faults.push_back("stage " + std::to_string(program.steps[first].stage) + ": " + name_of(program, root) +
                         " is written by one step and touched by another");
    }
    first = end;
  }
}

void verify_made_before_read(const Program& program, const std::vector<std::vector<MemoryUse>>& uses, Faults& faults) {
  constexpr size_t kNever = static_cast<size_t>(-1);
  std::vector<size_t> last_writer(program.buffers.size(), kNever);
  for (size_t s = 0; s < uses.size(); ++s)
    for (const MemoryUse& use : uses[s])
      if (use.writes) last_writer[static_cast<size_t>(use.root)] = s;
  for (size_t s = 0; s < uses.size(); ++s) {
    const Kernel& kernel = kernel_of(program, program.steps[s]);
    for (const MemoryUse& use : uses[s]) {
      const Buffer& b = program.buffers[static_cast<size_t>(use.root)];
      if (!use.reads || !is_temporary(b)) continue;
      const size_t writer = last_writer[static_cast<size_t>(use.root)];
      if (writer == kNever) faults.push_back(in_kernel(kernel, "reads " + b.name + ", which nothing writes"));
      else if (writer > s) faults.push_back(in_kernel(kernel, "reads " + b.name + " before it is whole"));
    }
  }
  for (const NamedBuffer& result : program.results) {
    const BufferId root = root_of(program, result.buffer);
    if (is_temporary(program.buffers[static_cast<size_t>(root)]) && last_writer[static_cast<size_t>(root)] == kNever)
      faults.push_back("result " + result.name + " is never written");
  }
}

// What a step accumulates into has been stored before: by an earlier step, or by an earlier phase.
void verify_cleared(const Program& program, const Kernel& kernel, const std::vector<bool>& written, Faults& faults) {
  std::vector<BufferId> stored;
  for (const Phase& phase : kernel.phases) {
    for (const Store& store : phase.stores) {
      const BufferId root = root_of(program, store.buffer);
      const bool known = written[static_cast<size_t>(root)] || !is_temporary(program.buffers[static_cast<size_t>(root)]) ||
                         std::find(stored.begin(), stored.end(), root) != stored.end();
      if (store.accumulate && !known)
        faults.push_back(in_kernel(kernel, "accumulates in " + name_of(program, root) + ", which nothing has cleared"));
    }
    for (const Store& store : phase.stores)
      if (!store.accumulate) stored.push_back(root_of(program, store.buffer));
  }
}

// A kernel that loads memory it also stores: each parallel point keeps to elements of its own.
class OwnElements {
 public:
  OwnElements(const Program& program, const Kernel& kernel, Faults& faults)
      : program_(program), kernel_(kernel), faults_(faults) {}

  void verify(bool made_before) {
    for (size_t p = 0; p < kernel_.phases.size(); ++p)
      for (const Store& store : kernel_.phases[p].stores)
        for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
          const Expr& e = kernel_.exprs[i];
          if (e.op == ExprOp::load && root_of(program_, e.buffer) == root_of(program_, store.buffer))
            verify_pair(static_cast<ExprId>(i), store, static_cast<int>(p), made_before);
        }
  }

 private:
  void fault(const std::string& what) { faults_.push_back(in_kernel(kernel_, what)); }

  void verify_pair(ExprId id, const Store& store, int phase, bool made_before) {
    const Expr& load = kernel_.exprs[static_cast<size_t>(id)];
    const std::string& name = name_of(program_, load.buffer);
    const int first = first_phase_needing(kernel_, id), last = last_phase_needing(kernel_, id);
    if (first < 0) return;
    if (first <= phase && last > phase)
      fault("one load of " + name + " serves phases before and after the store to it");
    const BufferId root = root_of(program_, load.buffer);
    if (first <= phase && is_temporary(program_.buffers[static_cast<size_t>(root)]) && !made_before)
      fault("loads " + name + " before it stores it");
    const bool same = linear_place(program_, load.buffer, load.row, load.column) ==
                      linear_place(program_, store.buffer, store.row, store.column);
    if (same || kernel_.parallel.empty()) return;
    const bool own = load.buffer == store.buffer && (owned(load.row, store.row, load.column, store.column) ||
                                                     owned(load.column, store.column, load.row, store.row));
    if (!own || (first <= phase && last >= phase))
      fault("loads elements of " + name + " that other points of it store");
  }

  // One dimension holds every parallel axis in the same way, and the other one none: then the points' elements differ.
  bool owned(const Index& load, const Index& store, const Index& load_other, const Index& store_other) const {
    if (load != store || load.gathered != kNone) return false;
    for (AxisId axis : kernel_.parallel) {
      const auto has = [axis](const Index& index) {
        return std::any_of(index.terms.begin(), index.terms.end(), [axis](const Index::Term& t) { return t.axis == axis; });
      };
      if (!has(load) || has(load_other) || has(store_other)) return false;
    }
    return true;
  }

  const Program& program_;
  const Kernel& kernel_;
  Faults& faults_;
};

}  // namespace

void verify_order(const Program& program, Faults& faults) {
  std::vector<std::vector<MemoryUse>> uses;
  std::vector<bool> written(program.buffers.size(), false);   // by an earlier step
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    const Kernel& kernel = kernel_of(program, step);
    if (s > 0 && step.stage < program.steps[s - 1].stage) faults.push_back(in_kernel(kernel, "stages do not ascend"));
    verify_scope(program, step, faults);
    verify_with(program, step, faults);
    uses.push_back(memory_uses(program, kernel));
    const bool made_before = std::any_of(uses[s].begin(), uses[s].end(), [&](const MemoryUse& use) {
      return use.reads && use.writes && written[static_cast<size_t>(use.root)];
    });
    verify_cleared(program, kernel, written, faults);
    OwnElements(program, kernel, faults).verify(made_before);
    for (const MemoryUse& use : uses[s])
      if (use.writes) written[static_cast<size_t>(use.root)] = true;
  }
  verify_races(program, uses, faults);
  verify_made_before_read(program, uses, faults);
}

}  // namespace netc
