// One thread block in execution: its warps, its shared and local memory, and the scheduler that moves them.
//
// A warp is a set of fragments (pc, mask). The one with the lowest pc runs until it meets another (they merge), parks
// at a barrier or a warp operation, or returns. A warp runs until none of its fragments can go on, then the next warp;
// barriers are settled when no warp of the block can go on. Nobody settled and somebody left is a deadlock.
#pragma once

#include <string>
#include <vector>

#include "runtime/backend/sim/fault.h"
#include "runtime/backend/sim/launch.h"
#include "runtime/backend/sim/shadow.h"
#include "runtime/backend/sim/warp.h"

namespace netc::sim {

// What all blocks of a launch share.
struct Launch {
  const Module& module;
  const Kernel& kernel;
  const LaunchConfig& config;
  const LaunchOptions& options;
  DeviceMemory& memory;
  const Handler* handlers;
  std::vector<uint8_t> parameters;   // as the kernel's parameter space
  uint32_t first_block_serial = 0;   // check mode
};

struct BlockState {
  explicit BlockState(const Launch& of_launch);

  // Runs block number `index` of the grid to its end.
  void run(uint64_t index);

  Index3 thread_index(uint32_t thread) const;
  bool is_checked() const { return launch.options.mode == Mode::check; }

  [[noreturn]] void fail(FaultKind kind, const std::string& text, uint32_t pc, int thread, uint64_t address = 0,
                         const std::string& buffer = {}) const;
  std::string source_of(uint32_t pc) const;   // "net.cu:12", or "" without line information

  const Launch& launch;
  Index3 block{};
  uint32_t threads = 0;              // of a block
  std::vector<uint8_t> shared;       // static variables, then dynamic memory at Kernel::shared_extent
  std::vector<uint8_t> local;        // of every thread
  LaunchStatistics statistics;
  Order order;                       // check mode only
  Shadow shared_shadow;              // check mode only

 private:
  enum class Stop { blocked, finished, out_of_time };

  void start(uint64_t index);
  Stop run_warp(Warp& warp, uint64_t budget);
  bool settle_barriers();
  void check_barrier(const std::vector<uint32_t>& waiting_warps) const;
  void release_barrier(uint32_t id);
  [[noreturn]] void report_stuck() const;

  std::vector<Warp> warps_;
  std::vector<uint8_t> registers_;
  std::vector<uint32_t> predicates_;
  std::vector<uint32_t> waiting_;   // scratch
};

// --- fragments of a warp

// Adds lanes at pc, merging with those that are there; they become runnable.
void add_fragment(Warp& warp, uint32_t pc, uint32_t mask);

}  // namespace netc::sim
