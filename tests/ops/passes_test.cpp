// Passes: how graphs come out, by text; that they mean the same, by evaluating graphs before and after.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/base/errors.h"
#include "compiler/passes/evaluate_mode.h"
#include "compiler/passes/expand_composites.h"
#include "compiler/passes/remove_dead.h"
#include "compiler/passes/select_results.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/ops/op.h"
#include "tests/ops/nets.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"

namespace netc::test {
namespace {

using Pass = Graph (*)(Graph);

void expect_sound(const Graph& graph) {
  EXPECT_EQ(verify(graph), std::vector<std::string>{});
  EXPECT_EQ(verify_types(graph), std::vector<std::string>{});
}

void expect_same_values(const Graph& before, const Graph& after, uint64_t seed) {
  const Environment environment = random_environment(before, 3, seed);
  const std::vector<Tensor> expected = evaluate(before, environment), actual = evaluate(after, environment);
  ASSERT_EQ(before.results.size(), after.results.size());
  for (size_t r = 0; r < before.results.size(); ++r) {
    const Tensor &e = expected[static_cast<size_t>(before.results[r].node)], &a = actual[static_cast<size_t>(after.results[r].node)];
    ASSERT_EQ(e.type, a.type) << before.results[r].name << " of graph " << seed;
    double magnitude = 1;
    for (double v : e.values) magnitude = std::max(magnitude, std::fabs(v));
    for (size_t i = 0; i < e.values.size(); ++i) {
      if (std::isnan(e.values[i]) && std::isnan(a.values[i])) continue;
      EXPECT_NEAR(e.values[i], a.values[i], 1e-12 * magnitude) << before.results[r].name << " of graph " << seed;
    }
  }
}

Graph all_passes(Graph graph) { return share(simplify(expand_composites(std::move(graph)))); }

TEST(Passes, KeepTheValuesOfRandomGraphs) {
  constexpr std::pair<const char*, Pass> kPasses[] = {{"remove_dead", remove_dead},
                                                      {"expand_composites", expand_composites},
                                                      {"simplify", simplify},
                                                      {"share", share},
                                                      {"all", all_passes}};
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Graph graph = random_graph(seed, 40);
    expect_sound(graph);
    for (const auto& [name, pass] : kPasses) {
      SCOPED_TRACE(name);
      const Graph after = pass(graph);
      expect_sound(after);
      expect_same_values(graph, after, seed);
      EXPECT_EQ(to_string(pass(after)), to_string(after)) << "not idempotent on graph " << seed;
      if (testing::Test::HasFailure()) FAIL() << to_string(graph) << "----\n" << to_string(after);
    }
  }
}

TEST(Passes, KeepTheUpdatesOfATrainingStep) {
  for (const char* optimizer : {"rmsprop", "adam"}) {
    TrainedNet net = dense_net(0.3);
    add_training(net, optimizer);
    const Graph after = all_passes(net.graph);
    expect_sound(after);
    Environment a = random_environment(net.graph, 5, 3), b = a;
    apply_updates(net.graph, a);
    apply_updates(after, b);
    for (const auto part : {&Environment::parameters, &Environment::states}) {
      for (const auto& [name, values] : a.*part)
        for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], (b.*part).at(name)[i], 1e-12) << name;
    }
  }
}

// One expression and what simplify and share make of it.
std::string simplified(const std::function<NodeId(GraphBuilder&)>& make) {
  Graph graph;
  GraphBuilder b(graph);
  graph.results.push_back({"y", make(b)});
  return to_string(share(simplify(std::move(graph))));
}

NodeId tensor(GraphBuilder& b) { return b.input("x", {DType::f32, {6}, true, 0}); }
const char* const kX = "input x : f32[B, 6]\n";

TEST(Simplify, DropsIdentities) {
  const std::string untouched = std::string(kX) + "result y = x\n";
  const auto c = [](GraphBuilder& b, double value) { return b.constant(value); };
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.mul(c(b, 1), b.mul(tensor(b), c(b, 1))); }), untouched);
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.add(c(b, 0), b.sub(b.add(tensor(b), c(b, 0)), c(b, 0))); }), untouched);
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.op("pow", {b.div(tensor(b), c(b, 1)), c(b, 1)}); }), untouched);
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.neg(b.neg(tensor(b))); }), untouched);
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.reduce_sum(b.op("concat", {tensor(b)}, {{"axis", int64_t{0}}}), {}); }), untouched);
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.op("cast", {tensor(b)}, {{"dtype", std::string("f32")}}); }), untouched);
  EXPECT_EQ(simplified([&](GraphBuilder& b) {
              const Attributes swap{{"order", std::vector<int64_t>{1, 0}}};
              const NodeId folded = b.op("reshape", {tensor(b)}, {{"shape", Shape{2, 3}}});
              const NodeId twice = b.op("transpose", {b.op("transpose", {folded}, swap)}, swap);
              return b.op("reshape", {twice}, {{"shape", Shape{6}}});
            }),
            untouched);
}

// x * 0 is not 0 where x is infinite, and a scalar times the constant 1 is not a tensor.
TEST(Simplify, KeepsWhatIsNotTheSame) {
  EXPECT_EQ(simplified([&](GraphBuilder& b) { return b.mul(tensor(b), b.constant(0)); }),
            std::string(kX) + "%2 = mul(x, 0) : f32[B, 6]\nresult y = %2\n");
}

TEST(Simplify, FoldsConstants) {
  EXPECT_EQ(simplified([&](GraphBuilder& b) {
              const NodeId half = b.div(b.constant(1), b.add(b.constant(1), b.constant(1)));
              return b.mul(tensor(b), b.op("sqrt", {half}));
            }),
            std::string(kX) + "%2 = mul(x, 0.7071067811865476) : f32[B, 6]\nresult y = %2\n");
}

TEST(Simplify, KeepsScalarsScalar) {
  const auto everywhere = [](GraphBuilder& b, NodeId scalar) { return b.expand_like(scalar, tensor(b), {}); };
  EXPECT_EQ(simplified([&](GraphBuilder& b) {
              const NodeId rate = everywhere(b, b.scalar("learning_rate")), share = everywhere(b, b.scalar("inverse_batch"));
              return b.mul(b.mul(rate, share), tensor(b));
            }),
            R"(scalar learning_rate : f32
input x : f32[B, 6]
scalar inverse_batch : f32
%3 = mul(learning_rate, inverse_batch) : f32
%4 = mul(%3, x) : f32[B, 6]
result y = %4
)");
}

TEST(Simplify, BringsFlattenToTheRawInput) {
  TrainedNet net = dense_net(0);
  net.graph.results = {{"logits", net.graph.results[0].node}};
  EXPECT_EQ(to_string(simplify(net.graph)), R"(input image : u8[B, 2, 3, 1]
%2 = reshape(image, shape: [6]) : u8[B, 6]  // flatten
%3 = cast(%2, dtype: "f32") : f32[B, 6]  // flatten
%4 = mul(%3, 0.00392156862745098) : f32[B, 6]  // flatten
parameter fc1.weight : f32[6, 4] = uniform(-0.5, 0.5)
parameter fc1.bias : f32[4] = zeros
%7 = matmul(%4, fc1.weight) : f32[B, 4]  // fc1
%8 = expand(fc1.bias, axes: [0], batched: true, shape: [4]) : f32[B, 4]  // fc1
%9 = add(%7, %8) : f32[B, 4]  // fc1
%10 = relu(%9) : f32[B, 4]  // fc1
%11 = dropout(%10, rate: 0, stream: 7) : f32[B, 4]  // dropout1
parameter head.weight : f32[4, 3] = uniform(-0.5, 0.5)
parameter head.bias : f32[3] = zeros
%14 = matmul(%11, head.weight) : f32[B, 3]  // head
%15 = expand(head.bias, axes: [0], batched: true, shape: [3]) : f32[B, 3]  // head
%16 = add(%14, %15) : f32[B, 3]  // head
result logits = %16
)");
}

TEST(Simplify, TakesReluAndDropoutBackwardFromTheOutput) {
  EXPECT_EQ(simplified([](GraphBuilder& b) {
              const NodeId y = b.op("relu", {tensor(b)});
              const Attributes draw{{"rate", 0.2}, {"stream", int64_t{7}}, {"shape", Shape{6}}, {"batched", true}};
              const auto mask = [&] { return b.mul(b.op("random", {}, draw), b.constant(1.25)); };
              const NodeId kept = b.mul(y, mask());
              const NodeId g = b.mul(b.op("sin", {kept}), mask());
              return b.op("relu_grad", {y, g});
            }),
            R"(input x : f32[B, 6]
%1 = relu(x) : f32[B, 6]
%3 = random(batched: true, rate: 0.2, shape: [6], stream: 7) : f32[B, 6]
%4 = mul(%3, 1.25) : f32[B, 6]
%5 = mul(%1, %4) : f32[B, 6]
%6 = sin(%5) : f32[B, 6]
%7 = mul(%6, 1.25) : f32[B, 6]
%8 = relu_grad(%5, %7) : f32[B, 6]
result y = %8
)");
}

TEST(Share, ComputesEqualThingsOnce) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = tensor(b);
  const auto draw = [&](int64_t stream) {
    return b.op("random", {}, {{"rate", 0.2}, {"stream", stream}, {"shape", Shape{6}}, {"batched", true}});
  };
  const NodeId first = b.named("a").op("exp", {x}), second = b.named("b").op("exp", {x});
  const NodeId sum = b.named("").add(first, second), one = draw(1), same = draw(1), other = draw(2);
  graph.results = {{"y", b.mul(b.add(sum, one), b.add(same, other))}};
  EXPECT_EQ(to_string(share(graph)), R"(input x : f32[B, 6]
%1 = exp(x) : f32[B, 6]  // a
%2 = add(%1, %1) : f32[B, 6]
%3 = random(batched: true, rate: 0.2, shape: [6], stream: 1) : f32[B, 6]
%4 = random(batched: true, rate: 0.2, shape: [6], stream: 2) : f32[B, 6]
%5 = add(%3, %4) : f32[B, 6]
%6 = add(%2, %3) : f32[B, 6]
%7 = mul(%6, %5) : f32[B, 6]
result y = %7
)");
}

TEST(EvaluateMode, LeavesNothingOfTraining) {
  TrainedNet net = dense_net(0.2);
  add_training(net, "rmsprop");
  net.graph.results = {{"logits", net.graph.results[0].node}};
  const Graph graph = evaluate_mode(net.graph);
  expect_sound(graph);
  EXPECT_TRUE(graph.updates.empty());
  EXPECT_TRUE(graph.states.empty());
  EXPECT_EQ(graph.parameters.size(), 4u);
  for (const Node& node : graph.nodes) EXPECT_NE(node.op, "dropout");
  EXPECT_EQ(graph.nodes.size(), evaluate_mode(dense_net(0).graph).nodes.size() - 3);   // label, loss, its sum
}

TEST(SelectResults, KeepsWhatIsAskedFor) {
  TrainedNet net = dense_net(0.2);
  add_training(net, "sgd");
  const Graph logits = select_results(net.graph, {"logits"}, false);
  expect_sound(logits);
  EXPECT_EQ(find_leaf(logits, "input", "label"), kNoNode);
  EXPECT_TRUE(logits.updates.empty());
  EXPECT_EQ(select_results(net.graph, {"loss.total"}, true).updates.size(), 4u);
  EXPECT_THROW(select_results(net.graph, {"metric.accuracy"}, false), InternalError);
}

// Rounds of simplify do not grow with depth, and no pass looks back at the whole graph for each node.
TEST(Passes, VisitADeepNetInFewRounds) {
  TrainedNet shallow = deep_net(10, 4), deep = deep_net(1000, 4);
  add_training(shallow, "adam");
  add_training(deep, "adam");
  const size_t small = all_passes(shallow.graph).nodes.size(), large = all_passes(deep.graph).nodes.size();
  EXPECT_LT(large, 101 * small);
  EXPECT_GT(large, 90 * small);
}

}  // namespace
}  // namespace netc::test
