// Gives every temporary its place in one of two arenas: activations in the tower's, unbatched gradients in the shared
// one. Program -> Program, after plan_stages; sets arena_offset and the arenas' sizes.
//
//   * two buffers share bytes only if no stage needs both;
//   * a kernel may write over an input that dies in it (in place) if it reads that input only at the very element it
//     stores, no later than it stores it;
//   * offsets are multiples of kArenaAlignment, so that vector accesses are aligned and no two buffers share a line.
//
// Placing the largest first at the lowest free offset is the greedy-by-size rule of Pisarchyk and Lee, "Efficient
// memory management for deep neural net inference" (2020); it stays within a few percent of the liveness bound here.
#pragma once

#include "compiler/kernel/program.h"

namespace netc {

inline constexpr int64_t kArenaAlignment = 64;

void plan_memory(Program& program);

}  // namespace netc
