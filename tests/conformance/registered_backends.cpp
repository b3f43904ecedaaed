#include "tests/conformance/registered_backends.h"

#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/cpu/detect.h"
#include "runtime/backend/reference/reference_backend.h"
#include "runtime/backend/sim/sim_devices.h"
#include "runtime/gpu/gpu_backend.h"
#include "runtime/jit/nvrtc.h"

namespace netc::test {
namespace {

// The interpreter reads any layout; the widest panels are the furthest from row-major.
RegisteredBackend reference() {
  return {"reference", *find_target("avx512"), [](int) { return make_reference_backend(Arithmetic::f32); }, true, TowerMemory::shared, {}};
}

RegisteredBackend cpu(const Target& target) {
  const auto make = [name = target.name](int) {
    CpuOptions options;
    options.target = name;
    options.cache_directory = std::string(NETC_BINARY_DIR) + "/conformance-kernels";
    return make_cpu_backend(options);
  };
  // Single ops are compiled for the widest target only: their host compilation is what takes the time.
  return {"cpu_" + target.name, target, make, target == detect_cpu_target(), TowerMemory::shared, {}};
}

// Every kernel as the CUDA text a GPU gets, on simulated GPUs that check each access.
RegisteredBackend simulated() {
  const auto make = [](int towers) {
    SimulatedGpus gpus;
    gpus.count = towers;
    gpus.mode = sim::Mode::check;
    GpuOptions options;
    options.cache_directory = std::string(NETC_BINARY_DIR) + "/conformance-kernels";
    return make_gpu_backend(make_simulated_gpus(gpus), options);
  };
  return {"sim", gpu_target(), make, true, TowerMemory::separate, {}};
}

}  // namespace

const std::vector<RegisteredBackend>& registered_backends() {
  static const std::vector<RegisteredBackend> all = [] {
    std::vector<RegisteredBackend> list = {reference()};
    for (const Target& target : known_targets())
      if (runs_target(target)) list.push_back(cpu(target));
    if (jit::nvrtc_available()) list.push_back(simulated());
    return list;
  }();
  return all;
}

}  // namespace netc::test
