// Simulated GPUs as the devices of a run (runtime/gpu/device.h): kernels are NVRTC's own PTX, interpreted; products are
// plain loops that add in f32 in ascending order; an all-reduce adds in the order of the towers.
#pragma once

#include <memory>
#include <string>

#include "runtime/backend/sim/launch.h"
#include "runtime/gpu/device.h"

namespace netc {

struct SimulatedGpus {
  int count = 1;
  int threads = 1;                                     // of the host, for each
  sim::Mode mode = sim::Mode::fast;
  int64_t memory_bytes = int64_t{16} << 30;            // of each
  std::string architecture = "compute_90";             // virtual: no machine code is made
};

// What one of them has run so far.
struct SimulatedWork {
  int64_t launches = 0, products = 0;
  sim::LaunchStatistics kernels;
};

class SimulatedGroup : public GpuGroup {
 public:
  virtual SimulatedWork work(int tower) const = 0;
};

std::unique_ptr<SimulatedGroup> make_simulated_gpus(const SimulatedGpus& options);

}  // namespace netc
