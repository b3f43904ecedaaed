// Rows and towers: C1 of the collected public reports, and every small case there is.
#include "runtime/deal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace netc {
namespace {

std::vector<int64_t> evenly(int64_t rows, int towers) {
  std::vector<int64_t> slices(static_cast<size_t>(towers));
  deal_evenly(rows, slices);
  return slices;
}

std::vector<int64_t> by_share(int64_t rows, const std::vector<double>& shares) {
  std::vector<int64_t> slices(shares.size());
  deal_by_share(rows, shares, slices);
  return slices;
}

Plan plan_of(const std::vector<double>& shares) {
  Plan plan;
  for (size_t t = 0; t < shares.size(); ++t) {
    TowerSpec tower;
    tower.device = {DeviceKind::cpu, static_cast<int>(t)};
    tower.share = shares[t];
    plan.towers.push_back(tower);
  }
  return plan;
}

TrainSpec batch_of(int64_t rows, BatchScope scope) {
  TrainSpec train;
  train.batch = rows;
  train.batch_scope = scope;
  return train;
}

TEST(Deal, GivesTheExtraRowToTheFirstTowers) {
  for (int64_t rows = 0; rows <= 50; ++rows)
    for (int towers = 1; towers <= 9; ++towers) {
      const auto slices = evenly(rows, towers);
      for (int t = 0; t < towers; ++t)
        EXPECT_EQ(slices[static_cast<size_t>(t)], rows / towers + (t < rows % towers)) << rows << " rows, tower " << t;
      EXPECT_EQ(by_share(rows, std::vector<double>(static_cast<size_t>(towers), 1.0)), slices) << rows << " over " << towers;
      EXPECT_EQ(by_share(rows, std::vector<double>(static_cast<size_t>(towers), 0.1)), slices) << rows << " over " << towers;
    }
}

TEST(Deal, AnswersTheCollectedReports) {
  EXPECT_EQ(evenly(483, 2), (std::vector<int64_t>{242, 241}));                   // keras-extras#7
  EXPECT_EQ(evenly(6379, 4), (std::vector<int64_t>{1595, 1595, 1595, 1594}));    // the same
  EXPECT_EQ(evenly(35, 2), (std::vector<int64_t>{18, 17}));                      // keras_multi_gpu#3
  EXPECT_EQ(evenly(1, 8), (std::vector<int64_t>{1, 0, 0, 0, 0, 0, 0, 0}));       // keras#11844
  EXPECT_EQ(evenly(38, 8), (std::vector<int64_t>{5, 5, 5, 5, 5, 5, 4, 4}));      // mxnet#12803
  EXPECT_EQ(evenly(3, 8), (std::vector<int64_t>{1, 1, 1, 0, 0, 0, 0, 0}));       // mxnet#13909
  EXPECT_EQ(evenly(2, 4), (std::vector<int64_t>{1, 1, 0, 0}));                   // LBANN#1548, tinygrad#5130
  EXPECT_EQ(evenly(64, 3), (std::vector<int64_t>{22, 21, 21}));                  // flexflow#206
  EXPECT_EQ(evenly(256, 6), (std::vector<int64_t>{43, 43, 43, 43, 42, 42}));     // d2l-zh#354
}

TEST(Deal, FollowsSharesByLargestRemainder) {
  EXPECT_EQ(by_share(256, {3, 1}), (std::vector<int64_t>{192, 64}));
  EXPECT_EQ(by_share(10, {3, 1}), (std::vector<int64_t>{8, 2}));       // 7.5 and 2.5: the tie goes to the first
  EXPECT_EQ(by_share(10, {1, 1, 2}), (std::vector<int64_t>{3, 2, 5}));
  EXPECT_EQ(by_share(7, {0.5, 0.2, 0.3}), (std::vector<int64_t>{4, 1, 2}));   // 3.5, 1.4, 2.1
  for (int64_t rows = 0; rows <= 200; ++rows)
    for (const auto& shares : std::vector<std::vector<double>>{{3, 1}, {1, 2, 3}, {0.7, 0.1, 0.1, 0.1}, {5, 5, 1}}) {
      const auto slices = by_share(rows, shares);
      EXPECT_EQ(std::accumulate(slices.begin(), slices.end(), int64_t{0}), rows);
      const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (size_t t = 0; t < shares.size(); ++t)
        EXPECT_LT(std::abs(static_cast<double>(slices[t]) - static_cast<double>(rows) * shares[t] / total), 1);
    }
}

// With 6 : 6 : 2 shares the third tower gets 2 of 10 rows but 1 of 11 (the Alabama paradox): room is made for it.
TEST(Deal, MakesRoomForSmallerUpdatesToo) {
  const std::vector<double> paradox = {6, 6, 2};
  EXPECT_EQ(by_share(10, paradox), (std::vector<int64_t>{4, 4, 2}));
  EXPECT_EQ(by_share(11, paradox), (std::vector<int64_t>{5, 5, 1}));
  for (const auto& shares : std::vector<std::vector<double>>{paradox, {3, 1}, {1, 1, 1}, {0.9, 0.05, 0.05}})
    for (int64_t rows = 1; rows <= 120; ++rows) {
      const int64_t room = largest_slice(rows, shares);
      for (int64_t fewer = 1; fewer <= rows; ++fewer) {
        const auto slices = by_share(fewer, shares);
        ASSERT_LE(*std::max_element(slices.begin(), slices.end()), room) << fewer << " of " << rows;
      }
      const int64_t fit = rows_that_fit(room, shares);
      EXPECT_GE(fit, rows);
      EXPECT_LE(largest_slice(fit, shares), room);
      EXPECT_GT(largest_slice(fit + 1, shares), room);
    }
}

TEST(BatchPlan, CountsPerTowerAndTotal) {
  const BatchPlan tower = plan_batches(batch_of(128, BatchScope::per_tower), plan_of({1, 1, 1, 1}), 60000);
  EXPECT_EQ(tower.update_rows, 512);
  EXPECT_EQ(tower.tower_capacity, 128);
  EXPECT_EQ(tower.updates_per_epoch, 118);
  EXPECT_EQ(tower.last_rows, 96);
  EXPECT_EQ(describe(tower),
            "128 per tower x 4 towers x 1 pass = 512 samples per update, 118 updates per epoch (last one 96)");

  const BatchPlan total = plan_batches(batch_of(256, BatchScope::total), plan_of({1, 1, 1, 1, 1, 1}), 2560);
  EXPECT_EQ(total.tower_capacity, 43);
  EXPECT_EQ(describe(total), "43 or 42 per tower x 6 towers x 1 pass = 256 samples per update, 10 updates per epoch");

  const BatchPlan shared = plan_batches(batch_of(512, BatchScope::total), plan_of({3, 1}), 512);
  EXPECT_EQ(describe(shared), "384, 128 per tower x 2 towers x 1 pass = 512 samples per update, 1 update per epoch");

  Plan passes = plan_of({1, 1, 1, 1});
  passes.accumulate = 2;
  EXPECT_EQ(describe(plan_batches(batch_of(128, BatchScope::per_tower), passes, 0)),
            "128 per tower x 4 towers x 2 passes = 1024 samples per update");
}

TEST(BatchPlan, KeepsOrDropsTheShortUpdate) {
  Plan plan = plan_of({1});
  const TrainSpec train = batch_of(64, BatchScope::total);
  EXPECT_EQ(plan_batches(train, plan, 5).updates_per_epoch, 1);   // LBANN#96: fewer samples than a batch
  EXPECT_EQ(plan_batches(train, plan, 5).last_rows, 5);
  EXPECT_EQ(plan_batches(train, plan, 128).last_rows, 64);
  plan.last_batch_drop = true;
  EXPECT_EQ(plan_batches(train, plan, 100).updates_per_epoch, 1);
  EXPECT_EQ(plan_batches(train, plan, 100).last_rows, 64);
  EXPECT_EQ(plan_batches(train, plan, 5).updates_per_epoch, 0);
  EXPECT_EQ(describe(plan_batches(train, plan, 100)),
            "64 per tower x 1 tower x 1 pass = 64 samples per update, 1 update per epoch (last 36 dropped)");
}

}  // namespace
}  // namespace netc
