// Loads and stores of a warp.
#include <cstring>

#include "runtime/backend/sim/memory_access.h"
#include "runtime/backend/sim/other_ops.h"

namespace netc::sim {
namespace {

template <class F>
inline void for_lanes(uint32_t mask, F f) {
  if (mask == kAllLanes) {
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) f(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) f(static_cast<uint32_t>(__builtin_ctz(mask)));
}

// All 32 lanes, `step` bytes from one to the next. Of one element each they are one copy; at step 0 all read the same.
bool is_regular(const Located& found, uint32_t mask, uint64_t step) {
  if (mask != kAllLanes || static_cast<uint64_t>(found.pointer[1] - found.pointer[0]) != step) return false;
  uint64_t apart = 0, expected = reinterpret_cast<uint64_t>(found.pointer[0]);
  for (int l = 0; l < kWarpLanes; ++l, expected += step)
    apart |= reinterpret_cast<uint64_t>(found.pointer[l]) ^ expected;
  return apart == 0;
}

template <class Element, class Lane>
void load_rows(Warp& w, const Instruction& i, uint32_t mask, const Located& found) {
  for (uint32_t k = 0; k < i.count; ++k) {
    const int32_t operand = i.count == 1 ? i.d : w.block->launch.kernel.lists[static_cast<size_t>(i.list) + k];
    if (operand == kNoOperand) continue;   // "_": a part nobody wants
    Lane* const to = reinterpret_cast<Lane*>(w.result(operand));
    for_lanes(mask, [&](uint32_t lane) {
      Element value;
      std::memcpy(&value, found.pointer[lane] + k * sizeof(Element), sizeof value);
      to[lane] = static_cast<Lane>(value);
    });
  }
}

template <class Element, class Lane>
void store_rows(Warp& w, const Instruction& i, uint32_t mask, const Located& found) {
  for (uint32_t k = 0; k < i.count; ++k) {
    const int32_t operand = i.count == 1 ? i.b : w.block->launch.kernel.lists[static_cast<size_t>(i.list) + k];
    const Lane* const from = reinterpret_cast<const Lane*>(w.source(operand));
    for_lanes(mask, [&](uint32_t lane) {
      const Element value = static_cast<Element>(from[lane]);
      std::memcpy(found.pointer[lane] + k * sizeof(Element), &value, sizeof value);
    });
  }
}

template <class Lane>
void load_signed(Warp& w, const Instruction& i, uint32_t mask, const Located& found) {
  switch (i.element_bytes) {
    case 1: return load_rows<int8_t, Lane>(w, i, mask, found);
    case 2: return load_rows<int16_t, Lane>(w, i, mask, found);
    default: return load_rows<int32_t, Lane>(w, i, mask, found);
  }
}

template <class Lane>
void load_unsigned(Warp& w, const Instruction& i, uint32_t mask, const Located& found) {
  switch (i.element_bytes) {
    case 1: return load_rows<uint8_t, Lane>(w, i, mask, found);
    case 2: return load_rows<uint16_t, Lane>(w, i, mask, found);
    default: return load_rows<uint32_t, Lane>(w, i, mask, found);
  }
}

template <class Lane>
void store_narrow(Warp& w, const Instruction& i, uint32_t mask, const Located& found) {
  switch (i.element_bytes) {
    case 1: return store_rows<uint8_t, Lane>(w, i, mask, found);
    case 2: return store_rows<uint16_t, Lane>(w, i, mask, found);
    default: return store_rows<uint32_t, Lane>(w, i, mask, found);
  }
}

// The bytes that one lane is about to store.
void gather_store(const Warp& w, const Instruction& i, uint32_t lane, uint8_t* bytes) {
  for (uint32_t k = 0; k < i.count; ++k) {
    const int32_t operand = i.count == 1 ? i.b : w.block->launch.kernel.lists[static_cast<size_t>(i.list) + k];
    std::memcpy(bytes + k * i.element_bytes, w.source(operand) + lane * i.lane_bytes, i.element_bytes);
  }
}

}  // namespace

void load(Warp& w, const Instruction& i, uint32_t mask) {
  Located found;
  locate(w, i, mask, Action::load, found);
  const uint64_t bytes = uint64_t{i.element_bytes} * i.count;
  if (found.is_global) w.block->statistics.global_load_bytes += bytes * lane_count(mask);
  if (w.block->is_checked()) {
    for_lanes(mask, [&](uint32_t lane) { check_access(w, i, lane, Action::load, found, nullptr); });
    if (found.is_global && (i.flags & kStrong))
      for_lanes(mask, [&](uint32_t lane) { w.block->order.observe(w.index, found.address[lane]); });
    if (i.flags & kAcquire) w.block->order.fence(w.index);
  }
  if (i.count == 1 && i.element_bytes == i.lane_bytes) {
    if (is_regular(found, mask, bytes)) {
      std::memcpy(w.result(i.d), found.pointer[0], bytes * kWarpLanes);
      return;
    }
    if (bytes == 4 && is_regular(found, mask, 0)) {
      uint32_t value;
      std::memcpy(&value, found.pointer[0], sizeof value);
      uint32_t* const to = reinterpret_cast<uint32_t*>(w.result(i.d));
      for (int l = 0; l < kWarpLanes; ++l) to[l] = value;
      return;
    }
  }
  if (i.lane_bytes == 8) {
    if (i.element_bytes == 8) return load_rows<uint64_t, uint64_t>(w, i, mask, found);
    return i.flags & kSignExtend ? load_signed<int64_t>(w, i, mask, found) : load_unsigned<uint64_t>(w, i, mask, found);
  }
  return i.flags & kSignExtend ? load_signed<int32_t>(w, i, mask, found) : load_unsigned<uint32_t>(w, i, mask, found);
}

void store(Warp& w, const Instruction& i, uint32_t mask) {
  Located found;
  locate(w, i, mask, Action::store, found);
  const uint64_t bytes = uint64_t{i.element_bytes} * i.count;
  if (found.is_global) w.block->statistics.global_store_bytes += bytes * lane_count(mask);
  if (w.block->is_checked()) {
    if (i.flags & kRelease) w.block->order.fence(w.index);
    for_lanes(mask, [&](uint32_t lane) {   // one by one: two lanes may meet at an address
      uint8_t fresh[64];
      gather_store(w, i, lane, fresh);
      check_access(w, i, lane, Action::store, found, fresh);
      std::memcpy(found.pointer[lane], fresh, bytes);
      if (found.is_global && (i.flags & kStrong)) w.block->order.publish(w.index, found.address[lane]);
    });
    return;
  }
  if (i.count == 1 && i.element_bytes == i.lane_bytes && is_regular(found, mask, bytes)) {
    std::memcpy(found.pointer[0], w.source(i.b), bytes * kWarpLanes);
    return;
  }
  if (i.element_bytes == 8) return store_rows<uint64_t, uint64_t>(w, i, mask, found);
  return i.lane_bytes == 8 ? store_narrow<uint64_t>(w, i, mask, found) : store_narrow<uint32_t>(w, i, mask, found);
}

void fence(Warp& w, const Instruction&, uint32_t) {
  if (w.block->is_checked()) w.block->order.fence(w.index);
}

namespace {

void in_space(Warp& w, const Instruction& i, uint32_t mask, uint64_t tag) {
  const uint64_t* const address = reinterpret_cast<const uint64_t*>(w.source(i.a));
  uint32_t inside = 0;
  for (int l = 0; l < kWarpLanes; ++l) inside |= static_cast<uint32_t>((address[l] >> kSpaceShift) == tag) << l;
  w.set_predicate(i.d, inside, mask);
}

}  // namespace

void is_global(Warp& w, const Instruction& i, uint32_t mask) { in_space(w, i, mask, kGlobalTag); }
void is_shared(Warp& w, const Instruction& i, uint32_t mask) { in_space(w, i, mask, kSharedTag); }
void is_local(Warp& w, const Instruction& i, uint32_t mask) { in_space(w, i, mask, kLocalTag); }

}  // namespace netc::sim
