#include "runtime/backend/sim/launch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "compiler/base/errors.h"
#include "runtime/backend/sim/block.h"

namespace netc::sim {
namespace {

const Handler* best_handlers(const LaunchOptions& options) {
#if defined(__x86_64__)
  if (!options.without_avx2 && kHasAvx2Handlers && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return kHandlersAvx2;
#endif
  (void)options;
  return kHandlersAny;
}

// Subnormals count and rounding is to nearest while this lives, whatever the calling thread had chosen.
class PlainFloats {
 public:
#if defined(__x86_64__)
  PlainFloats() : saved_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(0x1F80); }
  ~PlainFloats() { __builtin_ia32_ldmxcsr(saved_); }

 private:
  unsigned saved_;
#endif
};

[[noreturn]] void refuse(const Kernel& kernel, const std::string& why) {
  SimulatedGpuFault::Place place;
  place.kernel = kernel.name;
  throw SimulatedGpuFault(FaultKind::bad_launch, place, why);
}

std::string text_of(const Dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

// What cuLaunchKernel would answer with an error.
void check_config(const Kernel& kernel, const LaunchConfig& config, const LaunchOptions& options) {
  const uint64_t threads = config.block.count();
  if (config.grid.count() == 0 || threads == 0)
    refuse(kernel,
           "an empty grid or block (" + text_of(config.grid) + " blocks of " + text_of(config.block) + " threads)");
  if (config.grid.y > 65535 || config.grid.z > 65535 || config.grid.x > 0x7FFFFFFFu)
    refuse(kernel, "a grid of " + text_of(config.grid) + " blocks is too large");
  if (threads > 1024 || config.block.z > 64)
    refuse(kernel, "a block of " + text_of(config.block) + " threads is too large");
  if (kernel.max_threads > 0 && threads > kernel.max_threads)
    refuse(kernel, "a block of " + std::to_string(threads) + " threads, but the kernel is compiled for " +
                       std::to_string(kernel.max_threads) + " at most");
  const uint64_t shared = uint64_t{kernel.static_shared_bytes} + config.shared_bytes;
  if (shared > options.shared_limit_bytes)
    refuse(kernel, std::to_string(shared) + " bytes of shared memory, " + std::to_string(options.shared_limit_bytes) +
                       " at most");
  if (config.grid.count() > UINT32_MAX) refuse(kernel, "a grid of " + text_of(config.grid) + " blocks is too large");
}

std::vector<uint8_t> packed(const Kernel& kernel, void* const* parameters) {
  std::vector<uint8_t> bytes(kernel.parameter_bytes, 0);
  for (size_t p = 0; p < kernel.parameters.size(); ++p)
    std::memcpy(bytes.data() + kernel.parameters[p].offset, parameters[p], kernel.parameters[p].bytes);
  return bytes;
}

// More threads than this many warps a thread would only cost their start.
constexpr uint64_t kWarpsPerThread = 16;

LaunchStatistics run_blocks(const Launch& launch, int threads) {
  const uint64_t blocks = launch.config.grid.count();
  std::atomic<uint64_t> next{0};
  std::mutex mutex;   // guards total and failure
  LaunchStatistics total;
  std::exception_ptr failure;
  const auto work = [&] {
    const PlainFloats plain;
    try {
      BlockState block(launch);
      for (uint64_t index = next++; index < blocks; index = next++) block.run(index);
      const std::lock_guard lock(mutex);
      total.add(block.statistics);
    } catch (...) {
      next = blocks;   // the others finish the block they are in
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
  return total;
}

}  // namespace

LaunchStatistics launch(const Module& module, std::string_view name, const LaunchConfig& config,
                        void* const* parameters, DeviceMemory& memory, const LaunchOptions& options) {
  const Kernel* kernel = module.find(name);
  if (!kernel) throw InternalError("the program has no kernel " + std::string(name));
  check_config(*kernel, config, options);
  Launch parts{module, *kernel, config, options, memory, best_handlers(options), packed(*kernel, parameters), 0};
  const uint64_t blocks = config.grid.count(), warps = blocks * ((config.block.count() + kWarpLanes - 1) / kWarpLanes);
  if (options.mode == Mode::check) {
    parts.first_block_serial = memory.next_block_serial(static_cast<uint32_t>(blocks));
    return run_blocks(parts, 1);
  }
  const uint64_t useful = std::min(blocks, 1 + warps / kWarpsPerThread);
  return run_blocks(parts,
                    static_cast<int>(std::min<uint64_t>(useful, static_cast<uint64_t>(std::max(options.threads, 1)))));
}

}  // namespace netc::sim
