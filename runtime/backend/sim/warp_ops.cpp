// Operations of the lanes of a warp together, and what a thread can ask about itself.
#include <cstring>

#include "runtime/backend/sim/block.h"
#include "runtime/backend/sim/other_ops.h"
#include "runtime/backend/sim/special_registers.h"

namespace netc::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

template <class F>
void set_row32(const Warp& w, int32_t operand, u32 mask, F f) {
  u32* const to = reinterpret_cast<u32*>(w.result(operand));
  for (u32 lane = 0; lane < kWarpLanes; ++lane)
    if ((mask >> lane) & 1u) to[lane] = f(lane);
}

template <class F>
void set_row64(const Warp& w, int32_t operand, u32 mask, F f) {
  u64* const to = reinterpret_cast<u64*>(w.result(operand));
  for (u32 lane = 0; lane < kWarpLanes; ++lane)
    if ((mask >> lane) & 1u) to[lane] = f(lane);
}

u64 special_value(const Warp& w, SpecialRegister which, u32 lane) {
  const BlockState& block = *w.block;
  const LaunchConfig& config = block.launch.config;
  const u32 thread = w.index * kWarpLanes + lane;
  switch (which) {
    case SpecialRegister::tid_x: return block.thread_index(thread)[0];
    case SpecialRegister::tid_y: return block.thread_index(thread)[1];
    case SpecialRegister::tid_z: return block.thread_index(thread)[2];
    case SpecialRegister::ntid_x: return config.block.x;
    case SpecialRegister::ntid_y: return config.block.y;
    case SpecialRegister::ntid_z: return config.block.z;
    case SpecialRegister::ctaid_x: return block.block[0];
    case SpecialRegister::ctaid_y: return block.block[1];
    case SpecialRegister::ctaid_z: return block.block[2];
    case SpecialRegister::nctaid_x: return config.grid.x;
    case SpecialRegister::nctaid_y: return config.grid.y;
    case SpecialRegister::nctaid_z: return config.grid.z;
    case SpecialRegister::laneid: return lane;
    case SpecialRegister::warpid: return w.index;
    case SpecialRegister::nwarpid: return (block.threads + kWarpLanes - 1) / kWarpLanes;
    case SpecialRegister::lanemask_eq: return u32{1} << lane;
    case SpecialRegister::lanemask_lt: return (u32{1} << lane) - 1;
    case SpecialRegister::lanemask_le: return ((u64{1} << (lane + 1)) - 1) & kAllLanes;
    case SpecialRegister::lanemask_gt: return ~((u64{1} << (lane + 1)) - 1) & kAllLanes;
    case SpecialRegister::lanemask_ge: return ~((u32{1} << lane) - 1);
    case SpecialRegister::clock: return block.statistics.instructions & kAllLanes;
    case SpecialRegister::clock64: return block.statistics.instructions;
    case SpecialRegister::dynamic_smem_size: return config.shared_bytes;
    case SpecialRegister::total_smem_size: return config.shared_bytes + block.launch.kernel.static_shared_bytes;
    case SpecialRegister::zero: return 0;
  }
  return 0;
}

}  // namespace

void no_operation(Warp&, const Instruction&, uint32_t) {}

void read_special(Warp& w, const Instruction& i, uint32_t mask) {
  const auto which = static_cast<SpecialRegister>(i.mode);
  if (i.lane_bytes == 8)
    set_row64(w, i.d, mask, [&](u32 lane) { return special_value(w, which, lane); });
  else
    set_row32(w, i.d, mask, [&](u32 lane) { return static_cast<u32>(special_value(w, which, lane)); });
}

// Parts of element_bytes each, from the low bits up, into one register of lane_bytes, and back.
void pack(Warp& w, const Instruction& i, uint32_t mask) {
  const int32_t* const parts = w.block->launch.kernel.lists.data() + i.list;
  const u32 part_lane_bytes = i.element_bytes == 8 ? 8 : 4;
  const auto packed = [&](u32 lane) {
    u64 value = 0;
    for (u32 k = 0; k < i.count; ++k)
      std::memcpy(reinterpret_cast<uint8_t*>(&value) + k * i.element_bytes,
                  w.source(parts[k]) + lane * part_lane_bytes, i.element_bytes);
    return value;
  };
  if (i.lane_bytes == 8)
    set_row64(w, i.d, mask, packed);
  else
    set_row32(w, i.d, mask, [&](u32 lane) { return static_cast<u32>(packed(lane)); });
}

void unpack(Warp& w, const Instruction& i, uint32_t mask) {
  const int32_t* const parts = w.block->launch.kernel.lists.data() + i.list;
  u64 whole[kWarpLanes];   // a part may be the register that is taken apart
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    whole[lane] = 0;
    std::memcpy(&whole[lane], w.source(i.a) + lane * i.lane_bytes, i.lane_bytes);
  }
  for (u32 k = 0; k < i.count; ++k) {
    if (parts[k] == kNoOperand) continue;
    set_row32(w, parts[k], mask, [&](u32 lane) {
      const u64 part = whole[lane] >> (8 * i.element_bytes * k);
      return static_cast<u32>(i.element_bytes == 2 ? part & 0xFFFFu : part);
    });
  }
}

void warp_sync(Warp& w, const Instruction&, uint32_t) {
  if (w.block->is_checked()) w.block->order.warp_sync(w.index);
}

// A lane outside the mask has nothing to give: its readers get NaN.
void shuffle(Warp& w, const Instruction& i, uint32_t mask) {
  u32 value[kWarpLanes];
  std::memcpy(value, w.source(i.a), sizeof value);
  u32 b[kWarpLanes], c[kWarpLanes];
  std::memcpy(b, w.source(i.b), sizeof b);
  std::memcpy(c, w.source(i.c), sizeof c);
  u32 inside = 0;
  u32* const to = reinterpret_cast<u32*>(w.result(i.d));
  for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(lanes));
    const u32 step = b[lane] & 31u, clamp = c[lane] & 31u, segment = (c[lane] >> 8) & 31u;
    const u32 highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    u32 from = lane;
    bool holds = false;
    switch (static_cast<ShuffleKind>(i.mode)) {
      case ShuffleKind::up:
        from = lane - step;
        holds = static_cast<int32_t>(from) >= static_cast<int32_t>(highest);
        break;
      case ShuffleKind::down:
        from = lane + step;
        holds = from <= highest;
        break;
      case ShuffleKind::butterfly:
        from = lane ^ step;
        holds = from <= highest;
        break;
      case ShuffleKind::index:
        from = lowest | (step & ~segment);
        holds = from <= highest;
        break;
    }
    if (!holds) from = lane;
    inside |= static_cast<u32>(holds) << lane;
    to[lane] = (mask >> from) & 1u ? value[from] : ~0u;
  }
  if (i.d2 != kNoOperand) w.set_predicate(i.d2, inside, mask);
}

void vote(Warp& w, const Instruction& i, uint32_t mask) {
  const u32 yes = w.predicate(i.a) & mask;
  bool result = false;
  switch (static_cast<VoteKind>(i.mode)) {
    case VoteKind::all: result = yes == mask; break;
    case VoteKind::any: result = yes != 0; break;
    case VoteKind::uniform: result = yes == mask || yes == 0; break;
  }
  w.set_predicate(i.d, result ? kAllLanes : 0, mask);
}

void ballot(Warp& w, const Instruction& i, uint32_t mask) {
  const u32 yes = w.predicate(i.a) & mask;
  set_row32(w, i.d, mask, [&](u32) { return yes; });
}

namespace {

template <class T>
u32 equal_lanes(const Warp& w, int32_t operand, u32 mask, T value) {
  const T* const a = reinterpret_cast<const T*>(w.source(operand));
  u32 equal = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) equal |= static_cast<u32>(a[lane] == value) << lane;
  return equal & mask;
}

template <class T>
void match_any(Warp& w, const Instruction& i, u32 mask) {
  T a[kWarpLanes];
  std::memcpy(a, w.source(i.a), sizeof a);
  u32 equal[kWarpLanes];
  for (u32 lane = 0; lane < kWarpLanes; ++lane) equal[lane] = equal_lanes<T>(w, i.a, mask, a[lane]);
  set_row32(w, i.d, mask, [&](u32 lane) { return equal[lane]; });
}

template <class T>
void match_all(Warp& w, const Instruction& i, u32 mask) {
  const T first = reinterpret_cast<const T*>(w.source(i.a))[__builtin_ctz(mask)];
  const bool all = equal_lanes<T>(w, i.a, mask, first) == mask;
  set_row32(w, i.d, mask, [&](u32) { return all ? mask : 0; });
  if (i.d2 != kNoOperand) w.set_predicate(i.d2, all ? kAllLanes : 0, mask);
}

template <class T>
void reduce(Warp& w, const Instruction& i, u32 mask) {
  const T* const a = reinterpret_cast<const T*>(w.source(i.a));
  T total = a[__builtin_ctz(mask)];
  for (u32 lanes = mask & (mask - 1); lanes != 0; lanes &= lanes - 1) {
    const T value = a[__builtin_ctz(lanes)];
    switch (static_cast<Atomic>(i.mode)) {
      case Atomic::min: total = value < total ? value : total; break;
      case Atomic::max: total = total < value ? value : total; break;
      case Atomic::bit_and: total &= value; break;
      case Atomic::bit_or: total |= value; break;
      case Atomic::bit_xor: total ^= value; break;
      default: total = static_cast<T>(static_cast<u32>(total) + static_cast<u32>(value)); break;
    }
  }
  set_row32(w, i.d, mask, [&](u32) { return static_cast<u32>(total); });
}

}  // namespace

void match_any_u32(Warp& w, const Instruction& i, uint32_t mask) { match_any<u32>(w, i, mask); }
void match_any_u64(Warp& w, const Instruction& i, uint32_t mask) { match_any<u64>(w, i, mask); }
void match_all_u32(Warp& w, const Instruction& i, uint32_t mask) { match_all<u32>(w, i, mask); }
void match_all_u64(Warp& w, const Instruction& i, uint32_t mask) { match_all<u64>(w, i, mask); }
void reduce_u32(Warp& w, const Instruction& i, uint32_t mask) { reduce<u32>(w, i, mask); }
void reduce_s32(Warp& w, const Instruction& i, uint32_t mask) { reduce<int32_t>(w, i, mask); }

void active_mask(Warp& w, const Instruction& i, uint32_t mask) {
  set_row32(w, i.d, mask, [&](u32) { return mask; });
}

}  // namespace netc::sim
