// The order of samples: every row once an epoch, a function of seed and epoch alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/epoch_order.h"

namespace netc {
namespace {

std::vector<uint32_t> order_of(int64_t rows, uint64_t seed, int64_t epoch) {
  EpochOrder order(rows, seed);
  order.shuffle(epoch);
  return {order.rows().begin(), order.rows().end()};
}

TEST(EpochOrder, HoldsEveryRowOnce) {
  for (const int64_t rows : {0, 1, 2, 3, 128, 12811}) {
    auto order = order_of(rows, 1, 3);
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> all(static_cast<size_t>(rows));
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(order, all);
  }
}

TEST(EpochOrder, DependsOnSeedAndEpochOnly) {
  EXPECT_NE(order_of(1000, 1, 0), order_of(1000, 1, 1));
  EXPECT_NE(order_of(1000, 1, 0), order_of(1000, 2, 0));
  EXPECT_NE(order_of(1000, 1, 0), order_of(1000, 1 + (uint64_t{1} << 32), 0));
  EpochOrder order(1000, 1);   // after other epochs, in any order
  for (const int64_t epoch : {5, 0, 7, 2}) order.shuffle(epoch);
  EXPECT_TRUE(std::equal(order.rows().begin(), order.rows().end(), order_of(1000, 1, 2).begin()));
}

// All 24 orders of 4 rows come up alike: chi-squared with 23 degrees of freedom stays below 53.5 in all but 3 of 10,000
// experiments, and this one is always the same.
TEST(EpochOrder, IsUniform) {
  std::vector<int> seen(256);
  constexpr int kEpochs = 24000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const auto order = order_of(4, 99, epoch);
    ++seen[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]];
  }
  double chi_squared = 0;
  int orders = 0;
  for (const int count : seen) {
    if (count == 0) continue;
    ++orders;
    chi_squared += (count - kEpochs / 24.0) * (count - kEpochs / 24.0) / (kEpochs / 24.0);
  }
  EXPECT_EQ(orders, 24);
  EXPECT_LT(chi_squared, 53.5);
}

}  // namespace
}  // namespace netc
