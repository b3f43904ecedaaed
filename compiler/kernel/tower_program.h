// A TowerProgram: a Program spread over towers. What each tower does on its own rows, what all do together, and where
// the gradients of every weight are summed. A plain value, made by compiler/program/plan_towers, printed by
// `netc compile --emit=towers`.
//
// Towers that share one memory (cpu:0, cpu:1 ... of a process) keep one copy of the weights. A weight's gradient is
// summed over the rows of all towers inside the kernel that makes it, in global row order: no gradient buffers, no
// copies, and the same bits for any number of towers.
//
// Towers that do not (GPUs, processes) keep a copy of the weights each. A tower sums over its own rows; the summands of a
// gradient bucket are then added up over all towers, once each, and every tower makes the same update from the whole:
//
//   step 9   each tower, its summand   fc2_weight_matmul_tn -> fc2.weight gradient
//   bucket 0 after step 9, before step 12: fc2.weight gradient, fc2.bias gradient        an all-reduce
//   step 12  in every memory           fc2_weight_update <- fc2.weight gradient
//
// A backend starts bucket i when step `after_step` and bucket i-1 have been issued, may run the steps up to `before_step`
// beside it, and waits for it before that one. All towers run all buckets, idle towers with sums of no rows.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/plan.h"
#include "compiler/kernel/program.h"

namespace netc {

struct TowerPlacement {
  Device device;
  double share = 1;
  int threads = 0;             // 0: an even share of the cores

  friend bool operator==(const TowerPlacement&, const TowerPlacement&) = default;
};

// Whether the towers of a program see one memory.
enum class TowerMemory : uint8_t {
  shared,      // cpu:0, cpu:1 ... of a process: one copy of the weights, joint steps see every tower's rows
  separate,    // GPUs, processes: a copy each, summands are added up in buckets
};

// How the gradient of one weight becomes that of the whole batch.
enum class GradientSum : uint8_t {
  inside_tile,     // the joint kernel that makes it walks the rows of all towers and applies the update at once
  joint_buffer,    // as above, but kept in a buffer for a later kernel (clipping, several uses)
  all_reduce,      // separate memory: summed over the rows of each tower, then over the towers, in a bucket
};

struct WeightPlan {
  std::string weight;
  GradientSum sum = GradientSum::inside_tile;
  std::vector<std::string> kernels;   // that update it, in order

  friend bool operator==(const WeightPlan&, const WeightPlan&) = default;
};

// Buffers of f32 summands that all towers add up, element by element, in one exchange. In place: afterwards each tower
// holds the whole sums, the same bits everywhere.
struct GradientBucket {
  std::vector<BufferId> buffers;   // gradients or results, by readiness; roots, none in two buckets
  int64_t bytes = 0;               // of their elements
  int32_t after_step = 0;          // index into Program::steps of the last to write one of them
  int32_t before_step = 0;         // the first to read one; Program::steps.size(): read after the last step

  friend bool operator==(const GradientBucket&, const GradientBucket&) = default;
};

struct TowerProgram {
  Program program;
  TowerMemory memory = TowerMemory::shared;
  std::vector<TowerPlacement> towers;
  std::vector<WeightPlan> weights;
  std::vector<GradientBucket> buckets;   // separate memory, in the order that all towers exchange them in

  friend bool operator==(const TowerProgram&, const TowerProgram&) = default;
};

// What one tower of separate memory launches in a step, buckets apart: a product and the column sums with it are one, and
// so are the replicated steps of one stage (the updates of all weights).
int64_t launches_per_step(const Program& program);

std::string to_string(const TowerProgram& program);
std::vector<std::string> verify(const TowerProgram& program);   // faults in words; empty when sound

}  // namespace netc
