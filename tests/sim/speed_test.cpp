// How fast the simulator is. Not run by itself:
//
//   build/tests/test_sim --gtest_also_run_disabled_tests --gtest_filter='*Speed*'
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>

#include "tests/sim/checked_launch.h"

namespace netc::sim {
namespace {

struct Took {
  double ms = 1e9;       // on the clock
  double cpu_ms = 1e9;   // of all threads together: steadier on a busy machine
};

// The best of several runs.
Took best_of(const std::function<void()>& work, int runs = 9) {
  Took best;
  for (int k = 0; k < runs; ++k) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    work();
    best.cpu_ms = std::min(best.cpu_ms, 1e3 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC);
    best.ms =
        std::min(best.ms, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

TEST(DISABLED_Speed, OfKernels) {
  const std::string ptx = kept_ptx("kernels");
  const Module module = parse_ptx(ptx);
  const int count = 1 << 20, columns = 1024;
  const std::vector<float> values(count, 0.5f);
  DeviceMemory memory;
  const Address in = upload(memory, values, "x"), bias = upload(memory, values, "bias"),
                out = memory.allocate(4 * count, "y");
  const auto report = [&](const char* what, const std::function<LaunchStatistics(const LaunchOptions&)>& work) {
    const struct {
      const char* name;
      LaunchOptions options;
    } ways[] = {{"1 thread", {Mode::fast, 1}}, {"2 threads", {Mode::fast, 2}}, {"check", {Mode::check, 1}}};
    for (const auto& way : ways) {
      LaunchStatistics statistics;
      const Took took = best_of([&] { statistics = work(way.options); }, way.options.mode == Mode::check ? 2 : 9);
      printf("%-26s %-9s %8.2f ms, %8.2f ms of cpu, %7.0f thousand warp instructions, %5.1f ns each\n", what, way.name,
             took.ms, took.cpu_ms, static_cast<double>(statistics.instructions) / 1e3,
             1e6 * took.cpu_ms / static_cast<double>(statistics.instructions));
    }
  };
  report("bias+gelu of 1M elements", [&](const LaunchOptions& options) {
    return launch_with(module, "bias_gelu", {{count / 4 / 256, 1, 1}, {256, 1, 1}}, memory, options, out, in, bias,
                       columns, count);
  });
  report("softmax 1024 x 1024", [&](const LaunchOptions& options) {
    return launch_with(module, "softmax", {{1024, 1, 1}, {256, 1, 1}}, memory, options, out, in, columns);
  });
  report("matmul 256 x 256 x 256", [&](const LaunchOptions& options) {
    return launch_with(module, "matmul", {{8, 8, 1}, {32, 8, 1}}, memory, options, out, in, bias, 256, 256, 256);
  });
  report("launch of one block", [&](const LaunchOptions& options) {
    return launch_with(module, "bias_gelu", {{1, 1, 1}, {256, 1, 1}}, memory, options, out, in, bias, columns, 1024);
  });
  printf("parse of %zu kernels, %zu KB: %.2f ms\n", module.kernels.size(), ptx.size() / 1024,
         best_of([&] { parse_ptx(ptx); }).cpu_ms);
  if (jit::nvrtc_available()) {
    printf("NVRTC, PTX only: %.0f ms\n", best_of([] { compile_cuda("kernels"); }, 3).cpu_ms);
    printf("NVRTC, with machine code: %.0f ms\n", best_of(
                                                      [] {
                                                        jit::nvrtc_compile(read_file(test_folder() + "kernels.cu"),
                                                                           "kernels.cu", {"--gpu-architecture=sm_80"});
                                                      },
                                                      3)
                                                      .cpu_ms);
  }
}

}  // namespace
}  // namespace netc::sim
