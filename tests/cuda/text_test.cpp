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

TEST(CudaText, OfASoftmaxThatKeepsItsRow) { expect_golden("cuda/golden/softmax.txt", kernels_of(emit({softmax_program(1000)}))); }

TEST(CudaText, OfALayerNorm) { expect_golden("cuda/golden/layer_norm.txt", kernels_of(emit({layer_norm_program(256)}))); }

TEST(CudaText, OfAnEmbedding) { expect_golden("cuda/golden/embedding.txt", kernels_of(emit({embedding_program()}))); }

TEST(CudaText, OfGroupedUpdates) { expect_golden("cuda/golden/updates.txt", kernels_of(emit({updates_program(5)}))); }

}  // namespace
}  // namespace netc::test
