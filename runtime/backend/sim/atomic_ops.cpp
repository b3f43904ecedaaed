// Atomics: on global memory truly so, since blocks run on several threads; on shared memory plainly, since a block
// runs on one.
#include <atomic>
#include <cstring>
#include <type_traits>

#include "runtime/backend/sim/directed.h"
#include "runtime/backend/sim/memory_access.h"
#include "runtime/backend/sim/other_ops.h"

namespace netc::sim {
namespace {

#include "runtime/backend/sim/lane_types.h"

template <class T>
T updated(Atomic how, T old, T a, T b) {
  switch (how) {
    case Atomic::add: return static_cast<T>(static_cast<u64>(old) + static_cast<u64>(a));
    case Atomic::min: return a < old ? a : old;
    case Atomic::max: return old < a ? a : old;
    case Atomic::inc: return old >= a ? T{0} : static_cast<T>(old + 1);
    case Atomic::dec: return old == 0 || old > a ? a : static_cast<T>(old - 1);
    case Atomic::exchange: return a;
    case Atomic::compare_swap: return old == a ? b : old;
    case Atomic::bit_and: return old & a;
    case Atomic::bit_or: return old | a;
    case Atomic::bit_xor: return old ^ a;
  }
  return old;
}

template <class Float, class Bits>
Bits float_updated(Atomic how, Bits old, Bits a) {
  const Float x = bits_as<Float>(old), y = bits_as<Float>(a);
  if (how == Atomic::add) {
    const Float sum = x + y;
    return sum == sum ? bits_as<Bits>(sum)
                      : (sizeof(Bits) == 4 ? static_cast<Bits>(0x7FFFFFFFu) : static_cast<Bits>(0xFFF8000000000000u));
  }
  if (how == Atomic::exchange) return a;
  if (x != x) return a;
  if (y != y) return old;
  return how == Atomic::min ? (y < x ? a : old) : (x < y ? a : old);
}

template <class Half>
u32 half_pair_sum(u32 old, u32 a) {
  const u32 low = Half::narrow(Half::widen(old & 0xFFFFu) + Half::widen(a & 0xFFFFu)) & 0xFFFFu;
  const u32 high = Half::narrow(Half::widen(old >> 16) + Half::widen(a >> 16)) & 0xFFFFu;
  return high << 16 | low;
}

template <class Half>
u16 half_sum(u16 old, u16 a) {
  return static_cast<u16>(Half::narrow(Half::widen(old) + Half::widen(a)));
}

// Bits is the integer that stands in memory, Lane the one in registers; next(old, a, b) computes what follows it.
template <class Bits, class Next, class Lane = std::conditional_t<sizeof(Bits) == 2, u32, Bits>>
void atomic(Warp& w, const Instruction& i, u32 mask, Next next) {
  Located found;
  locate(w, i, mask, Action::atomic, found);
  if (found.is_global)
    w.block->statistics.global_atomic_bytes += sizeof(Bits) * lane_count(mask);
  const bool checked = w.block->is_checked();
  const Lane* const a = reinterpret_cast<const Lane*>(w.source(i.b));
  const Lane* const b = i.c == kNoOperand ? a : reinterpret_cast<const Lane*>(w.source(i.c));
  Lane* const d = i.d == kNoOperand ? nullptr : reinterpret_cast<Lane*>(w.result(i.d));
  if (checked && (i.flags & kRelease)) w.block->order.fence(w.index);
  for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(lanes));
    if (checked) {
      check_access(w, i, lane, Action::atomic, found, nullptr);
      if (found.is_global) {
        w.block->order.observe(w.index, found.address[lane]);
        w.block->order.publish(w.index, found.address[lane]);
      }
    }
    const Bits x = static_cast<Bits>(a[lane]), y = static_cast<Bits>(b[lane]);
    Bits old;
    if (found.is_global) {
      std::atomic_ref<Bits> word(*reinterpret_cast<Bits*>(found.pointer[lane]));
      old = word.load(std::memory_order_relaxed);
      while (!word.compare_exchange_weak(old, next(old, x, y), std::memory_order_acq_rel)) {
      }
    } else {
      std::memcpy(&old, found.pointer[lane], sizeof old);
      const Bits fresh = next(old, x, y);
      std::memcpy(found.pointer[lane], &fresh, sizeof fresh);
    }
    if (d) d[lane] = old;
  }
  if (checked && (i.flags & kAcquire)) w.block->order.fence(w.index);
}

template <class T, class Bits>
void integer_atomic(Warp& w, const Instruction& i, u32 mask) {
  const Atomic how = static_cast<Atomic>(i.mode);
  atomic<Bits>(w, i, mask, [how](Bits old, Bits a, Bits b) {
    return static_cast<Bits>(updated<T>(how, static_cast<T>(old), static_cast<T>(a), static_cast<T>(b)));
  });
}

}  // namespace

void atomic_u32(Warp& w, const Instruction& i, uint32_t mask) { integer_atomic<u32, u32>(w, i, mask); }
void atomic_s32(Warp& w, const Instruction& i, uint32_t mask) { integer_atomic<s32, u32>(w, i, mask); }
void atomic_u64(Warp& w, const Instruction& i, uint32_t mask) { integer_atomic<u64, u64>(w, i, mask); }
void atomic_s64(Warp& w, const Instruction& i, uint32_t mask) { integer_atomic<s64, u64>(w, i, mask); }

void atomic_f32(Warp& w, const Instruction& i, uint32_t mask) {
  const Atomic how = static_cast<Atomic>(i.mode);
  atomic<u32>(w, i, mask, [how](u32 old, u32 a, u32) { return float_updated<f32>(how, old, a); });
}

void atomic_f64(Warp& w, const Instruction& i, uint32_t mask) {
  const Atomic how = static_cast<Atomic>(i.mode);
  atomic<u64>(w, i, mask, [how](u64 old, u64 a, u64) { return float_updated<f64>(how, old, a); });
}

void atomic_b16(Warp& w, const Instruction& i, uint32_t mask) { integer_atomic<u16, u16>(w, i, mask); }

void atomic_f16(Warp& w, const Instruction& i, uint32_t mask) {
  atomic<u16>(w, i, mask, [](u16 old, u16 a, u16) { return half_sum<f16>(old, a); });
}

void atomic_bf16(Warp& w, const Instruction& i, uint32_t mask) {
  atomic<u16>(w, i, mask, [](u16 old, u16 a, u16) { return half_sum<bf16>(old, a); });
}

void atomic_f16x2(Warp& w, const Instruction& i, uint32_t mask) {
  atomic<u32>(w, i, mask, [](u32 old, u32 a, u32) { return half_pair_sum<f16>(old, a); });
}

void atomic_bf16x2(Warp& w, const Instruction& i, uint32_t mask) {
  atomic<u32>(w, i, mask, [](u32 old, u32 a, u32) { return half_pair_sum<bf16>(old, a); });
}

}  // namespace netc::sim
