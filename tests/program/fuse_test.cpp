// How things fuse: golden text for whole nets, counts for the promises of fuse.h.
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/program/fuse.h"
#include "compiler/program/lower.h"
#include "tests/support/mlp.h"
#include "tests/support/golden.h"

namespace netc::test {
namespace {

TrainSpec with_optimizer(const std::string& name, std::vector<std::pair<std::string, double>> arguments) {
  TrainSpec train;
  train.optimizer.name = name;
  train.optimizer.arguments = std::move(arguments);
  return train;
}

TrainSpec rmsprop() {
  return with_optimizer("rmsprop", {{"lr", 0.001}, {"rho", 0.9}, {"momentum", 0}, {"eps", 1e-8}, {"centered", 0}, {"l2", 0}, {"weight_decay", 0}, {"decay_all", 0}});
}

CompileRequest request(bool fuse = true) {
  CompileRequest r;
  r.target = *find_target("avx2");
  r.batch_capacity = 128;
  r.towers = {{}};
  r.fuse = fuse;
  return r;
}

size_t kernels_with(const Program& program, bool (*matches)(const Kernel&)) {
  size_t count = 0;
  for (const Kernel& kernel : program.kernels) count += matches(kernel);
  return count;
}

bool is_product(const Kernel& kernel) {
  MatrixProduct product;
  return match_matrix_product(kernel, &product);
}

TEST(Fuse, SeedNetTrainingStep) {
  const Compiled compiled = compile(mlp(), rmsprop(), request());
  expect_golden("program/golden/seed_net_train.txt", to_string(compiled.train.program));
  expect_golden("program/golden/seed_net_towers.txt", to_string(compiled.train));
}

TEST(Fuse, SeedNetNeedsFourteenKernelsAtMost) {
  const Compiled fused = compile(mlp(), rmsprop(), request());
  const Compiled plain = compile(mlp(), rmsprop(), request(false));
  EXPECT_LE(fused.programs[0].kernels.size(), 14u);
  EXPECT_GT(plain.programs[0].kernels.size(), 60u);   // what fusion has to work with
  // Forward three, input gradients two, weight gradients three; none of them is split or repeated.
  EXPECT_EQ(kernels_with(fused.programs[0], is_product), 8u);
  EXPECT_EQ(kernels_with(plain.programs[0], is_product), 8u);
}

TEST(Fuse, OptimizerIsFusedIntoEveryWeightGradient) {
  const Compiled compiled = compile(mlp(), rmsprop(), request());
  EXPECT_EQ(compiled.train.weights.size(), 6u);
  for (const WeightPlan& weight : compiled.train.weights) {
    EXPECT_EQ(weight.sum, GradientSum::inside_tile) << weight.weight;
    EXPECT_EQ(weight.kernels.size(), 1u) << weight.weight;
  }
  for (const Buffer& buffer : compiled.programs[0].buffers) EXPECT_NE(buffer.kind, BufferKind::gradient) << buffer.name;
}

TEST(Fuse, ClippingByNormKeepsGradientsInBuffers) {
  TrainSpec train = rmsprop();
  train.clip = {ClipSpec::Kind::global_norm, 1.0};
  const Compiled compiled = compile(mlp(), train, request());
  for (const WeightPlan& weight : compiled.train.weights) EXPECT_EQ(weight.sum, GradientSum::joint_buffer) << weight.weight;
}

TEST(Fuse, ClippingByValueStaysInsideTheTile) {
  TrainSpec train = rmsprop();
  train.clip = {ClipSpec::Kind::value, 0.5};
  const Compiled compiled = compile(mlp(), train, request());
  for (const WeightPlan& weight : compiled.train.weights) EXPECT_EQ(weight.sum, GradientSum::inside_tile) << weight.weight;
}

TEST(Fuse, EvaluationHasNoRandomDrawAndPredictionNoTargets) {
  const Compiled compiled = compile(mlp(), rmsprop(), request());
  for (const Kernel& kernel : compiled.programs[1].kernels)
    for (const Expr& e : kernel.exprs) EXPECT_NE(e.op, ExprOp::random) << kernel.name;
  const Program& predict = compiled.programs[2];
  for (const Buffer& buffer : predict.buffers) EXPECT_NE(buffer.name, "label");
  ASSERT_EQ(predict.results.size(), 2u);
  EXPECT_EQ(predict.results[0].name, "logits");
  EXPECT_EQ(predict.results[1].name, "probs");
}

// A producer with two readers that is worth storing is computed once.
TEST(Fuse, HeavyValuesAreNotComputedTwice) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {64}, true});
  const NodeId e = b.op("exp", {x});
  graph.results = {{"sums", b.reduce_sum(e, {0})}, {"values", b.mul(e, e)}};
  Program program = lower(graph, "p");
  fuse(program);
  ASSERT_TRUE(verify(program).empty()) << verify(program).front();
  size_t exponentials = 0;
  for (const Kernel& kernel : program.kernels)
    for (const Expr& expr : kernel.exprs) exponentials += expr.op == ExprOp::exp;
  EXPECT_EQ(exponentials, 1u);
}

// A diamond whose one arm cannot fuse: contracting the ends would make a cycle.
TEST(Fuse, DiamondWithAProductInOneArm) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {16}, true});
  const NodeId w = b.parameter("w", {DType::f32, {16, 16}}, {});
  const NodeId t = b.op("tanh", {b.op("matmul", {x, w}, {{"transpose_weight", false}})});
  const NodeId left = b.op("matmul", {t, w}, {{"transpose_weight", false}});
  graph.results = {{"y", b.add(left, b.mul(t, t))}};
  Program program = lower(graph, "p");
  fuse(program);
  ASSERT_TRUE(verify(program).empty()) << verify(program).front();
  EXPECT_EQ(program.kernels.size(), 2u) << to_string(program);
}

// The pre-activation is stored beside the activation when the backward pass needs it.
TEST(Fuse, AProductMayStoreSeveralValues) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {16}, true});
  const NodeId w = b.parameter("w", {DType::f32, {16, 8}}, {});
  const NodeId z = b.op("matmul", {x, w}, {{"transpose_weight", false}});
  graph.results = {{"before", z}, {"after", b.op("gelu", {z})}};
  Program program = lower(graph, "p");
  fuse(program);
  ASSERT_EQ(program.kernels.size(), 1u) << to_string(program);
  EXPECT_EQ(program.kernels[0].phases.back().stores.size(), 2u);
}

TEST(Fuse, SoftmaxIsOneRowKernel) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {10}, true});
  const NodeId m = b.op("reduce_max", {x}, {{"axes", std::vector<int64_t>{0}}, {"batch", false}});
  const NodeId e = b.op("exp", {b.sub(x, b.expand_like(m, x, {}))});
  graph.results = {{"p", b.div(e, b.expand_like(b.reduce_sum(e, {0}), e, {}))}};
  Program program = lower(graph, "p");
  fuse(program);
  ASSERT_TRUE(verify(program).empty()) << verify(program).front();
  EXPECT_EQ(program.kernels.size(), 1u) << to_string(program);
}

}  // namespace
}  // namespace netc::test
