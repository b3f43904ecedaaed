// Launch lists: how many, how large, what they move and compute, and which products a library takes over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/errors.h"
#include "compiler/kernel/kernel_builder.h"
#include "compiler/kernel/target.h"
#include "tests/cuda/cuda_programs.h"
#include "tests/kernel/hand_program.h"

namespace netc::test {
namespace {

using testing::ElementsAre;

std::vector<CudaLaunch> launches_of(const Program& program, CudaOptions options = {}) {
  return emit_cuda(std::span(&program, 1), options).programs.at(0);
}

const KernelLaunch& kernel_of(const CudaLaunch& launch) { return std::get<KernelLaunch>(launch.call); }

int products_in(const std::vector<CudaLaunch>& launches) {
  return static_cast<int>(std::count_if(launches.begin(), launches.end(), [](const CudaLaunch& launch) {
    return std::holds_alternative<ProductCall>(launch.call);
  }));
}

TEST(CudaLaunches, OfTheSeedNet) {
  const std::vector<Program> programs = seed_net_programs();
  const EmittedCuda emitted = emit_cuda(programs, {});
  std::vector<size_t> counts;
  std::vector<int> products;
  for (const auto& launches : emitted.programs) {
    counts.push_back(launches.size());
    products.push_back(products_in(launches));
  }
  EXPECT_THAT(counts, ElementsAre(14u, 6u, 5u));      // train, evaluate, predict
  EXPECT_THAT(products, ElementsAre(1, 3, 2));        // dropout and updates keep the others from the library
  EXPECT_EQ(emitted.symbols.size(), 15u);             // evaluate and predict share what train has
  for (size_t p = 0; p < programs.size(); ++p) {
    std::vector<int32_t> steps;
    for (const CudaLaunch& launch : emitted.programs[p])
      steps.insert(steps.end(), launch.steps.begin(), launch.steps.end());
    std::sort(steps.begin(), steps.end());
    ASSERT_EQ(steps.size(), programs[p].steps.size());
    for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], static_cast<int32_t>(i)) << "every step once";
  }
}

// As devices are given it: eight products by the library, all six updates in one launch, the rest pointwise and sums.
TEST(CudaLaunches, OfTheSeedNetOnDevices) {
  const std::vector<CudaLaunch> launches = launches_of(seed_net_programs(true)[0]);
  EXPECT_EQ(launches.size(), 19u);
  EXPECT_EQ(products_in(launches), 8);
  EXPECT_EQ(launches.back().steps.size(), 6u);
}

TEST(CudaLaunches, CountBlocksBytesAndFlops) {
  const std::vector<CudaLaunch> launches = launches_of(seed_net_programs()[0]);
  // flatten_cast: u8 [B, 784] -> f32, a multiplication each; a thread for four.
  EXPECT_EQ(kernel_of(launches[0]).grid(128), 128 * 784 / 4 / 256);
  EXPECT_EQ(kernel_of(launches[0]).grid(1), 1);
  EXPECT_EQ(kernel_of(launches[0]).grid(0), 0);
  EXPECT_EQ(launches[0].bytes_moved.at(128), 128 * 784 * (1 + 4));
  EXPECT_EQ(launches[0].flops.at(128), 128 * 784);
  // fc1: [B, 784] x [784, 1024] + bias, max, two multiplications.
  EXPECT_EQ(kernel_of(launches[1]).grid(128), 4 * 32);
  EXPECT_EQ(launches[1].bytes_moved.at(128), 4 * (128 * 784 + 784 * 1024 + 1024 + 128 * 1024));
  EXPECT_EQ(launches[1].flops.at(128), 2 * 128 * 784 * 1024 + 4 * 128 * 1024);
}

TEST(CudaLaunches, OfRowsAndTotals) {
  const std::vector<CudaLaunch> softmax = launches_of(softmax_program(1000));
  ASSERT_EQ(softmax.size(), 1u);
  EXPECT_EQ(kernel_of(softmax[0]).grid(17), 3);   // 8 rows a block
  EXPECT_EQ(softmax[0].bytes_moved.at(17), 2 * 4 * 17 * 1000);
  // max, minus, exp, sum, quotient
  EXPECT_EQ(softmax[0].flops.at(17), 5 * 17 * 1000);
  EXPECT_EQ(kernel_of(launches_of(softmax_program(1025))[0]).grid(17), 17);   // a block for a row
}

TEST(CudaLaunches, OfAnEmbedding) {
  const std::vector<CudaLaunch> launches = launches_of(embedding_program());
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[0].bytes_moved.at(32), 32 * (4 + 2 * 64 * 4));
  EXPECT_EQ(kernel_of(launches[2]).grid(0), 2 * 16);   // nothing is added, and that costs a launch
  EXPECT_EQ(launches[2].bytes_moved.at(32), 32 * (4 + 64 * 4 * 3));
}

TEST(CudaLaunches, UpdatesOfAllWeightsAreOne) {
  const std::vector<CudaLaunch> few = launches_of(updates_program(5));
  ASSERT_EQ(few.size(), 1u);
  EXPECT_THAT(few[0].steps, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(kernel_of(few[0]).grid(0), 2 + 1 + 3 + 1 + 4);
  EXPECT_EQ(kernel_of(few[0]).buffers.size(), 10u);
  EXPECT_EQ(few[0].bytes_moved.at(1), 3 * 4 * (3 * 512 + 4 * 7 + 5 * 512 + 6 * 7 + 7 * 512));

  const std::vector<CudaLaunch> many = launches_of(updates_program(600));   // 1200 pointers
  ASSERT_EQ(many.size(), 3u);
  for (const CudaLaunch& launch : many) EXPECT_LE((1 + kernel_of(launch).buffers.size()) * 8, 4096u);
}

TEST(CudaLaunches, AnUpdateWaitsForNobodyWhoReadsItsWeight) {
  HandProgram p(8);
  const BufferId w = p.parameter("w", 4, 4), g = p.parameter("g", 4, 4), x = p.input("x", 4), y = p.output("y", 4);
  const auto update = [&](BufferId to, BufferId from) {
    KernelBuilder k("update");
    const AxisId r = k.parallel("i", {4, false}), c = k.parallel("c", {4, false});
    k.store(to, at(r), at(c), k.binary(ExprOp::sub, k.load(to, at(r), at(c)), k.load(from, at(r), at(c))));
    return k.take();
  };
  p.step(update(w, g));
  {
    KernelBuilder k("use");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {4, false});
    k.store(y, at(r), at(c), k.binary(ExprOp::mul, k.load(x, at(r), at(c)), k.load(w, at_constant(0), at(c))));
    p.step(k.take());
  }
  p.step(update(g, w));   // and writes what the first one reads
  const std::vector<CudaLaunch> launches = launches_of(p);
  ASSERT_EQ(launches.size(), 3u);
  for (int32_t i = 0; i < 3; ++i) EXPECT_THAT(launches[static_cast<size_t>(i)].steps, ElementsAre(i));
}

// out = f(x * w + bias) with a choice of f.
Program product_program(const std::function<ExprId(KernelBuilder&, ExprId)>& f, bool bias, bool transposed = false) {
  HandProgram p(16);
  const BufferId x = p.input("x", 20), b = p.parameter("b", 1, 12), y = p.output("y", 12);
  const BufferId w = transposed ? p.parameter("w", 12, 20) : p.parameter("w", 20, 12);
  KernelBuilder k("product");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {12, false}), i = k.axis("k", {20, false});
  k.phase({i});
  const ExprId factor = transposed ? k.load(w, at(c), at(i)) : k.load(w, at(i), at(c));
  ExprId v = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), factor));
  k.phase();
  if (bias) v = k.binary(ExprOp::add, v, k.load(b, at_constant(0), at(c)));
  k.store(y, at(r), at(c), f(k, v));
  p.step(k.take());
  return p;
}

ExprId relu(KernelBuilder& k, ExprId x) { return k.binary(ExprOp::max, x, k.constant(0)); }

ExprId gelu(KernelBuilder& k, ExprId x, bool exact) {
  if (exact) {
    const ExprId share = k.unary(ExprOp::erf, k.binary(ExprOp::mul, x, k.constant(0.7071067811865476)));
    return k.binary(ExprOp::mul, k.binary(ExprOp::mul, k.constant(0.5), x),
                    k.binary(ExprOp::add, k.constant(1), share));
  }
  const ExprId cube = k.binary(ExprOp::mul, k.binary(ExprOp::mul, x, x), x);
  const ExprId sum = k.binary(ExprOp::add, x, k.binary(ExprOp::mul, k.constant(0.044715), cube));
  const ExprId share = k.unary(ExprOp::tanh, k.binary(ExprOp::mul, k.constant(0.7978845608028654), sum));
  return k.binary(ExprOp::mul, k.binary(ExprOp::mul, k.constant(0.5), x), k.binary(ExprOp::add, k.constant(1), share));
}

TEST(LibraryProducts, AreRecognisedByForm) {
  const auto call = [](const Program& program) {
    const std::vector<CudaLaunch> launches = launches_of(program);
    return std::get<ProductCall>(launches.at(0).call);
  };
  const auto same = [](KernelBuilder&, ExprId x) { return x; };
  const auto tanh_form = [](KernelBuilder& k, ExprId x) { return gelu(k, x, false); };
  ProductCall expected{{1, true}, {12, false}, {20, false}, 0,  3,  2, kNone,
                       false,     false,       20,          12, 12, 1, ProductEpilogue::none};
  EXPECT_EQ(call(product_program(same, false)), expected);
  expected.bias = 1;
  expected.epilogue = ProductEpilogue::bias;
  EXPECT_EQ(call(product_program(same, true)), expected);
  expected.epilogue = ProductEpilogue::bias_relu;
  EXPECT_EQ(call(product_program(relu, true)), expected);
  expected.epilogue = ProductEpilogue::bias_gelu_tanh;
  EXPECT_EQ(call(product_program(tanh_form, true)), expected);
  expected.b_transposed = true;
  expected.b_stride = 20;
  EXPECT_EQ(call(product_program(tanh_form, true, true)), expected);
}

TEST(LibraryProducts, LeaveWhatALibraryDoesNotDo) {
  const auto exact_gelu = [](KernelBuilder& k, ExprId x) { return gelu(k, x, true); };
  const auto tanh = [](KernelBuilder& k, ExprId x) { return k.unary(ExprOp::tanh, x); };
  EXPECT_EQ(products_in(launches_of(product_program(exact_gelu, true))), 0);
  EXPECT_EQ(products_in(launches_of(product_program(tanh, false))), 0);
  EXPECT_EQ(products_in(launches_of(product_program(relu, true), {.library_products = false, .span_text = {}})), 0);
}

TEST(CudaLaunches, RefusePanels) {
  HandProgram p(8);
  p.buffers[static_cast<size_t>(p.parameter("w", 4, 4))].layout = Layout::panels;
  EXPECT_THROW(launches_of(p), InternalError);
}

TEST(CudaLaunches, RefuseMoreBlocksThanAGridHolds) {
  KernelLaunch launch;
  launch.grid_parts = {{{Extent{1 << 20, true}, 1}}};
  EXPECT_EQ(launch.grid(2), 2 << 20);
  EXPECT_THROW(launch.grid(1 << 12), InternalError);
}

}  // namespace
}  // namespace netc::test
