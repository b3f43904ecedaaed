// Error bounds of single operations: an f32 evaluation from perturbed operands stays inside them.
#include "compiler/kernel/bounded.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/scalar_op.h"

namespace netc {
namespace {

double draw(std::mt19937& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
}

struct Tried {
  ExprOp op;
  double low, high;
};

class BoundedOperation : public ::testing::TestWithParam<Tried> {};

INSTANTIATE_TEST_SUITE_P(
    All, BoundedOperation,
    ::testing::Values(Tried{ExprOp::neg, -9, 9}, Tried{ExprOp::abs, -9, 9}, Tried{ExprOp::exp, -20, 20},
                      Tried{ExprOp::log, 0.01, 50}, Tried{ExprOp::log1p, -0.9, 9}, Tried{ExprOp::expm1, -3, 3},
                      Tried{ExprOp::sqrt, 0.01, 9}, Tried{ExprOp::rsqrt, 0.01, 9}, Tried{ExprOp::reciprocal, 0.1, 9},
                      Tried{ExprOp::sin, -9, 9}, Tried{ExprOp::cos, -9, 9}, Tried{ExprOp::tanh, -5, 5},
                      Tried{ExprOp::erf, -3, 3}, Tried{ExprOp::floor, -9, 9}, Tried{ExprOp::sign, -1e-3, 1e-3},
                      Tried{ExprOp::add, -9, 9}, Tried{ExprOp::sub, -9, 9}, Tried{ExprOp::mul, -9, 9},
                      Tried{ExprOp::div, 0.1, 9}, Tried{ExprOp::max, -9, 9}, Tried{ExprOp::min, -9, 9},
                      Tried{ExprOp::pow, 0.1, 4}),
    [](const auto& tested) { return expr_op_name(tested.param.op); });

TEST_P(BoundedOperation, HoldsForF32FromPerturbedOperands) {
  const auto [op, low, high] = GetParam();
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const Bounded a(draw(random, low, high), draw(random, 0, 1e-4)), b(draw(random, low, high), draw(random, 0, 1e-4));
    const double x = a.value + draw(random, -1, 1) * a.error * 0.99, y = b.value + draw(random, -1, 1) * b.error * 0.99;
    const float f32 = apply<float>(op, static_cast<float>(x), static_cast<float>(y));
    const Bounded bound = apply_bounded(op, a, b);
    // Rounding the operands to f32 is an error too; it stays below the 1 % left of theirs unless that is tiny.
    if (a.error < 1e-5 || b.error < 1e-5 * std::max(1.0, high)) continue;
    ASSERT_LE(std::abs(f32 - bound.value), bound.error) << expr_op_name(op) << "(" << a.value << ", " << b.value << ")";
  }
}

TEST(BoundedTruth, CloseComparisonsAreUncertain) {
  const Bounded a(1.0, 1e-6), b(1.0 + 5e-7, 0), far(2.0, 1e-6);
  EXPECT_EQ(compare(ExprOp::lt, a, b), kUncertain | 1);
  EXPECT_EQ(compare(ExprOp::ge, a, b), kUncertain);
  EXPECT_EQ(compare(ExprOp::eq, a, b), kUncertain);
  EXPECT_EQ(compare(ExprOp::lt, a, far), 1);
  EXPECT_EQ(compare(ExprOp::ne, a, far), 1);
  EXPECT_EQ(compare(ExprOp::eq, Bounded(3.0), Bounded(3.0)), 1);   // exact values can be equal
  const Bounded nan(std::nan(""));
  EXPECT_EQ(compare(ExprOp::lt, nan, a), 0);
  EXPECT_EQ(compare(ExprOp::ge, nan, a), 0);
  EXPECT_EQ(compare(ExprOp::ne, nan, a), 1);
}

TEST(BoundedTruth, SelectOnAnUncertainTruthAllowsBoth) {
  for (const int64_t truth : {kUncertain, kUncertain | 1}) {
    const Bounded chosen = choose(truth, Bounded(1.0, 0.25), Bounded(3.0, 0.5));
    EXPECT_EQ(chosen.value, holds(truth) ? 1.0 : 3.0);
    EXPECT_LE(chosen.value - chosen.error, 0.75);
    EXPECT_GE(chosen.value + chosen.error, 3.5);
  }
}

TEST(BoundedTruth, LogicKeepsWhatIsCertain) {
  const int64_t maybe = kUncertain | 1, hardly = kUncertain;
  EXPECT_EQ(both(0, maybe), 0);
  EXPECT_EQ(both(1, maybe), maybe);
  EXPECT_EQ(both(hardly, maybe), hardly);
  EXPECT_EQ(any_of(1, maybe), 1);
  EXPECT_EQ(any_of(0, maybe), maybe);
  EXPECT_EQ(any_of(0, 0), 0);
  EXPECT_EQ(both(1, 1), 1);
  EXPECT_EQ(negated(hardly), maybe);
}

TEST(BoundedZero, IsExact) {
  EXPECT_EQ((Bounded(0.0) * Bounded(5.0, 0.1)).error, 0);
  EXPECT_EQ((Bounded(0.0) + Bounded(5.0, 0.1)).error, 0.1);
  EXPECT_EQ((Bounded(0.0) / Bounded(5.0, 0.1)).error, 0);
}

}  // namespace
}  // namespace netc
