// The backend of towers with a memory each, where things go wrong: a full device, a bad id, a tower that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/base/errors.h"
#include "compiler/compile.h"
#include "runtime/backend/sim/sim_devices.h"
#include "runtime/gpu/gpu_backend.h"
#include "runtime/gpu/memory_estimate.h"
#include "runtime/jit/nvrtc.h"
#include "tests/support/backend_run.h"
#include "tests/support/mlp.h"

namespace netc::test {
namespace {

using ::testing::HasSubstr;

std::vector<TowerProgram> plans(int towers, int64_t batch_capacity) {
  TrainSpec train;
  train.optimizer = {"sgd", {{"lr", 0.1}}, {}};
  CompileRequest request;
  request.target = gpu_target();
  request.memory = TowerMemory::separate;
  request.products = cuda_products();
  request.batch_capacity = batch_capacity;
  for (int t = 0; t < towers; ++t) request.towers.push_back({{DeviceKind::sim, t}, 1, 1});
  const Compiled compiled = compile(mlp({.widths = {12, 16, 4}, .dropout = 0, .raw_bytes = false}), train, request);
  return {compiled.train, compiled.evaluate, compiled.predict};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class GpuBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  }
  std::unique_ptr<Backend> backend(int towers, int64_t memory_bytes = int64_t{1} << 30) {
    SimulatedGpus gpus;
    gpus.count = towers;
    gpus.memory_bytes = memory_bytes;
    return make_gpu_backend(make_simulated_gpus(gpus), {{}, NETC_BINARY_DIR "/test-cache"});
  }
  static void write_weights(BackendRun& run) {
    for (const std::string& name : run.parameters().names()) {
      Values values;
      for (size_t i = 0; i < run.parameter(name).size(); ++i) values.push_back(0.1 - 0.01 * static_cast<double>(i % 23));
      run.set(name, values);
    }
  }
  static NamedValues inputs(int64_t rows) {
    NamedValues values;
    for (int64_t i = 0; i < rows * 12; ++i) values["image"].push_back(0.01 * static_cast<double>(i % 50));
    for (int64_t i = 0; i < rows; ++i) values["label"].push_back(static_cast<double>(i % 4));
    return values;
  }
};

TEST(MemoryEstimateTest, CountsWeightsOnceAndNamesTheLargest) {
  const std::vector<TowerProgram> programs = plans(1, 64);
  const MemoryEstimate estimate = estimate_memory(programs, {});
  const int64_t weights = (12 * 16 + 16 + 16 * 4 + 4) * 4;
  EXPECT_GE(estimate.fixed_bytes, weights);
  EXPECT_GT(estimate.batch_bytes, 64 * 12 * 4);
  ASSERT_EQ(estimate.largest.size(), 3u);
  EXPECT_GE(estimate.largest[0].second, estimate.largest[1].second);
  EXPECT_NO_THROW(check_memory(estimate, estimate.total(), 64, "sim:0"));
  const std::string message = message_of([&] { check_memory(estimate, estimate.total() - 1, 64, "sim:0"); });
  EXPECT_THAT(message, HasSubstr("on sim:0, which has"));
  EXPECT_THAT(message, HasSubstr("a batch of 63 per tower"));
  EXPECT_THAT(message_of([&] { check_memory(estimate, 10, 64, "sim:0"); }), HasSubstr("weights alone do not fit"));
}

TEST_F(GpuBackendTest, AFullDeviceIsSaidBeforehand) {
  const std::vector<TowerProgram> programs = plans(1, 64);
  EXPECT_THAT(message_of([&] { BackendRun(*backend(1, 4096), programs, 1); }), HasSubstr("this net needs"));
}

TEST_F(GpuBackendTest, CountsLaunchesAndProducts) {
  SimulatedGpus gpus;
  gpus.count = 2;
  auto devices = make_simulated_gpus(gpus);
  const SimulatedGroup* const group = devices.get();
  const auto backend = make_gpu_backend(std::move(devices), {{}, NETC_BINARY_DIR "/test-cache"});
  BackendRun loaded(*backend, plans(2, 64), 2);
  loaded.step(inputs(10), {5, 5}, 0);
  EXPECT_EQ(group->work(0).launches, group->work(1).launches);
  EXPECT_EQ(group->work(0).products, group->work(1).products);
  EXPECT_GT(group->work(0).kernels.global_load_bytes, 0u);
}

// A tower without rows runs every collective, and the others do not wait for it for ever.
TEST_F(GpuBackendTest, IdleTowersAreLegal) {
  const auto devices = backend(3);
  BackendRun loaded(*devices, plans(3, 64), 3);
  write_weights(loaded);
  loaded.step(inputs(1), {1, 0, 0}, 0);
  const double one = loaded.result("loss.total", 0);
  const auto alone = backend(1);
  BackendRun single(*alone, plans(1, 64), 1);
  write_weights(single);
  single.step(inputs(1), {1}, 0);
  EXPECT_GT(one, 0);
  EXPECT_EQ(one, single.result("loss.total", 0));
}

// What a feed throws in one tower ends the step of all, and the next step runs.
TEST_F(GpuBackendTest, AFailingTowerStopsTheOthers) {
  const auto devices = backend(3);
  const std::vector<TowerProgram> programs = plans(3, 64);
  LoadRequest request;
  request.separate = &programs;
  request.tower_count = 3;
  const LoadedGroup group = devices->load(request);
  StepContext context;
  context.tower_rows = {4, 4, 4};
  for (const Scalar& scalar : programs[0].program.scalars)
    if (scalar.op == ExprOp::scalar) context.scalars.emplace_back(scalar.name, 1.0);
  context.feed = [](BufferId, int tower, int64_t, int64_t, void*) {
    if (tower == 1) throw RuntimeError("the disk is gone");
  };
  EXPECT_THAT(message_of([&] { group.programs[0]->run(context); }), HasSubstr("the disk is gone"));
  context.feed = [](BufferId, int, int64_t begin, int64_t end, void* to) { std::memset(to, 0, static_cast<size_t>(end - begin) * 4); };
  EXPECT_NO_THROW(group.programs[0]->run(context));
}

}  // namespace
}  // namespace netc::test
