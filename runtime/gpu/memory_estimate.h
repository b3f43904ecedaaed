// What the programs of a run take of one device, known before anything is allocated.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/kernel/tower_program.h"

namespace netc {

struct MemoryEstimate {
  int64_t fixed_bytes = 0;     // weights, optimizer slots, gradients: whatever the batch
  int64_t batch_bytes = 0;     // activations, inputs and outputs at the batch the programs are planned for
  std::vector<std::pair<std::string, int64_t>> largest;   // buffers, three at most: "fc1.weight, models/a.net:28:8", bytes

  int64_t total() const { return fixed_bytes + batch_bytes; }
};

MemoryEstimate estimate_memory(const std::vector<TowerProgram>& programs, const std::function<std::string(Span)>& span_text);

// Throws RuntimeError if `capacity_bytes` is too little: what is needed, the largest buffers with their lines, and the
// largest batch that would fit, by proportion.
void check_memory(const MemoryEstimate& estimate, int64_t capacity_bytes, int64_t batch_capacity, const std::string& device);

}  // namespace netc
