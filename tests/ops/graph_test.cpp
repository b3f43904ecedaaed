#include "compiler/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/base/errors.h"
#include "compiler/ops/op.h"
#include "compiler/passes/expand_composites.h"
#include "tests/ops/graph_evaluator.h"
#include "tests/ops/nets.h"

namespace netc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TensorType kRow{DType::f32, {3}, true, 0};
const TensorType kWeight{DType::f32, {3}, false, 0};

TEST(Graph, PrintsLeavesAttributesResultsAndUpdates) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", kRow);
  const NodeId w = b.parameter("fc.weight", kWeight, {Initializer::Kind::normal, 0, 0.1, true});
  const NodeId slot = b.state("fc.weight/momentum", kWeight, 0.5);
  const NodeId rate = b.scalar("learning_rate");
  graph.parameters[0].trainable = false;
  const NodeId spread = b.named("fc").expand_like(w, x, {0});
  graph.results = {{"y", b.op("leaky_relu", {b.mul(x, spread)}, {{"slope", 0.01}})}};
  graph.updates = {{w, b.sub(w, b.mul(slot, rate))}, {slot, b.mul(slot, b.constant(0.9))}};
  EXPECT_EQ(to_string(graph), R"(input x : f32[B, 3]
parameter fc.weight : f32[3] = truncated_normal(0, 0.1)  // frozen
state fc.weight/momentum : f32[3] = 0.5
scalar learning_rate : f32
%4 = expand(fc.weight, axes: [0], batched: true, shape: [3]) : f32[B, 3]  // fc
%5 = mul(x, %4) : f32[B, 3]  // fc
%6 = leaky_relu(%5, slope: 0.01) : f32[B, 3]  // fc
%7 = mul(fc.weight/momentum, learning_rate) : f32[3]  // fc
%8 = sub(fc.weight, %7) : f32[3]  // fc
%10 = mul(fc.weight/momentum, 0.9) : f32[3]  // fc
result y = %6
update fc.weight = %8
update fc.weight/momentum = %10
)");
  EXPECT_THAT(verify(graph), IsEmpty());
  EXPECT_THAT(verify_types(graph), IsEmpty());
}

// A sound graph with one thing broken at a time.
class Broken : public testing::Test {
 protected:
  Broken() {
    GraphBuilder b(graph);
    x = b.input("x", kRow);
    w = b.parameter("w", kWeight, {});
    y = b.op("relu", {x});
    graph.results = {{"y", y}};
  }

  Graph graph;
  NodeId x = kNoNode, w = kNoNode, y = kNoNode;
};

TEST_F(Broken, InputThatComesLater) {
  graph[y].inputs[0] = y;
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("%2 relu: input %2 does not come before it")));
}

TEST_F(Broken, LeafThatIsNotDeclared) {
  graph.parameters.clear();
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("w is not declared")));
}

TEST_F(Broken, TwoLeavesOfOneName) {
  graph.add(graph[x]);
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("a second leaf named x")));
}

TEST_F(Broken, WeightWithABatch) {
  graph[w].type.batched = true;
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("batch flag")));
}

TEST_F(Broken, ResultOfNothing) {
  graph.results.push_back({"z", 17});
  EXPECT_THAT(verify(graph), ElementsAre("result z names no node"));
}

TEST_F(Broken, UpdatesThatDoNotFit) {
  graph.updates = {{w, y}, {x, x}, {w, kNoNode}};
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("updates w of type f32[3] with f32[B, 3]"),
                                         HasSubstr("only parameters and states are updated"),
                                         HasSubstr("an update names no node")));
  graph.updates = {{w, w}, {w, w}};
  EXPECT_THAT(verify(graph), ElementsAre(HasSubstr("updated twice")));
}

TEST_F(Broken, NodeOfAnotherType) {
  graph[y].type.shape = {4};
  EXPECT_THAT(verify_types(graph), ElementsAre(HasSubstr("has type f32[B, 4], its row makes f32[B, 3]")));
  graph[y].op = "rely";
  EXPECT_THAT(verify_types(graph), ElementsAre(HasSubstr("there is no op `rely`")));
}

TEST(GraphBuilder, RefusesWhatDoesNotFit) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", kRow), w = b.parameter("w", kWeight, {});
  EXPECT_THROW(b.add(x, w), InternalError);          // a weight is expanded over the batch first
  EXPECT_THROW(b.op("relu", {x, x}), InternalError);
  EXPECT_THROW(b.op("convolve", {x}), InternalError);
  EXPECT_THROW(b.op("leaky_relu", {x}, {{"slope", int64_t{1}}}), InternalError);
  EXPECT_THROW(b.input("x", kWeight), InternalError);
  EXPECT_THROW(b.parameter("w", kRow, {}), InternalError);
}

TEST(GraphBuilder, MakesEachNamedLeafOnce) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId w = b.parameter("w", kWeight, {});
  EXPECT_EQ(b.parameter("w", kWeight, {}), w);
  EXPECT_EQ(b.scalar("learning_rate"), b.scalar("learning_rate"));
  EXPECT_EQ(b.input("w", kRow), b.input("w", kRow));
  EXPECT_NE(b.input("w", kRow), w);
  EXPECT_EQ(graph.parameters.size(), 1u);
  EXPECT_EQ(GraphBuilder(graph).state("w/m", kWeight, 0), GraphBuilder(graph).state("w/m", kWeight, 0));
  EXPECT_EQ(graph.states.size(), 1u);
}

// Losses at the edges: logits that overflow exp, infinite logits at other classes, NaN.
TEST(Losses, AreStable) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  Graph graph;
  GraphBuilder b(graph);
  const NodeId logits = b.input("logits", kRow), label = b.input("label", {DType::i32, {}, true, 3});
  const NodeId target = b.op("one_hot", {label}, {{"classes", int64_t{3}}});
  graph.results = {{"classes", b.op("cross_entropy_classes", {logits, label})},
                   {"shares", b.op("cross_entropy", {logits, target})},
                   {"hit", b.op("top_k_hit", {logits, label}, {{"k", int64_t{1}}})}};
  graph = expand_composites(std::move(graph));
  const auto run = [&](std::vector<double> z) {
    Environment environment;
    environment.inputs = {{"logits", std::move(z)}, {"label", {1}}};
    const std::vector<Tensor> values = evaluate(graph, environment);
    std::vector<double> results;
    for (const Result& result : graph.results) results.push_back(values[static_cast<size_t>(result.node)].values[0]);
    return results;
  };
  EXPECT_THAT(run({0, 1000, 0}), ElementsAre(0, 0, 1));
  EXPECT_THAT(run({1000, 0, 0}), ElementsAre(1000, 1000, 0));
  EXPECT_THAT(run({-kInfinity, 5, -kInfinity}), ElementsAre(0, 0, 1));
  EXPECT_THAT(run({0, -kInfinity, 0}), ElementsAre(kInfinity, kInfinity, 0));
  EXPECT_THAT(run({kNan, 5, 0}), ElementsAre(testing::NanSensitiveDoubleEq(kNan), testing::NanSensitiveDoubleEq(kNan), 0));
  EXPECT_THAT(run({2, 2, 2}), ElementsAre(testing::DoubleEq(std::log(3.0)), testing::DoubleEq(std::log(3.0)), testing::DoubleEq(1.0 / 3)));
}

}  // namespace
}  // namespace netc::test
