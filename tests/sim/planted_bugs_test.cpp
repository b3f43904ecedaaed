// A permanent test of the checker: every kernel with a planted bug is caught, with the right kind and line; every
// correct twin is clean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checked_launch.h"

namespace netc::sim {
namespace {

struct Planted {
  const char* name;
  FaultKind kind;
  uint32_t blocks = 4;         // of 128 threads
  uint32_t shared_bytes = 0;   // of the bug
  uint32_t fixed_shared_bytes = 0;
};

const Planted kPlanted[] = {
    {"missing_barrier", FaultKind::uninitialised_read},   // the first warp runs ahead of those that write
    {"missing_broadcast_barrier", FaultKind::uninitialised_read},
    {"scratch_used_twice", FaultKind::race},
    {"stale_tile", FaultKind::race},
    {"write_after_read", FaultKind::race},
    {"divergent_barrier", FaultKind::divergent_barrier},
    {"return_before_barrier", FaultKind::divergent_barrier},
    {"barrier_in_uneven_loop", FaultKind::divergent_barrier},
    {"deadlock", FaultKind::deadlock},
    {"spin_for_a_later_block", FaultKind::no_progress},
    {"off_by_one_guard", FaultKind::out_of_bounds},
    {"grid_too_large", FaultKind::out_of_bounds, 5},
    {"vector_tail", FaultKind::out_of_bounds},
    {"misaligned_float4", FaultKind::misaligned},
    {"misaligned_half2", FaultKind::misaligned},
    {"negative_index", FaultKind::out_of_bounds},
    {"index_overflow", FaultKind::out_of_bounds},
    {"shared_overrun", FaultKind::out_of_bounds},
    {"dynamic_shared_size", FaultKind::out_of_bounds, 4, 256, 512},
    {"local_overrun", FaultKind::out_of_bounds},
    {"rows_and_columns_swapped", FaultKind::out_of_bounds},
    {"wrong_device", FaultKind::wrong_device},
    {"freed_buffer", FaultKind::use_after_free},
    {"host_pointer", FaultKind::out_of_bounds},
    {"uninitialised_shared", FaultKind::uninitialised_read},
    {"uninitialised_global", FaultKind::uninitialised_read},
    {"sum_into_fresh_memory", FaultKind::uninitialised_read},
    {"blocks_race", FaultKind::race},
    {"halo_race", FaultKind::race},
    {"histogram_race", FaultKind::race},
    {"plain_read_of_counter", FaultKind::race},
    {"missing_warp_sync", FaultKind::race},
    {"last_block_without_release", FaultKind::race},
    {"last_block_without_acquire", FaultKind::race},
    {"partial_shuffle", FaultKind::divergent_warp},
    {"shuffle_after_return", FaultKind::divergent_warp},
    {"mask_without_itself", FaultKind::divergent_warp},
    {"assertion", FaultKind::trap},
};

constexpr int kCount = 512;   // floats: four blocks of 128

void run(const Module& module, const Planted& planted, bool is_bug) {
  const std::string kernel = std::string(planted.name) + (is_bug ? "_bug" : "_fix");
  DeviceMemory memory(0), other_memory(1);
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i % 128);
  Address in = upload(memory, values, "in");
  const Address out = memory.allocate(kCount * sizeof(float), "out");
  const Address words = upload(memory, std::vector<int>(64, 0), "words");
  if (is_bug && kernel == "wrong_device_bug") in = upload(other_memory, values, "in");
  if (is_bug && kernel == "freed_buffer_bug") memory.free(in);
  if (is_bug && kernel == "host_pointer_bug") in = reinterpret_cast<Address>(values.data());
  LaunchOptions options;
  options.mode = Mode::check;
  options.instruction_limit = 100000;
  const LaunchConfig config{
      {planted.blocks, 1, 1}, {128, 1, 1}, is_bug ? planted.shared_bytes : planted.fixed_shared_bytes};
  launch_with(module, kernel, config, memory, options, out, in, words, int{kCount});
}

void check(const Module& module, const Planted& planted) {
  try {
    run(module, planted, true);
    ADD_FAILURE() << planted.name << ": the bug is not found";
  } catch (const SimulatedGpuFault& fault) {
    EXPECT_EQ(fault.kind, planted.kind) << fault.what();
    EXPECT_EQ(fault.place.kernel, std::string(planted.name) + "_bug");
    EXPECT_THAT(fault.place.source, ::testing::StartsWith("planted_bugs.cu:")) << fault.what();
    if (std::getenv("NETC_SHOW_FAULTS")) puts(fault.what());
  }
  try {
    run(module, planted, false);
  } catch (const SimulatedGpuFault& fault) {
    ADD_FAILURE() << planted.name << ": a false alarm: " << fault.what();
  }
}

TEST(PlantedBugs, AreFoundAndTheirTwinsAreClean) {
  const Module module = parse_ptx(kept_ptx("planted_bugs"));
  ASSERT_EQ(module.kernels.size(), 2 * std::size(kPlanted));
  for (const Planted& planted : kPlanted) check(module, planted);
}

TEST(PlantedBugs, AreFoundInWhatNvrtcMakesOfThemNow) {
  if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  const Module module = parse_ptx(compile_cuda("planted_bugs").ptx);
  for (const Planted& planted : kPlanted) check(module, planted);
}

}  // namespace
}  // namespace netc::sim
