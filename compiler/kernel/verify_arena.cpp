// Buffers that hold values at the same time do not share bytes of an arena. One exception is the point of reuse: a
// kernel may store its result over an operand, element by element.
#include <algorithm>

#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

struct Resident {
  BufferId id = kNone;
  int64_t begin = 0, end = 0;         // bytes
  int first_stage = -1, last_stage = -1;
  int first_step = -1, last_step = -1;
};

std::vector<Resident> residents(const Program& program, Faults& faults) {
  std::vector<Resident> all(program.buffers.size());
  for (size_t s = 0; s < program.steps.size(); ++s)
    for (const MemoryUse& use : memory_uses(program, program.kernels[static_cast<size_t>(program.steps[s].kernel)])) {
      Resident& r = all[static_cast<size_t>(use.root)];
      if (r.first_step < 0) {
        r.first_step = static_cast<int>(s);
        r.first_stage = program.steps[s].stage;
      }
      r.last_step = static_cast<int>(s);
      r.last_stage = program.steps[s].stage;
    }
  std::vector<Resident> placed;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& b = program.buffers[i];
    if (b.alias_of != kNone || b.arena_offset == kNone || all[i].first_step < 0) continue;
    Resident r = all[i];
    r.id = static_cast<BufferId>(i);
    r.begin = b.arena_offset;
    r.end = r.begin + allocated_elements(b, program.batch_capacity) * dtype_bytes(b.dtype);
    const bool kept = b.kind == BufferKind::output || b.kind == BufferKind::result;
    if (kept) r.last_stage = program.steps.back().stage + 1;   // read after the last step
    const int64_t arena = is_per_tower(b) ? program.tower_arena_bytes : program.shared_arena_bytes;
    if (r.begin < 0 || r.end > arena)
      faults.push_back("buffer " + b.name + ": bytes " + std::to_string(r.begin) + " to " + std::to_string(r.end) +
                       " lie outside its arena of " + std::to_string(arena));
    if (r.begin % dtype_bytes(b.dtype) != 0) faults.push_back("buffer " + b.name + ": is not aligned in its arena");
    placed.push_back(r);
  }
  return placed;
}

bool same_form(const Buffer& a, const Buffer& b) {
  if (dtype_bytes(a.dtype) != dtype_bytes(b.dtype) || a.arena_offset != b.arena_offset || a.layout != b.layout) return false;
  return a.layout == Layout::row_major ||
         (a.panel_columns == b.panel_columns && a.padded_rows == b.padded_rows);
}

// Step `step` is the last to use `before` and the first to use `after`, and nobody else of its stage touches them; it
// loads each element of `before` no later than it stores the same element of `after`.
bool hands_over(const Program& program, const Resident& before, const Resident& after) {
  const Step& step = program.steps[static_cast<size_t>(after.first_step)];
  if (before.last_step != after.first_step) return false;
  if (before.first_stage == step.stage) return false;   // made in this very step
  if (!same_form(program.buffers[static_cast<size_t>(before.id)], program.buffers[static_cast<size_t>(after.id)]))
    return false;
  for (size_t s = 0; s < program.steps.size(); ++s) {
    if (static_cast<int>(s) == after.first_step || program.steps[s].stage != step.stage) continue;
    for (const MemoryUse& use : memory_uses(program, program.kernels[static_cast<size_t>(program.steps[s].kernel)]))
      if (use.root == before.id || use.root == after.id) return false;
  }
  const Kernel& kernel = program.kernels[static_cast<size_t>(step.kernel)];
  for (const Phase& phase : kernel.phases)
    for (const Store& store : phase.stores)
      if (root_of(program, store.buffer) == before.id) return false;
  for (size_t p = 0; p < kernel.phases.size(); ++p)
    for (const Store& store : kernel.phases[p].stores) {
      if (root_of(program, store.buffer) != after.id) continue;
      const LinearPlace to = linear_place(program, store.buffer, store.row, store.column);
      for (size_t i = 0; i < kernel.exprs.size(); ++i) {
        const Expr& e = kernel.exprs[i];
        if (e.op != ExprOp::load || root_of(program, e.buffer) != before.id) continue;
        if (!(linear_place(program, e.buffer, e.row, e.column) == to)) return false;
        if (last_phase_needing(kernel, static_cast<ExprId>(i)) > static_cast<int>(p)) return false;
      }
    }
  return true;
}

}  // namespace

void verify_arena(const Program& program, Faults& faults) {
  std::vector<Resident> all = residents(program, faults);
  std::sort(all.begin(), all.end(), [](const Resident& a, const Resident& b) { return a.first_stage < b.first_stage; });
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size() && all[j].first_stage <= all[i].last_stage; ++j) {
      const Resident &a = all[i], &b = all[j];
      const Buffer& of_a = program.buffers[static_cast<size_t>(a.id)];
      const Buffer& of_b = program.buffers[static_cast<size_t>(b.id)];
      if (is_per_tower(of_a) != is_per_tower(of_b) || a.end <= b.begin || b.end <= a.begin) continue;
      if (hands_over(program, a, b)) continue;
      faults.push_back("buffers " + of_a.name + " and " + of_b.name + " share bytes of an arena in stage " +
                       std::to_string(b.first_stage));
    }
}

}  // namespace netc
