// Placement: order, layouts and memory.
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/program/fuse.h"
#include "compiler/program/kernel_order.h"
#include "compiler/program/lower.h"
#include "compiler/program/plan_memory.h"
#include "compiler/program/plan_stages.h"
#include "compiler/program/simplify_axes.h"
#include "tests/support/mlp.h"

namespace netc::test {
namespace {

// x -> f0 -> f1 -> ... : a chain of products, which nothing can fuse.
Program product_chain(int count, int64_t batch) {
  Graph graph;
  GraphBuilder b(graph);
  NodeId h = b.input("x", {DType::f32, {32}, true});
  const NodeId w = b.parameter("w", {DType::f32, {32, 32}}, {});
  for (int i = 0; i < count; ++i) h = b.op("matmul", {h, w}, {{"transpose_weight", false}});
  graph.results = {{"y", h}};
  Program program = lower(graph, "chain");
  program.batch_capacity = batch;
  fuse(program);
  return program;
}

TEST(PlanMemory, AChainNeedsTwoBuffersWhateverItsLength) {
  std::vector<int64_t> bytes;
  for (int count : {4, 16, 64}) {
    Program program = product_chain(count, 8);
    plan_stages(program);
    plan_memory(program);
    ASSERT_TRUE(verify(program).empty()) << verify(program).front();
    bytes.push_back(program.tower_arena_bytes);
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[1], bytes[2]);
  EXPECT_GE(bytes[0], int64_t{2} * 8 * 32 * 4);
  EXPECT_LE(bytes[0], int64_t{2} * (8 * 32 * 4 + 256));
}

TEST(PlanMemory, APointwiseKernelWritesOverItsDyingInput) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {64}, true});
  const NodeId w = b.parameter("w", {DType::f32, {64, 64}}, {});
  const NodeId z = b.op("matmul", {x, w}, {{"transpose_weight", false}});
  const NodeId s = b.op("tanh", {z});
  const NodeId m = b.op("matmul", {s, w}, {{"transpose_weight", false}});
  // z is needed once more, element by element, after the second product: the sum can take its place.
  const NodeId sum = b.add(m, z);
  graph.results = {{"y", b.op("matmul", {sum, w}, {{"transpose_weight", false}})}};
  Program program = lower(graph, "p");
  program.batch_capacity = 4;
  fuse(program);
  plan_stages(program);
  plan_memory(program);
  ASSERT_TRUE(verify(program).empty()) << verify(program).front();
  int64_t offset_of_z = -1, offset_of_sum = -2;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.name.rfind("matmul", 0) == 0 && buffer.kind == BufferKind::activation && offset_of_z < 0) offset_of_z = buffer.arena_offset;
    if (buffer.name.rfind("add", 0) == 0) offset_of_sum = buffer.arena_offset;
  }
  EXPECT_EQ(offset_of_z, offset_of_sum) << to_string(program);
}

TEST(PlanStages, IndependentKernelsShareAStage) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {8}, true});
  const NodeId u = b.parameter("u", {DType::f32, {8, 8}}, {}), v = b.parameter("v", {DType::f32, {8, 8}}, {});
  graph.results = {{"a", b.op("matmul", {x, u}, {{"transpose_weight", false}})}, {"b", b.op("matmul", {x, v}, {{"transpose_weight", false}})}};
  Program program = lower(graph, "p");
  fuse(program);
  plan_stages(program);
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(program.steps[0].stage, program.steps[1].stage);
}

TEST(PlanLayouts, OperandsOfProductsHavePanelsAndInputsDoNot) {
  TrainSpec train;
  train.optimizer = {"sgd", {{"lr", 0.1}, {"momentum", 0.9}}, {}};
  CompileRequest request;
  request.target = *find_target("avx2");
  request.batch_capacity = 128;
  request.towers = {{}};
  const Compiled compiled = compile(mlp(), train, request);
  for (const Program& program : compiled.programs) {
    for (const Buffer& buffer : program.buffers) {
      if (buffer.kind == BufferKind::input || buffer.kind == BufferKind::output || buffer.kind == BufferKind::result)
        EXPECT_EQ(buffer.layout, Layout::row_major) << buffer.name;
      if (buffer.name.ends_with(".weight")) {
        EXPECT_EQ(buffer.layout, Layout::panels) << program.name << " " << buffer.name;
        EXPECT_NE(buffer.padded_rows * buffer.panel_columns * 4 % 4096, 0) << "panels on the same cache sets: " << buffer.name;
      }
    }
  }
}

TEST(KernelOrder, RefusesToCloseACycle) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {8}, true});
  const NodeId a = b.op("exp", {x}), c = b.op("exp", {a}), d = b.add(a, c);
  graph.results = {{"y", d}};
  const Program program = lower(graph, "p");   // kernels: 0 exp, 1 exp, 2 add, 3 copy
  KernelOrder order(program);
  EXPECT_FALSE(order.contract(0, 2));          // kernel 1 stands between
  EXPECT_TRUE(order.contract(1, 2));
  EXPECT_TRUE(order.contract(0, 1));
  EXPECT_EQ(order.sorted(), (std::vector<int32_t>{0, 3}));
}

TEST(SimplifyAxes, LeadingAxesBecomeOne) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {5, 7, 3}, true});
  graph.results = {{"y", b.op("exp", {x})}};
  const Program program = lower(graph, "p");
  ASSERT_EQ(program.kernels[0].parallel.size(), 2u);
  EXPECT_EQ(program.kernels[0].axes[0].extent, (Extent{35, true}));
  EXPECT_EQ(program.kernels[0].axes[1].extent, (Extent{3, false}));
}

TEST(SimplifyAxes, RowStatisticsKeepTheRowsOneAxis) {
  Graph graph;
  GraphBuilder b(graph);
  const NodeId x = b.input("x", {DType::f32, {5, 64}, true});
  const NodeId mean = b.mul(b.reduce_sum(x, {1}), b.constant(1.0 / 64));
  graph.results = {{"y", b.sub(x, b.expand_like(mean, x, {0}))}};
  Program program = lower(graph, "p");
  fuse(program);
  ASSERT_TRUE(verify(program).empty()) << verify(program).front();
  ASSERT_EQ(program.kernels.size(), 1u) << to_string(program);
  EXPECT_EQ(program.kernels[0].axes[static_cast<size_t>(program.kernels[0].parallel[0])].extent, (Extent{5, true}));
}

}  // namespace
}  // namespace netc::test
