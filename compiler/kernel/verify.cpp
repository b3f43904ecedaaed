#include <algorithm>

#include "compiler/kernel/verify_parts.h"

namespace netc {

std::vector<std::string> verify(const Program& program) {
  Faults faults;
  verify_structure(program, faults);
  if (!faults.empty()) return faults;   // the rest would follow wild ids
  verify_bounds(program, faults);
  if (faults.empty()) verify_stores(program, faults);
  verify_order(program, faults);
  verify_arena(program, faults);
  return faults;
}

std::vector<MemoryUse> memory_uses(const Program& program, const Kernel& kernel) {
  std::vector<MemoryUse> uses;
  const auto use = [&](BufferId buffer) -> MemoryUse& {
    const BufferId root = root_of(program, buffer);
    const auto place = std::lower_bound(uses.begin(), uses.end(), root,
                                        [](const MemoryUse& u, BufferId id) { return u.root < id; });
    if (place != uses.end() && place->root == root) return *place;
    return *uses.insert(place, MemoryUse{root});
  };
  for (const Expr& e : kernel.exprs)
    if (e.op == ExprOp::load) use(e.buffer).reads = true;
  for (const Phase& phase : kernel.phases)
    for (const Store& store : phase.stores) {
      MemoryUse& u = use(store.buffer);
      u.writes = true;
      if (store.accumulate) u.accumulates = true;
    }
  return uses;
}

LinearPlace linear_place(const Program& program, BufferId buffer, const Index& row, const Index& column) {
  const int64_t columns = program.buffers[static_cast<size_t>(buffer)].columns;
  LinearPlace place;
  const auto add = [&place](const Index& index, int64_t factor) {
    place.offset += index.offset * factor;
    for (const Index::Term& term : index.terms) place.coefficients[term.axis] += term.coefficient * factor;
    if (index.gathered == kNone) return;
    place.gathered = index.gathered;
    place.gathered_coefficient += index.gathered_coefficient * factor;
  };
  add(row, columns);
  add(column, 1);
  std::erase_if(place.coefficients, [](const auto& term) { return term.second == 0; });
  return place;
}

int last_phase_needing(const Kernel& kernel, ExprId id) {
  for (size_t p = kernel.phases.size(); p-- > 0;)
    if (needed_by_phase(kernel, kernel.phases[p])[static_cast<size_t>(id)]) return static_cast<int>(p);
  return -1;
}

int first_phase_needing(const Kernel& kernel, ExprId id) {
  for (size_t p = 0; p < kernel.phases.size(); ++p)
    if (needed_by_phase(kernel, kernel.phases[p])[static_cast<size_t>(id)]) return static_cast<int>(p);
  return -1;
}

bool is_per_tower(const Buffer& buffer) {
  return buffer.kind == BufferKind::input || buffer.kind == BufferKind::activation || buffer.kind == BufferKind::output;
}

bool is_temporary(const Buffer& buffer) {
  return buffer.kind != BufferKind::input && buffer.kind != BufferKind::parameter && buffer.kind != BufferKind::state;
}

std::string in_kernel(const Kernel& kernel, const std::string& what) { return "kernel " + kernel.name + ": " + what; }

}  // namespace netc
