// Every row of the op table as kernels: lowered, with and without fusion, interpreted in f64 on one and on two towers,
// against the plain references. Values cross the backend's interface as f32, so inputs are rounded to it first and
// results may differ by one such rounding (2^-24 of their size).
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/autodiff/differentiate.h"
#include "compiler/passes/expand_composites.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/program/fuse.h"
#include "compiler/program/lower.h"
#include "compiler/program/plan_stages.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/ops/nets.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

void round_to_f32(Environment& environment) {
  for (auto part : {&Environment::inputs, &Environment::parameters, &Environment::states})
    for (auto& [name, values] : environment.*part)
      for (double& v : values) v = static_cast<float>(v);
}

// Makes every value of interest readable from outside: batched ones are outputs, others are stored in a state.
void expose(Graph& graph) {
  GraphBuilder b(graph);
  std::vector<Result> results = std::move(graph.results);
  graph.results.clear();
  for (Result& result : results) {
    if (graph[result.node].type.dtype != DType::f32)
      result.node = b.op("cast", {result.node}, {{"dtype", std::string("f32")}});
    if (graph[result.node].type.batched) {
      graph.results.push_back(result);
    } else {
      graph.updates.push_back({b.state(result.name, b.type(result.node), 0), result.node});
    }
  }
}

Program lowered(const Graph& graph, bool fused) {
  Program program = lower(graph, "test");
  program.batch_capacity = 8;
  if (fused) fuse(program);
  plan_stages(program);
  EXPECT_EQ(verify(program), std::vector<std::string>{}) << to_string(program);
  return program;
}

std::vector<float> read(BackendRun& run, const Graph& graph, const std::string& name) {
  for (const Result& result : graph.results)
    if (result.name == name) return run.output(name);
  return run.parameter(name);
}

// Runs `graph` (exposed) everywhere and compares the named values with those of `reference`.
void compare(const Graph& graph, const Environment& environment, const std::map<std::string, Tensor>& expected) {
  const auto backend = make_reference_backend(Arithmetic::f64);
  for (const bool fused : {false, true}) {
    for (const int towers : {1, 2}) {
      SCOPED_TRACE(std::string(fused ? "fused" : "not fused") + ", towers: " + std::to_string(towers));
      BackendRun run(*backend, {lowered(graph, fused)}, towers);
      run.seed = environment.seed;
      run.update = environment.update;
      run.scalars = environment.scalars;
      for (const auto& [name, values] : environment.parameters)
        if (find_leaf(graph, "parameter", name) != kNoNode) run.set(name, values);
      for (const auto& [name, values] : environment.states) run.set(name, values);
      run.step(environment.inputs, spread(environment.rows, towers));
      for (const auto& [name, tensor] : expected) {
        const std::vector<float> actual = read(run, graph, name);
        ASSERT_EQ(actual.size(), tensor.values.size()) << name;
        for (size_t i = 0; i < actual.size(); ++i) {
          const double tolerance = 6.1e-8 * std::fabs(tensor.values[i]) + 1e-11;
          EXPECT_NEAR(actual[i], tensor.values[i], tolerance) << name << " " << i;
        }
      }
    }
  }
}

class LoweredRow : public testing::TestWithParam<std::string> {};

TEST_P(LoweredRow, ComputesTheReference) {
  const OpRow& row = *find_op(GetParam());
  for (const OpCase& op_case : cases_of(row)) {
    SCOPED_TRACE(describe(row, op_case));
    const OpGraph made = build(row, op_case);
    Environment environment = sample(row, op_case, 12);
    round_to_f32(environment);
    const Tensor expected = evaluate(made.graph, environment)[static_cast<size_t>(made.node)];
    Graph graph = expand_composites(made.graph);
    expose(graph);
    compare(graph, environment, {{"y", expected}});
  }
}

std::vector<std::string> all_rows() {
  std::vector<std::string> names;
  for (const OpRow& row : op_table()) names.push_back(row.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Rows, LoweredRow, testing::ValuesIn(all_rows()),
                         [](const testing::TestParamInfo<std::string>& row) { return row.param; });

// Random graphs through all passes and fusion. Their results go through long chains, so values are compared to the size
// of the largest among them.
void check_random_graph(uint64_t seed, const Graph& made) {
  SCOPED_TRACE("graph " + std::to_string(seed));
  Environment environment = random_environment(made, 3, seed);
  round_to_f32(environment);
  const std::vector<Tensor> values = evaluate(made, environment);
  std::map<std::string, Tensor> expected;
  for (const Result& result : made.results) expected[result.name] = values[static_cast<size_t>(result.node)];
  Graph graph = expand_composites(made);
  expose(graph);
  graph = share(simplify(graph));
  for (const State& state : graph.states)
    environment.states[state.name].assign(static_cast<size_t>(element_count(state.type.shape)), 0.0);
  compare(graph, environment, expected);
  if (testing::Test::HasFailure()) ADD_FAILURE() << to_string(graph);
}

TEST(LoweredGraph, ComputesTheReference) {
  for (uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) check_random_graph(seed, random_graph(seed, 40));
}

// The sum of all results, differentiated.
TEST(LoweredGraph, ComputesTheReferenceOfGradients) {
  for (uint64_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    Graph graph = random_graph(seed, 25);
    GraphBuilder b(graph);
    NodeId loss = b.constant(0);
    for (const Result& result : graph.results) loss = b.add(loss, b.batch_sum(result.node));
    graph.results = {{"loss.total", loss}};
    for (const ParameterGradient& entry : differentiate(graph, loss))
      graph.results.push_back({"d " + graph[entry.parameter].name, entry.gradient});
    check_random_graph(seed, graph);
  }
}

// Whole training steps: every weight and slot after one update, by every rule.
TEST(LoweredStep, UpdatesWeightsAsTheGraphSays) {
  for (const char* optimizer : {"sgd", "rmsprop", "adam", "adamw"}) {
    SCOPED_TRACE(optimizer);
    TrainedNet net = dense_net(0.3);
    net.graph.results.clear();
    add_training(net, optimizer);
    Environment environment = random_environment(net.graph, 5, 31);
    round_to_f32(environment);
    Environment after = environment;
    apply_updates(net.graph, after);
    std::map<std::string, Tensor> expected;
    for (const auto part : {&Environment::parameters, &Environment::states})
      for (const auto& [name, values] : after.*part) expected[name].values = values;
    compare(share(simplify(expand_composites(net.graph))), environment, expected);
  }
}

}  // namespace
}  // namespace netc::test
