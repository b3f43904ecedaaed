// A TowerProgram: a Program spread over towers. What each tower does on its own rows, what all do together, and where
// the gradients of every weight are summed. A plain value, made by compiler/program/plan_towers, printed by
// `netc compile --emit=towers`.
//
// Towers that share one memory (cpu:0, cpu:1 ... of a process) keep one copy of the weights. A weight's gradient is
// summed over the rows of all towers inside the kernel that makes it, in global row order: no gradient buffers, no
// copies, and the same bits for any number of towers.
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

// How the gradient of one weight becomes that of the whole batch.
enum class GradientSum : uint8_t {
  inside_tile,     // the joint kernel that makes it walks the rows of all towers and applies the update at once
  joint_buffer,    // as above, but kept in a buffer for a later kernel (clipping, several uses)
};

struct WeightPlan {
  std::string weight;
  GradientSum sum = GradientSum::inside_tile;
  std::vector<std::string> kernels;   // that update it, in order

  friend bool operator==(const WeightPlan&, const WeightPlan&) = default;
};

struct TowerProgram {
  Program program;
  std::vector<TowerPlacement> towers;
  std::vector<WeightPlan> weights;

  friend bool operator==(const TowerProgram&, const TowerProgram&) = default;
};

std::string to_string(const TowerProgram& program);
std::vector<std::string> verify(const TowerProgram& program);   // faults in words; empty when sound

}  // namespace netc
