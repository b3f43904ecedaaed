// Initial weights: the distributions that are asked for, and independence of everything but seed, path and element.
#include "runtime/initial_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace netc {
namespace {

std::vector<float> draw(Initializer init, size_t count, const std::string& path = "fc1.weight", uint64_t seed = 1) {
  std::vector<float> values(count);
  draw_initial(init, seed, path, values);
  return values;
}

struct Moments {
  double mean = 0, variance = 0, low = INFINITY, high = -INFINITY;
};

Moments moments_of(const std::vector<float>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const double x : values) m.mean += x / n, m.low = std::min(m.low, x), m.high = std::max(m.high, x);
  for (const double x : values) m.variance += (x - m.mean) * (x - m.mean) / n;
  return m;
}

using Kind = Initializer::Kind;
constexpr size_t kCount = 200000;
// A mean of n draws strays by sd / sqrt(n), their variance by sd^2 * sqrt((kurtosis - 1) / n); five times that is never
// seen by chance, and these draws are always the same.
const double kStray = 5 / std::sqrt(static_cast<double>(kCount));

TEST(InitialWeights, ConstantsAreConstant) {
  EXPECT_EQ(draw({Kind::zeros, 0, 0, false}, 3), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(draw({Kind::ones, 0, 0, false}, 2), (std::vector<float>{1, 1}));
  EXPECT_EQ(draw({Kind::constant, 0.25, 0, false}, 2), (std::vector<float>{0.25, 0.25}));
}

TEST(InitialWeights, UniformFillsItsRange) {
  const Moments m = moments_of(draw({Kind::uniform, -0.5, 1.5, false}, kCount));
  const double variance = 4.0 / 12;   // kurtosis 1.8
  EXPECT_NEAR(m.mean, 0.5, kStray * std::sqrt(variance));
  EXPECT_NEAR(m.variance, variance, kStray * variance * std::sqrt(0.8));
  EXPECT_GE(m.low, -0.5);
  EXPECT_LE(m.high, 1.5);
  EXPECT_LT(m.low, -0.4999);          // of 200,000 draws some come this close to the ends
  EXPECT_GT(m.high, 1.4999);
}

TEST(InitialWeights, NormalHasItsMoments) {
  const auto values = draw({Kind::normal, 2, 0.5, false}, kCount);
  const Moments m = moments_of(values);
  EXPECT_NEAR(m.mean, 2, kStray * 0.5);
  EXPECT_NEAR(m.variance, 0.25, kStray * 0.25 * std::sqrt(2.0));   // kurtosis 3
  const auto beyond_two = std::count_if(values.begin(), values.end(), [](float x) { return std::abs(x - 2) > 1; });
  EXPECT_NEAR(static_cast<double>(beyond_two) / kCount, 0.0455, kStray * std::sqrt(0.0455));
}

TEST(InitialWeights, TruncatedNormalEndsAtTwoDeviations) {
  const Moments m = moments_of(draw({Kind::normal, 0, 1, true}, kCount));
  EXPECT_NEAR(m.mean, 0, kStray);
  EXPECT_NEAR(m.variance, 0.7737, kStray + 1e-4);   // 1 - 4 * density(2) / share(-2 .. 2)
  EXPECT_GE(m.low, -2);
  EXPECT_LE(m.high, 2);
  EXPECT_GT(m.high, 1.999);
}

TEST(InitialWeights, DependOnSeedPathAndElementOnly) {
  const Initializer init = {Kind::normal, 0, 1, false};
  const auto all = draw(init, 1001);
  for (const size_t count : {1, 2, 3, 4, 5, 1000}) {
    const auto fewer = draw(init, count);
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), all.begin())) << count;
  }
  EXPECT_NE(draw(init, 100), draw(init, 100, "fc2.weight"));
  EXPECT_NE(draw(init, 100), draw(init, 100, "fc1.weight", 2));
}

// Parameters of different paths, and neighbours within one, are not correlated.
TEST(InitialWeights, AreIndependent) {
  const Initializer init = {Kind::normal, 0, 1, false};
  const auto a = draw(init, kCount), b = draw(init, kCount, "fc2.weight");
  double across = 0, along = 0;
  for (size_t i = 0; i + 1 < kCount; ++i) across += a[i] * b[i] / kCount, along += a[i] * a[i + 1] / kCount;
  EXPECT_NEAR(across, 0, kStray);
  EXPECT_NEAR(along, 0, kStray);
}

// Against the distribution function: p = erfc(-z / sqrt 2) / 2. An error e of z moves p by density(z) * e.
TEST(NormalQuantile, InvertsTheDistribution) {
  for (double p = 1e-10; p < 0.5; p *= 1.37) {
    const double z = normal_quantile(p);
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)), p, density * std::abs(z) * 2e-15 + p * 2e-14) << p;
    EXPECT_NEAR(normal_quantile(1 - p), -normal_quantile(1 - (1 - p)), std::abs(z) * 1e-14) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
}

}  // namespace
}  // namespace netc
