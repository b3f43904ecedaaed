// A warp as the instruction handlers see it: registers by operand offset, predicates as masks.
//
// Everything here is inlined by force: the file is read by sources that are compiled for different instruction sets.
#pragma once

#include <cstdint>

#include "runtime/backend/sim/ptx_module.h"

namespace netc::sim {

#define NETC_SIM_INLINE inline __attribute__((always_inline))

struct BlockState;

struct Fragment {
  uint32_t pc = 0;
  uint32_t mask = 0;
  bool parked = false;   // at a barrier or a warp operation, until others come
};

struct Warp {
  uint8_t* registers = nullptr;
  const uint8_t* constants = nullptr;
  uint32_t* predicates = nullptr;
  BlockState* block = nullptr;
  uint32_t index = 0;          // in its block
  uint32_t valid = 0;          // lanes that are threads
  uint32_t live = 0;           // lanes that have not returned
  uint32_t fragment_count = 0;
  Fragment fragments[kWarpLanes];

  NETC_SIM_INLINE const uint8_t* source(int32_t operand) const {
    return operand >= 0 ? registers + operand : constants + ~operand;
  }
  NETC_SIM_INLINE uint8_t* result(int32_t operand) const { return registers + operand; }
  NETC_SIM_INLINE uint32_t predicate(int32_t operand) const {
    return operand >= 0 ? predicates[operand] : ~predicates[~operand];
  }
  NETC_SIM_INLINE void set_predicate(int32_t operand, uint32_t value, uint32_t mask) const {
    predicates[operand] = (predicates[operand] & ~mask) | (value & mask);
  }
};

// Without a processor's instruction for it a count is a call; nearly all masks are full.
NETC_SIM_INLINE uint64_t lane_count(uint32_t mask) {
  return mask == kAllLanes ? uint64_t{kWarpLanes} : static_cast<uint64_t>(__builtin_popcount(mask));
}

using Handler = void (*)(Warp&, const Instruction&, uint32_t mask);

// The handlers of opcodes.def by row, compiled for one instruction set.
extern const Handler kHandlersAny[];
extern const Handler kHandlersAvx2[];   // only where kHasAvx2Handlers
extern const bool kHasAvx2Handlers;

}  // namespace netc::sim
