// N towers compute what one tower computes: the same losses, the same weights, bit for bit, for any batch, any number of
// towers (idle ones too) and any number of threads. Weight gradients are summed inside the kernel that makes them, in
// global row order, so nothing weaker than equality of bits is asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/compile.h"
#include "compiler/kernel/random.h"
#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/cpu/detect.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/support/mlp.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

constexpr int kSteps = 3;
constexpr int64_t kBatches[] = {1, 7, 128, 483};
constexpr int kTowers[] = {1, 2, 3, 5};

// A cheap deterministic stand-in for data and starting weights.
double noise(uint32_t stream, int64_t i) {
  return static_cast<double>(random_bits(99, 0, stream, static_cast<uint32_t>(i), 0)) / 4294967296.0 - 0.5;
}

struct Recipe {
  std::string name;
  NetOptions net;
  OptimizerSpec optimizer;
  ClipSpec clip;
};

std::vector<Recipe> recipes() {
  const NetOptions small{{20, 33, 17, 5}, 0.2, true};
  return {
      {"rmsprop", small, {"rmsprop", {{"lr", 0.01}, {"rho", 0.9}, {"eps", 1e-8}}, {}}, {}},
      {"adam_clipped", {{12, 40, 7}, 0.5, false}, {"adam", {{"lr", 0.01}, {"beta_1", 0.9}, {"beta_2", 0.999}, {"eps", 1e-8}}, {}}, {ClipSpec::Kind::global_norm, 0.5}},
      {"sgd_no_dropout", {{9, 16, 3}, 0, false}, {"sgd", {{"lr", 0.1}, {"momentum", 0.9}, {"nesterov", 1}}, {}}, {}},
  };
}

struct Trace {
  std::vector<double> losses;
  std::vector<std::vector<float>> weights;
};

Trace run(Backend& backend, const Target& target, const Recipe& recipe, int64_t batch, int towers, int threads) {
  const Graph net = mlp(recipe.net);
  TrainSpec train;
  train.optimizer = recipe.optimizer;
  train.clip = recipe.clip;
  CompileRequest request;
  request.target = target;
  request.batch_capacity = (batch + towers - 1) / towers;
  for (int t = 0; t < towers; ++t) request.towers.push_back({{DeviceKind::cpu, t}, 1, threads});
  const Compiled compiled = compile(net, train, request);
  BackendRun loaded(backend, compiled.programs, towers);

  for (size_t p = 0; p < net.parameters.size(); ++p) {
    Values values(static_cast<size_t>(element_count(net.parameters[p].type.shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = noise(static_cast<uint32_t>(p), static_cast<int64_t>(i)) * 0.5;
    loaded.set(net.parameters[p].path, values);
  }
  for (const State& state : compiled.gradient.states)
    loaded.set(state.name, Values(static_cast<size_t>(element_count(state.type.shape)), state.initial));

  const int64_t width = recipe.net.widths.front(), classes = recipe.net.widths.back();
  Trace trace;
  for (int step = 0; step < kSteps; ++step) {
    NamedValues inputs{{"image", {}}, {"label", {}}};
    for (int64_t i = 0; i < batch * width; ++i) {
      const double x = noise(1000 + static_cast<uint32_t>(step), i);
      inputs["image"].push_back(recipe.net.raw_bytes ? std::floor((x + 0.5) * 255) : x);
    }
    for (int64_t i = 0; i < batch; ++i) inputs["label"].push_back(std::floor((noise(2000 + static_cast<uint32_t>(step), i) + 0.5) * static_cast<double>(classes)));
    loaded.update = static_cast<uint32_t>(step);
    loaded.scalars = {{"inverse_batch", 1.0 / static_cast<double>(batch)}, {"learning_rate", 0.01}, {"update_count", step + 1.0}};
    loaded.step(inputs, spread(batch, towers));
    trace.losses.push_back(loaded.result("loss.total"));
    trace.losses.push_back(loaded.result("metric.accuracy"));
  }
  for (const Parameter& parameter : net.parameters) trace.weights.push_back(loaded.parameter(parameter.path));
  for (const State& state : compiled.gradient.states) trace.weights.push_back(loaded.parameter(state.name));
  return trace;
}

void expect_same_bits(const Trace& one, const Trace& many, const std::string& what) {
  EXPECT_EQ(one.losses, many.losses) << what;
  ASSERT_EQ(one.weights.size(), many.weights.size()) << what;
  for (size_t w = 0; w < one.weights.size(); ++w) EXPECT_EQ(one.weights[w], many.weights[w]) << what << ", weight " << w;
}

void check_all(Backend& backend, const Target& target, int threads) {
  for (const Recipe& recipe : recipes()) {
    for (int64_t batch : kBatches) {
      const Trace one = run(backend, target, recipe, batch, 1, 1);
      for (double loss : one.losses) ASSERT_TRUE(std::isfinite(loss)) << recipe.name;
      for (int towers : kTowers)
        expect_same_bits(one, run(backend, target, recipe, batch, towers, threads),
                         recipe.name + ", batch " + std::to_string(batch) + ", " + std::to_string(towers) + " towers, " + std::to_string(threads) + " threads each");
    }
  }
}

TEST(TowerEquivalence, Reference) {
  const auto backend = make_reference_backend(Arithmetic::f32);
  check_all(*backend, *find_target("plain"), 1);
}

class CpuTowers : public testing::TestWithParam<std::string> {};

TEST_P(CpuTowers, SameBitsAsOneTower) {
  CpuOptions options;
  options.target = GetParam();
  options.cache_directory = NETC_BINARY_DIR "/kernel-cache";
  const auto backend = make_cpu_backend(options);
#if defined(__SANITIZE_ADDRESS__)   // the kernels are compiled without sanitizers; two threads try all that is ours
  const std::vector<int> thread_counts{2};
#else
  const std::vector<int> thread_counts{1, 2};
#endif
  for (int threads : thread_counts) check_all(*backend, *find_target(GetParam()), threads);
}

std::vector<std::string> targets_here() {
  std::vector<std::string> names;
  for (const Target& target : known_targets())
    if (runs_target(target)) names.push_back(target.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Targets, CpuTowers, testing::ValuesIn(targets_here()), [](const auto& tested) { return tested.param; });

// A mask is a function of the seed, the update, the layer and the global row: two updates differ, two towers do not
// repeat one another (they would with a generator per tower).
TEST(TowerEquivalence, DropoutDiffersByUpdateAndByRow) {
  int equal_rows = 0, equal_updates = 0;
  for (uint32_t row = 0; row < 64; ++row) {
    uint64_t a = 0, b = 0, c = 0;
    for (uint32_t column = 0; column < 64; ++column) {
      a = a << 1 | (random_bits(1, 0, 7, row, column) >> 31);
      b = b << 1 | (random_bits(1, 0, 7, row + 64, column) >> 31);
      c = c << 1 | (random_bits(1, 1, 7, row, column) >> 31);
    }
    equal_rows += a == b;
    equal_updates += a == c;
  }
  EXPECT_EQ(equal_rows, 0);
  EXPECT_EQ(equal_updates, 0);
}

}  // namespace
}  // namespace netc::test
