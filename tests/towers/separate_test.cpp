// Towers with a memory each compute what towers of one memory compute: the same losses and weights, within the error
// that f32 may make in whatever order it adds, and the same bits on every tower.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/base/errors.h"
#include "compiler/compile.h"
#include "compiler/ops/op.h"
#include "compiler/kernel/partial_sums.h"
#include "compiler/kernel/random.h"
#include "runtime/backend/reference/reference_backend.h"
#include "runtime/backend/sim/sim_devices.h"
#include "runtime/gpu/device_memory_plan.h"
#include "runtime/gpu/gpu_backend.h"
#include "runtime/jit/nvrtc.h"
#include "tests/support/backend_run.h"
#include "tests/support/golden.h"
#include "tests/towers/separate_nets.h"

namespace netc::test {
namespace {

constexpr int kSteps = 2;
constexpr int64_t kBatches[] = {1, 7, 128, 483};
constexpr int kTowers[] = {1, 2, 3, 5};

// A cheap deterministic stand-in for data and starting weights, -0.5 to 0.5.
double noise(uint32_t stream, int64_t i) {
  return static_cast<double>(random_bits(99, 0, stream, static_cast<uint32_t>(i), 0)) / 4294967296.0 - 0.5;
}

struct Options {
  int64_t bucket_bytes = 4096;
  bool fuse = true;
  std::optional<ProductLibrary> products = std::nullopt;
  const Target* target = find_target("plain");
};

Compiled compiled(const SeparateNet& net, TowerMemory memory, int64_t batch, int towers, const Options& options = {}) {
  TrainSpec train;
  train.optimizer = net.optimizer;
  train.clip = net.clip;
  CompileRequest request;
  request.target = *options.target;
  request.batch_capacity = (batch + towers - 1) / towers;
  for (int t = 0; t < towers; ++t) request.towers.push_back({{memory == TowerMemory::shared ? DeviceKind::cpu : DeviceKind::gpu, t}, 1, 1});
  request.memory = memory;
  request.bucket_bytes = options.bucket_bytes;
  request.fuse = options.fuse;
  request.products = options.products;
  return compile(net.graph, train, request);
}

struct Observed {
  double value = 0, error = 0;   // error: of the oracle only
};
using Trace = std::map<std::string, std::vector<Observed>>;


// Trains kSteps steps, evaluates and predicts once. `with_errors`: the backend is bounded.
Trace run(BackendRun& loaded, const Compiled& of, const Graph& net, int64_t batch, int towers, bool with_errors, double factor = 1) {
  for (size_t p = 0; p < net.parameters.size(); ++p) {
    Values values(static_cast<size_t>(element_count(net.parameters[p].type.shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(noise(static_cast<uint32_t>(p), static_cast<int64_t>(i)));
    loaded.set(net.parameters[p].path, values);
  }
  std::vector<std::string> weights;
  for (const Parameter& parameter : net.parameters) weights.push_back(parameter.path);
  for (const State& state : of.gradient.states) {
    loaded.set(state.name, Values(static_cast<size_t>(element_count(state.type.shape)), state.initial));
    weights.push_back(state.name);
  }
  Trace trace;
  const auto sums = [&](const std::string& when, size_t program) {
    for (const NamedBuffer& result : of.programs[program].results) {
      std::vector<Observed>& seen = trace[when + result.name];
      const bool batched = of.programs[program].buffers[static_cast<size_t>(result.buffer)].rows.times_batch;
      if (batched) for (float v : loaded.output(result.name, program)) seen.push_back({v});
      else seen = {{loaded.result(result.name, program)}};
      if (!with_errors) continue;
      const std::vector<double> errors = error_bounds(loaded.loaded(program), result.name);
      for (size_t i = 0; i < seen.size(); ++i) seen[i].error = errors.at(i);
    }
  };
  for (int step = 0; step < kSteps; ++step) {
    NamedValues inputs;
    for (const Node& node : net.nodes) {
      if (node.op != "input") continue;
      Values& values = inputs[node.name];
      const auto stream = static_cast<uint32_t>(1000 + step + 10 * inputs.size());
      for (int64_t i = 0; i < batch * element_count(node.type.shape); ++i) {
        const double x = noise(stream, i);
        const int64_t whole = node.type.classes > 0 ? node.type.classes : 256;
        values.push_back(is_floating(node.type.dtype) ? static_cast<float>(x) : std::floor((x + 0.5) * static_cast<double>(whole)));
      }
    }
    loaded.update = static_cast<uint32_t>(step);
    loaded.scalars = {{"inverse_batch", factor / static_cast<double>(batch)}, {"learning_rate", 0.01}, {"update_count", step + 1.0}};
    loaded.step(inputs, spread(batch, towers), 0);
    sums("step " + std::to_string(step) + " ", 0);
    if (step + 1 == kSteps)
      for (size_t program : {size_t{1}, size_t{2}}) {
        loaded.step(inputs, spread(batch, towers), program);
        sums(of.programs[program].name + " ", program);
      }
  }
  for (const std::string& name : weights) {
    for (float v : loaded.parameter(name)) trace[name].push_back({v});
    if (!with_errors) continue;
    const std::vector<double> errors = error_bounds(loaded.parameters(), name);
    for (size_t i = 0; i < errors.size(); ++i) trace[name][i].error = errors[i];
  }
  return trace;
}

// The oracle: the program of one tower and one memory, in f64, with what f32 may be off by.
Trace oracle(const SeparateNet& net, int64_t batch) {
  const Compiled one = compiled(net, TowerMemory::shared, batch, 1);
  const auto backend = make_reference_backend(Arithmetic::bounded);
  BackendRun loaded(*backend, one.programs, 1);
  return run(loaded, one, net.graph, batch, 1, true);
}

std::string first_difference(const Trace& oracle, const Trace& trace) {
  if (oracle.size() != trace.size()) return "other results";
  for (const auto& [name, wanted] : oracle) {
    const std::vector<Observed>& seen = trace.at(name);
    if (seen.size() != wanted.size()) return name + ": another number of values";
    for (size_t i = 0; i < seen.size(); ++i)
      if (!(std::abs(seen[i].value - wanted[i].value) <= wanted[i].error))
        return name + "[" + std::to_string(i) + "] = " + std::to_string(seen[i].value) + ", not " + std::to_string(wanted[i].value) +
               " within " + std::to_string(wanted[i].error);
  }
  return "";
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

Trace run_separate(const SeparateNet& net, const Compiled& plan, int64_t batch, int towers, Arithmetic arithmetic = Arithmetic::f32, double factor = 1) {
  const auto backend = make_reference_backend(arithmetic);
  BackendRun loaded(*backend, std::vector<TowerProgram>{plan.train, plan.evaluate, plan.predict}, towers);
  Trace trace = run(loaded, plan, net.graph, batch, towers, false, factor);
  for (const std::string& name : loaded.parameters().names())
    for (int tower = 1; tower < towers; ++tower)
      EXPECT_TRUE(same_bits(weight_of_tower(loaded.parameters(), 0, name), weight_of_tower(loaded.parameters(), tower, name)))
          << net.name << ": " << name << " of tower " << tower;
  return trace;
}

class SeparateTowers : public testing::TestWithParam<std::string> {};

TEST_P(SeparateTowers, ComputeWhatOneMemoryComputes) {
  const SeparateNet net = separate_net(GetParam());
  for (int64_t batch : kBatches) {
    const Trace wanted = oracle(net, batch);
    // Close calls (a rank among classes, a relu at 0) have wide bounds; where they are few the rest must be narrow.
    for (const Parameter& parameter : net.graph.parameters) {
      if (batch != 128) continue;
      for (const Observed& v : wanted.at(parameter.path)) ASSERT_LT(v.error, 5e-3) << parameter.path << " is bounded by nothing";
    }
    for (int towers : kTowers)
      EXPECT_EQ(first_difference(wanted, run_separate(net, compiled(net, TowerMemory::separate, batch, towers), batch, towers)), "")
          << "batch " << batch << ", " << towers << " towers";
  }
}

// The CUDA program of each net on simulated GPUs, every access checked.
TEST_P(SeparateTowers, ComputeTheSameOnSimulatedGpus) {
  if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  const SeparateNet net = separate_net(GetParam());
  for (int64_t batch : {1, 7, 60}) {
    const Trace wanted = oracle(net, batch);
    for (int towers : {1, 2, 3, 4}) {
      SimulatedGpus gpus;
      gpus.count = towers;
      gpus.mode = sim::Mode::check;
      const auto backend = make_gpu_backend(make_simulated_gpus(gpus), {{}, NETC_BINARY_DIR "/test-cache"});
      const Compiled plan = compiled(net, TowerMemory::separate, batch, towers, {.products = cuda_products(), .target = &gpu_target()});
      BackendRun loaded(*backend, std::vector<TowerProgram>{plan.train, plan.evaluate, plan.predict}, towers);
      EXPECT_EQ(first_difference(wanted, run(loaded, plan, net.graph, batch, towers, false)), "") << "batch " << batch << ", " << towers << " towers";
      const auto& parameters = dynamic_cast<const GpuParameters&>(loaded.parameters());
      for (const std::string& name : parameters.names())
        for (int tower = 1; tower < towers; ++tower)
          EXPECT_TRUE(same_bits(parameters.read(name, 0), parameters.read(name, tower))) << name << " of tower " << tower;
    }
  }
}

TEST_P(SeparateTowers, NeedNoFusion) {
  const SeparateNet net = separate_net(GetParam());
  const Compiled plan = compiled(net, TowerMemory::separate, 7, 3, {.fuse = false});
  EXPECT_EQ(first_difference(oracle(net, 7), run_separate(net, plan, 7, 3)), "");
}

// The program for a library of products computes the same, with masks, column sums and all.
TEST_P(SeparateTowers, WithProductsLeftToALibrary) {
  const SeparateNet net = separate_net(GetParam());
  ProductLibrary all = cublaslt();
  all.mask_columns = 1;
  ProductLibrary few = all;
  few.masks = few.addend = few.column_sums = few.gelu_tanh = false;
  few.least_reduced = 12;
  for (const ProductLibrary& library : {all, few, ProductLibrary{}})
    for (int64_t batch : {int64_t{1}, int64_t{128}})
      for (int towers : {1, 3})
        EXPECT_EQ(first_difference(oracle(net, batch), run_separate(net, compiled(net, TowerMemory::separate, batch, towers, {.products = library}), batch, towers)), "")
            << "batch " << batch << ", " << towers << " towers";
}

// What that test is about is there: masks applied and kept, sums that go with a product.
TEST(SeparatePlan, ALibrarysProductsHaveMasksAndColumnSums) {
  ProductLibrary library = cublaslt();
  library.mask_columns = 1;
  const Compiled plan = compiled(separate_net("images"), TowerMemory::separate, 8, 2, {.products = library});
  const Program& program = plan.train.program;
  EXPECT_EQ(std::count_if(program.buffers.begin(), program.buffers.end(), [](const Buffer& b) { return b.dtype == DType::boolean; }), 2);
  EXPECT_EQ(std::count_if(program.steps.begin(), program.steps.end(), [](const Step& s) { return s.with != kNone; }), 3);
  EXPECT_EQ(launches_per_step(program), 14);
}

// In f64 the towers' own memory and buckets agree far more closely than f32 could tell.
TEST_P(SeparateTowers, AgreeInDoublePrecision) {
  const SeparateNet net = separate_net(GetParam());
  Trace wanted = oracle(net, 128);
  for (auto& [name, values] : wanted)   // weights come back as f32: half an ulp of their own
    for (Observed& v : values) v.error = v.error * 1e-6 + std::abs(v.value) * 0x1p-23 + 1e-30;
  EXPECT_EQ(first_difference(wanted, run_separate(net, compiled(net, TowerMemory::separate, 128, 5), 128, 5, Arithmetic::f64)), "");
}

// However gradients are bucketed, each is completed once.
TEST_P(SeparateTowers, BucketsOfAnySize) {
  const SeparateNet net = separate_net(GetParam());
  const Trace wanted = oracle(net, 7);
  size_t most = 0, fewest = 1000;
  for (int64_t bytes : {int64_t{1}, int64_t{300}, int64_t{1} << 30}) {
    const Compiled plan = compiled(net, TowerMemory::separate, 7, 2, {.bucket_bytes = bytes});
    most = std::max(most, plan.train.buckets.size());
    fewest = std::min(fewest, plan.train.buckets.size());
    EXPECT_EQ(first_difference(wanted, run_separate(net, plan, 7, 2)), "") << bytes;
  }
  EXPECT_GT(most, fewest);
}

// ---- what the plans look like --------------------------------------------------------------------------------------

TEST(SeparatePlan, SmallNet) {
  const Compiled plan = compiled(separate_net("images"), TowerMemory::separate, 128, 2, {.bucket_bytes = 2048});
  expect_golden("towers/golden/images_separate.txt", to_string(plan.train) + "\n" + to_string(plan.evaluate) + "\n" + to_string(plan.train.program));
}

// A weight that is used twice is in one bucket once, as one sum; and so is every other.
TEST(SeparatePlan, EveryWeightIsReducedOnce) {
  for (const SeparateNet& net : separate_nets()) {
    const Compiled plan = compiled(net, TowerMemory::separate, 8, 2);
    int64_t weights = 0, reduced = 0;
    for (const Parameter& parameter : net.graph.parameters) weights += element_count(parameter.type.shape);
    for (const GradientBucket& bucket : plan.train.buckets)
      for (BufferId b : bucket.buffers)
        if (plan.train.program.buffers[static_cast<size_t>(b)].kind == BufferKind::gradient)
          reduced += plan.train.program.buffers[static_cast<size_t>(b)].rows.count * plan.train.program.buffers[static_cast<size_t>(b)].columns;
    // Beside its weights one net adds up a mean and its cotangent, and one a loss that is not yet whole.
    const int64_t beside = net.name == "centred_over_the_batch" ? 24 : net.name == "twice_with_penalty" ? 1 : 0;
    EXPECT_EQ(reduced, weights + beside) << net.name << "\n" << to_string(plan.train);
  }
}

TEST(SeparatePlan, EvaluationAddsUpItsSumsAndPredictionNothing) {
  const Compiled plan = compiled(separate_net("images"), TowerMemory::separate, 8, 2);
  ASSERT_EQ(plan.evaluate.buckets.size(), 1u);
  EXPECT_EQ(plan.evaluate.buckets[0].buffers.size(), 2u);
  EXPECT_EQ(plan.evaluate.buckets[0].before_step, static_cast<int32_t>(plan.evaluate.program.steps.size()));
  EXPECT_TRUE(plan.predict.buckets.empty());
}

// No tower can make the largest value of the whole batch out of sums.
TEST(SeparatePlan, RefusesAMaximumOverTheBatch) {
  SeparateNet net = separate_net("images");
  GraphBuilder b(net.graph);
  const NodeId top = b.op("reduce_max", {net.graph.results.back().node}, {{"axes", std::vector<int64_t>{0}}, {"batch", true}});
  net.graph.results.push_back({"metric.top", top});
  EXPECT_NO_THROW(compiled(net, TowerMemory::shared, 8, 2));
  EXPECT_THROW(compiled(net, TowerMemory::separate, 8, 2), InternalError);
  EXPECT_THROW(compiled(net, TowerMemory::separate, 8, 2, {.fuse = false}), InternalError);
}

// ---- planted faults ------------------------------------------------------------------------------------------------

struct Fault {
  std::string name;
  void (*plant)(TowerProgram&);
  std::string found;   // in the words of verify; "": verify cannot know, the comparison must
};

class PlantedFaults : public testing::TestWithParam<Fault> {};

std::vector<Fault> faults() {
  return {
      {"BucketLeftOut", [](TowerProgram& t) { t.buckets.erase(t.buckets.begin()); }, "in no bucket"},
      {"BufferLeftOut", [](TowerProgram& t) {
         GradientBucket& bucket = t.buckets.front();
         const Buffer& last = t.program.buffers[static_cast<size_t>(bucket.buffers.back())];
         bucket.bytes -= last.rows.count * last.columns * 4;
         bucket.buffers.pop_back();
       }, "in no bucket"},
      {"BufferTwice", [](TowerProgram& t) { t.buckets.push_back(t.buckets.front()); }, "added up twice"},
      {"BucketBeforeItsWriter", [](TowerProgram& t) { t.buckets.front().after_step = 0; }, "is added up before"},
      {"BucketAfterItsReader", [](TowerProgram& t) { t.buckets.front().before_step = static_cast<int32_t>(t.program.steps.size()); }, "before it is whole"},
      {"WeightInABucket", [](TowerProgram& t) {
         for (size_t b = 0; b < t.program.buffers.size(); ++b)
           if (t.program.buffers[b].name == "head.bias") t.buckets.front().buffers.push_back(static_cast<BufferId>(b));
       }, "is no summand"},
      {"OrderThatWaitsForEver", [](TowerProgram& t) { std::swap(t.buckets.front().after_step, t.buckets.front().before_step); }, "stands nowhere"},
      {"UpdateOnEachTowersSummand", [](TowerProgram& t) { t.program.steps.back().scope = StepScope::summand; }, "runs for each tower's summand but"},
      {"JointStep", [](TowerProgram& t) { t.program.steps.back().scope = StepScope::joint; }, "runs for all towers together but"},
  };
}

TEST_P(PlantedFaults, AreFoundByVerify) {
  Compiled plan = compiled(separate_net("images"), TowerMemory::separate, 7, 3, {.bucket_bytes = 2048});
  EXPECT_TRUE(verify(plan.train).empty());
  GetParam().plant(plan.train);
  const std::vector<std::string> found = verify(plan.train);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const std::string& f) { return f.find(GetParam().found) != f.npos; }))
      << (found.empty() ? "nothing was found" : found.front());
}
INSTANTIATE_TEST_SUITE_P(Plans, PlantedFaults, testing::ValuesIn(faults()), [](const auto& tested) { return tested.param.name; });

// A step on its own rows waits for a bucket that comes behind one which is not ready before that step.
TEST(PlantedFaults, AnOrderThatWaitsForEver) {
  Compiled plan = compiled(separate_net("centred_over_the_batch"), TowerMemory::separate, 7, 3);
  EXPECT_TRUE(verify(plan.train).empty());
  std::swap(plan.train.buckets.front(), plan.train.buckets.back());
  const std::vector<std::string> found = verify(plan.train);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const std::string& f) { return f.find("is needed before") != f.npos; }));
}

TEST(PlantedFaults, AreFoundByTheComparison) {
  const SeparateNet net = separate_net("images");
  const Trace wanted = oracle(net, 7);
  const Compiled sound = compiled(net, TowerMemory::separate, 7, 3, {.bucket_bytes = 2048});
  ASSERT_EQ(first_difference(wanted, run_separate(net, sound, 7, 3)), "");
  EXPECT_NE(first_difference(wanted, run_separate(net, sound, 7, 3, Arithmetic::f32, 3.0)), "") << "divided by a tower's own rows";
  Compiled early = sound;
  early.train.buckets.front().after_step = 0;
  EXPECT_NE(first_difference(wanted, run_separate(net, early, 7, 3)), "") << "added up before it is made";
  Compiled unsummed = sound;
  unsummed.evaluate.buckets.clear();
  EXPECT_NE(first_difference(wanted, run_separate(net, unsummed, 7, 3)), "") << "a loss of one tower";
}

std::vector<std::string> net_names() {
  std::vector<std::string> names;
  for (const SeparateNet& net : separate_nets()) names.push_back(net.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Nets, SeparateTowers, testing::ValuesIn(net_names()), [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace netc::test
