#include "compiler/program/plan_memory.h"

#include <algorithm>

#include "compiler/program/expr_copy.h"
#include "compiler/program/kernel_order.h"

namespace netc {

namespace {

// Memory that one buffer, or a chain of buffers written over one another, needs.
struct Slot {
  int64_t bytes = 0;
  int32_t first = 0, last = -1;   // stages, inclusive
  BufferKind kind = BufferKind::activation;
  int64_t offset = 0;
};

struct Life {
  int32_t first = -1, last = -1;
  std::vector<int32_t> readers_at_last;   // kernels that read it in its last stage
};

bool is_temporary(const Buffer& b) { return b.kind == BufferKind::activation || b.kind == BufferKind::gradient; }

int64_t slot_bytes(const Program& program, const Buffer& buffer) {
  const int64_t bytes = allocated_elements(buffer, program.batch_capacity) * dtype_bytes(buffer.dtype);
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool same_memory_shape(const Buffer& a, const Buffer& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.rows == b.rows && a.columns == b.columns && a.layout == b.layout &&
         a.panel_columns == b.panel_columns && a.padded_rows == b.padded_rows;
}

// Whether `kernel` may store `out` over `in`: it reads `in` only at the element it stores, no later than it stores it.
bool can_write_over(const Program& program, const Kernel& kernel, BufferId in, BufferId out) {
  const Store* store = nullptr;
  size_t store_phase = 0;
  for (size_t p = 0; p < kernel.phases.size(); ++p) {
    for (const Store& s : kernel.phases[p].stores) {
      if (root_buffer(program, s.buffer) != out) continue;
      if (store || s.accumulate || s.buffer != out) return false;
      store = &s;
      store_phase = p;
    }
  }
  if (!store || store_phase + 1 != kernel.phases.size()) return false;
  for (const Expr& e : kernel.exprs) {
    if (e.op != ExprOp::load) continue;
    const BufferId root = root_buffer(program, e.buffer);
    if (root == out) return false;
    if (root == in && (e.buffer != in || e.row != store->row || e.column != store->column)) return false;
  }
  return true;
}

}  // namespace

void plan_memory(Program& program) {
  std::vector<Life> lives(program.buffers.size());
  std::vector<int32_t> writer(program.buffers.size(), kNone);   // the only kernel that writes it, or kNone
  for (const Step& step : program.steps) {
    const KernelAccess access = kernel_access(program, program.kernels[static_cast<size_t>(step.kernel)]);
    const auto touch = [&](BufferId b) {
      Life& life = lives[static_cast<size_t>(b)];
      if (life.first < 0) life.first = step.stage;
      if (step.stage > life.last) {
        life.last = step.stage;
        life.readers_at_last.clear();
      }
      life.readers_at_last.push_back(step.kernel);
    };
    for (BufferId b : access.writes) {
      writer[static_cast<size_t>(b)] = lives[static_cast<size_t>(b)].first < 0 ? step.kernel : kNone;
      touch(b);
    }
    for (BufferId b : access.reads) touch(b);
  }

  std::vector<Slot> slots;
  std::vector<int32_t> slot_of(program.buffers.size(), kNone);
  std::vector<BufferId> by_birth;
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (is_temporary(program.buffers[i]) && program.buffers[i].alias_of == kNone && lives[i].first >= 0)
      by_birth.push_back(static_cast<BufferId>(i));
  std::stable_sort(by_birth.begin(), by_birth.end(), [&](BufferId a, BufferId b) {
    return lives[static_cast<size_t>(a)].first < lives[static_cast<size_t>(b)].first;
  });
  for (BufferId out : by_birth) {
    const Buffer& buffer = program.buffers[static_cast<size_t>(out)];
    const Life& life = lives[static_cast<size_t>(out)];
    int32_t& slot = slot_of[static_cast<size_t>(out)];
    if (writer[static_cast<size_t>(out)] != kNone) {
      const Kernel& kernel = program.kernels[static_cast<size_t>(writer[static_cast<size_t>(out)])];
      for (BufferId in : kernel_access(program, kernel).reads) {
        const Life& other = lives[static_cast<size_t>(in)];
        if (slot_of[static_cast<size_t>(in)] == kNone || other.last != life.first || other.readers_at_last.size() != 1) continue;
        if (slots[static_cast<size_t>(slot_of[static_cast<size_t>(in)])].last != other.last) continue;   // taken over already
        if (!same_memory_shape(buffer, program.buffers[static_cast<size_t>(in)]) || !can_write_over(program, kernel, in, out)) continue;
        slot = slot_of[static_cast<size_t>(in)];
        break;
      }
    }
    if (slot == kNone) {
      slot = static_cast<int32_t>(slots.size());
      slots.push_back({slot_bytes(program, buffer), life.first, life.last, buffer.kind, 0});
    }
    slots[static_cast<size_t>(slot)].last = std::max(slots[static_cast<size_t>(slot)].last, life.last);
  }

  std::vector<int32_t> by_size(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) by_size[i] = static_cast<int32_t>(i);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int32_t a, int32_t b) {
    return slots[static_cast<size_t>(a)].bytes > slots[static_cast<size_t>(b)].bytes;
  });
  program.tower_arena_bytes = program.shared_arena_bytes = 0;
  std::vector<const Slot*> placed;   // ascending offset
  for (int32_t id : by_size) {
    Slot& slot = slots[static_cast<size_t>(id)];
    int64_t offset = 0;
    for (const Slot* other : placed) {
      if (other->kind != slot.kind || other->last < slot.first || slot.last < other->first) continue;
      if (offset + slot.bytes <= other->offset) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    slot.offset = offset;
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &slot,
                                   [](const Slot* a, const Slot* b) { return a->offset < b->offset; }), &slot);
    int64_t& arena = slot.kind == BufferKind::activation ? program.tower_arena_bytes : program.shared_arena_bytes;
    arena = std::max(arena, offset + slot.bytes);
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    Buffer& buffer = program.buffers[i];
    const BufferId root = root_buffer(program, static_cast<BufferId>(i));
    buffer.arena_offset = slot_of[static_cast<size_t>(root)] == kNone ? kNone : slots[static_cast<size_t>(slot_of[static_cast<size_t>(root)])].offset;
  }
}

}  // namespace netc
