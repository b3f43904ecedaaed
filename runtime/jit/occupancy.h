// How many of a multiprocessor's warps a kernel can keep there at once, by the limits of its architecture (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
#pragma once

#include <cstdint>
#include <string>

namespace netc::jit {

// Resident warps over the most there can be, 0 to 1. architecture: "sm_90"; one that is not in the table counts as the
// nearest older one. block_threads: a multiple of 32; shared_bytes: of a block, static and dynamic.
double occupancy(const std::string& architecture, int registers_per_thread, int block_threads, int64_t shared_bytes);

}  // namespace netc::jit
