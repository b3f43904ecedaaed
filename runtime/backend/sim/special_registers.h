// Names of PTX that come as the mode of an instruction.
#pragma once

#include <cstdint>

namespace netc::sim {

enum class SpecialRegister : uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid, lanemask_eq, lanemask_lt, lanemask_le, lanemask_gt, lanemask_ge,
  clock, clock64, dynamic_smem_size, total_smem_size,
  zero,   // %smid, %gridid and the like: one simulated multiprocessor has the number 0
};

enum class ShuffleKind : uint8_t { up, down, butterfly, index };
enum class VoteKind : uint8_t { all, any, uniform };

}  // namespace netc::sim
