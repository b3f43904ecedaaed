// Products left to a library: what they keep, what becomes a kernel of its own, and how many launches a step takes.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/compile.h"
#include "compiler/ops/op.h"
#include "compiler/program/lower.h"
#include "compiler/program/split_products.h"
#include "tests/support/golden.h"
#include "tests/support/mlp.h"

namespace netc::test {
namespace {

Compiled seed_net(std::optional<ProductLibrary> products, const NetOptions& options = {}) {
  TrainSpec train;
  train.optimizer = {"rmsprop", {{"lr", 0.001}, {"rho", 0.9}, {"eps", 1e-8}}, {}};
  CompileRequest request;
  request.target = *find_target("plain");
  request.batch_capacity = 128;
  request.towers = {{{DeviceKind::gpu, 0}, 1, 0}};
  request.memory = TowerMemory::separate;
  request.products = products;
  return compile(mlp(options), train, request);
}

TEST(SplitProducts, SeedNetInFourteenLaunches) {
  const Compiled compiled = seed_net(cublaslt());
  EXPECT_EQ(launches_per_step(compiled.train.program), 14);
  expect_golden("program/golden/seed_net_library_train.txt", to_string(compiled.train.program));
  expect_golden("program/golden/seed_net_library_towers.txt", to_string(compiled.train));
}

// Without masks relu and dropout backward are kernels of their own, without column sums so are the bias gradients; products
// that stay generated with their epilogue take fewer launches, but slower ones.
TEST(SplitProducts, WhatEachAbilitySaves) {
  ProductLibrary library = cublaslt();
  library.masks = false;
  EXPECT_EQ(launches_per_step(seed_net(library).train.program), 16);
  library.column_sums = false;
  EXPECT_EQ(launches_per_step(seed_net(library).train.program), 19);
  library = cublaslt();
  library.least_reduced = int64_t{1} << 20;   // only sums over the batch are left to the library
  EXPECT_EQ(launches_per_step(seed_net(library).train.program), 12);
  EXPECT_EQ(launches_per_step(seed_net(std::nullopt).train.program), 15);
}

TEST(SplitProducts, MasksNeedWholeWordsOfBits) {
  const Compiled odd = seed_net(cublaslt(), {{784, 1000, 1000, 10}, 0.2, true});
  for (const Buffer& buffer : odd.train.program.buffers) EXPECT_NE(buffer.dtype, DType::boolean) << buffer.name;
  EXPECT_EQ(launches_per_step(odd.train.program), 16);
}

// Without dropout the product that clamps keeps the mask itself.
TEST(SplitProducts, ReluKeepsItsOwnMask) {
  const Compiled compiled = seed_net(cublaslt(), {{784, 1024, 1024, 10}, 0, true});
  EXPECT_EQ(launches_per_step(compiled.train.program), 12);
  size_t kept = 0;
  for (const Kernel& kernel : compiled.train.program.kernels) {
    const auto made = match_library_product(kernel, cublaslt());
    kept += made && made->activation == Activation::relu && kernel.phases[1].stores.size() == 2;
  }
  EXPECT_EQ(kept, 2u);
}

// Every product of a program that has been split is one the library makes, whatever stood behind it.
TEST(SplitProducts, WhatIsLeftIsTheLibrarys) {
  for (const char* activation : {"relu", "gelu_tanh", "gelu", "tanh", "silu"}) {
    Graph graph;
    GraphBuilder b(graph);
    const NodeId x = b.input("x", {DType::f32, {16}, true});
    const NodeId w = b.parameter("w", {DType::f32, {16, 16}}, {}), bias = b.parameter("bias", {DType::f32, {16}}, {});
    const NodeId y = b.op("matmul", {x, w}, {{"transpose_weight", false}});
    const NodeId z = b.op(activation, {b.add(y, b.expand_like(bias, y, {0}))});
    graph.results = {{"y", b.add(b.op("matmul", {z, w}, {{"transpose_weight", true}}), x)}, {"mean", b.reduce_sum(b.mul(z, z), {0})}};
    Program program = lower(graph, "p");
    program.batch_capacity = 4;
    fuse(program);
    const ProductLibrary library = cublaslt();
    split_products(program, library);
    ASSERT_TRUE(verify(program).empty()) << verify(program).front();
    size_t products = 0, others = 0;
    for (const Kernel& kernel : program.kernels) {
      if (!match_matrix_product(kernel, nullptr)) {
        ++others;
        continue;
      }
      ++products;
      EXPECT_TRUE(match_library_product(kernel, library)) << to_string(kernel, program);
    }
    EXPECT_EQ(products, 2u);
    // The sum of squares is a row kernel; what the library cannot do beside the first product is one with it or one more.
    EXPECT_LE(others, 2u) << activation << "\n" << to_string(program);
    if (std::string(activation) == "gelu_tanh" || std::string(activation) == "relu") {
      EXPECT_EQ(others, 1u) << to_string(program);
    }
  }
}

TEST(SplitProducts, VerifyKnowsWhatGoesWithAProduct) {
  Program program = seed_net(cublaslt()).train.program;
  ASSERT_TRUE(verify(program).empty());
  const auto carried = std::find_if(program.steps.begin(), program.steps.end(), [](const Step& s) { return s.with != kNone; });
  Program other = program;
  other.steps[static_cast<size_t>(carried - program.steps.begin())].with = program.steps.front().kernel;
  EXPECT_FALSE(verify(other).empty());
  Program late = program;
  late.steps.back().with = carried->with;
  EXPECT_FALSE(verify(late).empty());
}

}  // namespace
}  // namespace netc::test
