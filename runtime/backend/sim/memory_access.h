// From the addresses of a warp to bytes of the host: bounds, alignment, and in check mode races and first use.
#pragma once

#include <cstdint>

#include "runtime/backend/sim/block.h"
#include "runtime/backend/sim/warp.h"

namespace netc::sim {

enum class Action : uint8_t { load, store, atomic };

struct Located {
  uint8_t* pointer[kWarpLanes];    // of the lanes of the mask only
  uint64_t address[kWarpLanes];
  bool is_global = false;          // of the first lane
};

// Finds what every lane of the mask accesses; throws a fault where one of them may not.
void locate(Warp& warp, const Instruction& instruction, uint32_t mask, Action action, Located& found);

// Check mode: one lane's access, before it happens. `fresh` is what a store is about to write (lanes of one store
// that write the same are no race), null for loads and atomics.
void check_access(Warp& warp, const Instruction& instruction, uint32_t lane, Action action, const Located& found,
                  const uint8_t* fresh);

// The address space of an access: that of the instruction, or told by a generic address.
Space space_of(const Instruction& instruction, uint64_t address);

}  // namespace netc::sim
