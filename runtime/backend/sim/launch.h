// Runs a kernel on a simulated GPU: the entry of the simulator.
//
//   const Module module = parse_ptx(text);
//   DeviceMemory memory(0);
//   const Address x = memory.allocate(bytes, "x");
//   void* parameters[] = {&x, &count};
//   launch(module, "scale", {{blocks, 1, 1}, {256, 1, 1}, 0}, parameters, memory, {Mode::check});
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/backend/sim/device_memory.h"
#include "runtime/backend/sim/fault.h"
#include "runtime/backend/sim/ptx_module.h"

namespace netc::sim {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

struct LaunchConfig {
  Dim3 grid, block;
  uint32_t shared_bytes = 0;   // dynamic
};

enum class Mode {
  fast,    // bounds, alignment, poisoned memory; blocks over several threads
  check,   // also races, uninitialised reads, divergent barriers; one thread, blocks in order
};

struct LaunchOptions {
  Mode mode = Mode::fast;
  int threads = 1;   // of the host, at most; check mode takes one
  uint64_t instruction_limit = uint64_t{1} << 31;   // warp instructions of one block, then FaultKind::no_progress
  uint32_t shared_limit_bytes = 227 * 1024;         // static and dynamic together, of one block
  bool without_avx2 = false;                        // as on a processor that has none; the results are the same
};

struct LaunchStatistics {
  uint64_t instructions = 0;          // of warps
  uint64_t global_load_bytes = 0;     // what threads asked for, whatever a cache would have saved
  uint64_t global_store_bytes = 0;
  uint64_t global_atomic_bytes = 0;
  uint64_t flops = 0;                 // of threads; a fused multiply-add is two

  void add(const LaunchStatistics& other) {
    instructions += other.instructions;
    global_load_bytes += other.global_load_bytes;
    global_store_bytes += other.global_store_bytes;
    global_atomic_bytes += other.global_atomic_bytes;
    flops += other.flops;
  }
};

// parameters: one pointer per kernel parameter to its value, as cuLaunchKernel takes them. Returns when the kernel is
// done. Throws SimulatedGpuFault; memory then holds what the kernel had written so far. An unknown kernel name is an
// InternalError.
LaunchStatistics launch(const Module& module, std::string_view kernel, const LaunchConfig& config,
                        void* const* parameters, DeviceMemory& memory, const LaunchOptions& options = {});

}  // namespace netc::sim
