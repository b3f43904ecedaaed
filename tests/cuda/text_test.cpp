// The generated text: what users read, the same every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/errors.h"
#include "tests/cuda/cuda_programs.h"
#include "tests/support/golden.h"

namespace netc::test {
namespace {

EmittedCuda emit(const std::vector<Program>& programs) { return emit_cuda(programs, {}); }

TEST(CudaText, OfTheSeedNet) {
  const EmittedCuda emitted = emit(seed_net_programs());
  expect_golden("cuda/golden/seed_net.txt", emitted.text);
  EXPECT_EQ(emit(seed_net_programs()).text, emitted.text);
}

TEST(CudaText, OfASoftmaxThatKeepsItsRow) {
  expect_golden("cuda/golden/softmax.txt", kernels_of(emit({softmax_program(1000)})));
}

TEST(CudaText, OfALayerNorm) {
  expect_golden("cuda/golden/layer_norm.txt", kernels_of(emit({layer_norm_program(256)})));
}

TEST(CudaText, OfAnEmbedding) { expect_golden("cuda/golden/embedding.txt", kernels_of(emit({embedding_program()}))); }

TEST(CudaText, OfGroupedUpdates) { expect_golden("cuda/golden/updates.txt", kernels_of(emit({updates_program(5)}))); }

TEST(CudaText, CountsIn64BitsOnlyWhereItMust) {
  const std::string small = kernels_of(emit({softmax_program(1000)}));
  const std::string large = kernels_of(emit({huge_softmax_program()}));
  EXPECT_THAT(small, testing::HasSubstr("const i32 i_r = (i32)point;"));
  EXPECT_THAT(large, testing::HasSubstr("const i64 i_r = (i64)point;"));
  EXPECT_THAT(large, testing::HasSubstr("const u64 point = (u64)blockIdx.x * 8u + threadIdx.x / 32u;"));
}

// Layers of one form, and programs of one run, are one function.
TEST(CudaText, IsSharedByKernelsThatDoTheSame) {
  Program other = softmax_program(1000);
  other.name = "other";
  other.buffers[0].name = "another";
  const EmittedCuda emitted = emit({softmax_program(1000), other, softmax_program(999)});
  EXPECT_EQ(emitted.symbols.size(), 2u);
  const auto symbol = [&](size_t program) { return std::get<KernelLaunch>(emitted.programs[program][0].call).symbol; };
  EXPECT_EQ(symbol(0), symbol(1));
  EXPECT_NE(symbol(0), symbol(2));
}

TEST(CudaText, NamesTheLinesOfTheModel) {
  Program program = softmax_program(10);
  program.kernels[0].spans = {Span{0, 10, 20}};
  CudaOptions options;
  options.span_text = [](Span) { return std::string("models/x.net:3:7   -> softmax"); };
  EXPECT_THAT(emit_cuda(std::span(&program, 1), options).text,
              testing::HasSubstr("// from models/x.net:3:7   -> softmax\nextern \"C\" __global__ void"));
}

TEST(CudaText, HasAFormForEveryRowAndRandomGraphs) {
  for (const bool fused : {false, true})
    for (const auto& programs : {row_programs(fused), random_programs(fused)}) {
      const EmittedCuda emitted = emit(programs);
      for (size_t p = 0; p < programs.size(); ++p) {
        size_t steps = 0;
        for (const CudaLaunch& launch : emitted.programs[p]) steps += launch.steps.size();
        EXPECT_EQ(steps, programs[p].steps.size()) << programs[p].name;
      }
    }
}

}  // namespace
}  // namespace netc::test
