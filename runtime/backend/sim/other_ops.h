// Handlers that are no arithmetic of lanes: memory, atomics, operations of a whole warp.
#pragma once

#include "runtime/backend/sim/warp.h"

namespace netc::sim {

void no_operation(Warp&, const Instruction&, uint32_t mask);
void read_special(Warp&, const Instruction&, uint32_t mask);
void pack(Warp&, const Instruction&, uint32_t mask);
void unpack(Warp&, const Instruction&, uint32_t mask);

void load(Warp&, const Instruction&, uint32_t mask);
void store(Warp&, const Instruction&, uint32_t mask);
void is_global(Warp&, const Instruction&, uint32_t mask);
void is_shared(Warp&, const Instruction&, uint32_t mask);
void is_local(Warp&, const Instruction&, uint32_t mask);
void fence(Warp&, const Instruction&, uint32_t mask);

void atomic_u32(Warp&, const Instruction&, uint32_t mask);
void atomic_s32(Warp&, const Instruction&, uint32_t mask);
void atomic_u64(Warp&, const Instruction&, uint32_t mask);
void atomic_s64(Warp&, const Instruction&, uint32_t mask);
void atomic_f32(Warp&, const Instruction&, uint32_t mask);
void atomic_f64(Warp&, const Instruction&, uint32_t mask);
void atomic_b16(Warp&, const Instruction&, uint32_t mask);
void atomic_f16(Warp&, const Instruction&, uint32_t mask);
void atomic_bf16(Warp&, const Instruction&, uint32_t mask);
void atomic_f16x2(Warp&, const Instruction&, uint32_t mask);
void atomic_bf16x2(Warp&, const Instruction&, uint32_t mask);

void warp_sync(Warp&, const Instruction&, uint32_t mask);
void shuffle(Warp&, const Instruction&, uint32_t mask);
void vote(Warp&, const Instruction&, uint32_t mask);
void ballot(Warp&, const Instruction&, uint32_t mask);
void match_any_u32(Warp&, const Instruction&, uint32_t mask);
void match_any_u64(Warp&, const Instruction&, uint32_t mask);
void match_all_u32(Warp&, const Instruction&, uint32_t mask);
void match_all_u64(Warp&, const Instruction&, uint32_t mask);
void reduce_u32(Warp&, const Instruction&, uint32_t mask);
void reduce_s32(Warp&, const Instruction&, uint32_t mask);
void active_mask(Warp&, const Instruction&, uint32_t mask);

}  // namespace netc::sim
