// Program -> TowerProgram: which steps every tower does on its own rows, which all do together, and how the gradient
// of each weight becomes that of the whole batch.
//
// Towers with a memory each also get the buckets in which they add up their summands:
//   * in the order they become ready, the last layers first; the first bucket is small, so that the exchange begins early,
//     the others hold up to bucket_bytes; a buffer larger than that has one of its own;
//   * a sum that a tower's own rows wait for (statistics of the batch) is not held up by gradients: it waits only for sums
//     that the same stage reads;
//   * sums that nobody reads before the end, losses and metrics, come last, in one bucket.
//
// Before: stages are planned; for separate memory scopes too (plan_scopes.h). Afterwards verify(TowerProgram) holds.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/tower_program.h"

namespace netc {

struct TowerOptions {
  TowerMemory memory = TowerMemory::shared;
  int64_t first_bucket_bytes = int64_t{1} << 20;
  int64_t bucket_bytes = int64_t{25} << 20;
};

TowerProgram plan_towers(Program program, std::vector<TowerPlacement> towers, const TowerOptions& options = {});

}  // namespace netc
