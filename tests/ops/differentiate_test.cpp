#include "compiler/autodiff/differentiate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/base/errors.h"
#include "compiler/ops/op.h"
#include "compiler/passes/remove_dead.h"
#include "tests/ops/nets.h"
#include "tests/ops/op_cases.h"

namespace netc::test {
namespace {

// Keeps the gradients alive as results "d <parameter>".
void report_gradients(Graph& graph, const std::vector<ParameterGradient>& gradients) {
  for (const ParameterGradient& entry : gradients)
    graph.results.push_back({"d " + graph[entry.parameter].name, entry.gradient});
}

TEST(Differentiate, WritesTheBackwardPassOfADenseNet) {
  TrainedNet net = dense_net(0.2);
  net.graph.results = {{"loss.total", net.loss}};
  report_gradients(net.graph, differentiate(net.graph, net.loss));
  const Graph graph = remove_dead(net.graph);
  EXPECT_EQ(verify(graph), std::vector<std::string>{});
  EXPECT_EQ(verify_types(graph), std::vector<std::string>{});
  EXPECT_EQ(to_string(graph), R"(input image : u8[B, 2, 3, 1]
input label : class(3)[B]
%3 = cast(image, dtype: "f32") : f32[B, 2, 3, 1]
%4 = mul(%3, 0.00392156862745098) : f32[B, 2, 3, 1]
%5 = reshape(%4, shape: [6]) : f32[B, 6]  // flatten
parameter fc1.weight : f32[6, 4] = uniform(-0.5, 0.5)
parameter fc1.bias : f32[4] = zeros
%8 = matmul(%5, fc1.weight) : f32[B, 4]  // fc1
%9 = expand(fc1.bias, axes: [0], batched: true, shape: [4]) : f32[B, 4]  // fc1
%10 = add(%8, %9) : f32[B, 4]  // fc1
%11 = relu(%10) : f32[B, 4]  // fc1
%12 = dropout(%11, rate: 0.2, stream: 7) : f32[B, 4]  // dropout1
parameter head.weight : f32[4, 3] = uniform(-0.5, 0.5)
parameter head.bias : f32[3] = zeros
%15 = matmul(%12, head.weight) : f32[B, 3]  // head
%16 = expand(head.bias, axes: [0], batched: true, shape: [3]) : f32[B, 3]  // head
%17 = add(%15, %16) : f32[B, 3]  // head
%18 = cross_entropy_classes(%17, label) : f32[B]  // loss
%19 = reduce_sum(%18, axes: [], batch: true) : f32  // loss
scalar inverse_batch : f32
%21 = expand(inverse_batch, axes: [], batched: true, shape: []) : f32[B]  // loss
%22 = one_hot(label, classes: 3) : f32[B, 3]  // loss
%23 = softmax(%17) : f32[B, 3]  // loss
%24 = sub(%23, %22) : f32[B, 3]  // loss
%25 = expand(%21, axes: [], batched: true, shape: [3]) : f32[B, 3]  // loss
%26 = mul(%24, %25) : f32[B, 3]  // loss
%27 = reduce_sum(%26, axes: [], batch: true) : f32[3]  // head
%28 = matmul(%26, head.weight, transpose_weight: true) : f32[B, 4]  // head
%29 = matmul_tn(%12, %26) : f32[4, 3]  // head
%30 = dropout(%28, rate: 0.2, stream: 7) : f32[B, 4]  // dropout1
%31 = relu_grad(%11, %30) : f32[B, 4]  // fc1
%32 = reduce_sum(%31, axes: [], batch: true) : f32[4]  // fc1
%33 = matmul_tn(%5, %31) : f32[6, 4]  // fc1
result loss.total = %19
result d fc1.weight = %33
result d fc1.bias = %32
result d head.weight = %29
result d head.bias = %27
)");
}

// d loss / d w by central differences, for every weight: of the mean over the batch, dropout's draws held fixed.
void check_gradients(TrainedNet net, int64_t rows) {
  const Graph forward = net.graph;
  const std::vector<ParameterGradient> gradients = differentiate(net.graph, net.loss);
  ASSERT_EQ(gradients.size(), net.graph.parameters.size());
  Environment environment = random_environment(net.graph, rows, 21);
  const std::vector<Tensor> values = evaluate(net.graph, environment);
  constexpr double kStep = 1e-5;
  for (const ParameterGradient& entry : gradients) {
    const Tensor& gradient = values[static_cast<size_t>(entry.gradient)];
    auto& weights = environment.parameters.at(net.graph[entry.parameter].name);
    for (size_t i = 0; i < weights.size(); ++i) {
      const double at = weights[i];
      const auto mean_loss = [&](double value) {
        weights[i] = value;
        return evaluate(forward, environment)[static_cast<size_t>(net.loss)].values[0] / static_cast<double>(rows);
      };
      const double slope = (mean_loss(at + kStep) - mean_loss(at - kStep)) / (2 * kStep);
      weights[i] = at;
      EXPECT_NEAR(gradient.values[i], slope, 1e-8) << net.graph[entry.parameter].name << " " << i;
    }
  }
}

TEST(Differentiate, GivesTheGradientOfTheMeanLoss) {
  check_gradients(dense_net(0.2), 5);
  check_gradients(deep_net(4, 3), 3);
}

TEST(Differentiate, AddsUpTheUsesOfASharedWeight) {
  TrainedNet net;
  GraphBuilder b(net.graph);
  const TensorType square{DType::f32, {3, 3}, false, 0};
  const NodeId x = b.input("x", {DType::f32, {3}, true, 0});
  const NodeId weight = b.parameter("w", square, {});
  const NodeId once = b.op("tanh", {b.op("matmul", {x, weight})});
  const NodeId twice = b.op("matmul", {once, b.parameter("w", square, {})}, {{"transpose_weight", true}});
  net.loss = b.batch_sum(b.mul(twice, b.add(twice, once)));
  EXPECT_EQ(net.graph.parameters.size(), 1u);
  check_gradients(net, 4);
}

TEST(Differentiate, PassesByFrozenWeightsAndStoppedValues) {
  TrainedNet net = dense_net(0);
  net.graph.parameters[0].trainable = false;   // fc1.weight
  std::vector<ParameterGradient> gradients = differentiate(net.graph, net.loss);
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_EQ(net.graph[gradients[0].parameter].name, "fc1.bias");

  Graph graph;
  GraphBuilder b(graph);
  const NodeId w = b.parameter("w", {DType::f32, {3}, false, 0}, {});
  const NodeId v = b.parameter("v", {DType::f32, {3}, false, 0}, {});
  gradients = differentiate(graph, b.batch_sum(b.mul(w, b.op("stop_gradient", {v}))));
  ASSERT_EQ(gradients.size(), 1u);
  EXPECT_EQ(gradients[0].parameter, w);
}

TEST(Differentiate, AsksForOneNumber) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {}, true, 0});
  EXPECT_THROW(differentiate(graph, x), InternalError);
}

}  // namespace
}  // namespace netc::test
