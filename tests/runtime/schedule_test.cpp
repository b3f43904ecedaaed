// Learning rates against values worked out by hand.
#include "runtime/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace netc {
namespace {

constexpr double kUlps = 4 * std::numeric_limits<double>::epsilon();   // a handful of roundings of numbers below 1
constexpr RunLength kRun = {20, 5};                                     // 20 updates, 5 an epoch

double factor(const ScheduleSpec& schedule, int64_t update) { return schedule_factor(schedule, update, kRun); }

ScheduleSpec schedule_of(const std::string& kind) {
  ScheduleSpec schedule;
  schedule.kind = kind;
  return schedule;
}

TEST(Schedule, ConstantStaysOne) {
  for (const int64_t update : {0, 7, 19}) EXPECT_EQ(factor(schedule_of("constant"), update), 1);
}

TEST(Schedule, StepFallsAfterEveryPeriod) {
  ScheduleSpec schedule = schedule_of("step");
  schedule.gamma = 0.5;
  schedule.every = {1, true};   // 5 updates
  const double expected[] = {1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25};
  for (int64_t update = 0; update < 11; ++update) EXPECT_EQ(factor(schedule, update), expected[update]) << update;
  schedule.every = {8, false};
  EXPECT_EQ(factor(schedule, 7), 1);
  EXPECT_EQ(factor(schedule, 8), 0.5);
  EXPECT_EQ(factor(schedule, 19), 0.25);
}

TEST(Schedule, LinearReachesItsEnd) {
  ScheduleSpec schedule = schedule_of("linear");
  schedule.to = 0.2;
  EXPECT_EQ(factor(schedule, 0), 1);
  EXPECT_NEAR(factor(schedule, 5), 0.8, kUlps);    // 1 - 0.8 * 5 / 20
  EXPECT_NEAR(factor(schedule, 10), 0.6, kUlps);
  EXPECT_NEAR(factor(schedule, 19), 0.24, kUlps);
  schedule.over = Progress{2, true};               // 10 updates, then it stays
  EXPECT_NEAR(factor(schedule, 5), 0.6, kUlps);
  EXPECT_NEAR(factor(schedule, 10), 0.2, kUlps);
  EXPECT_NEAR(factor(schedule, 19), 0.2, kUlps);
}

TEST(Schedule, CosineFallsAlongHalfAWave) {
  ScheduleSpec schedule = schedule_of("cosine");
  EXPECT_EQ(factor(schedule, 0), 1);
  EXPECT_NEAR(factor(schedule, 5), 0.85355339059327376, kUlps);    // (1 + cos(45 degrees)) / 2
  EXPECT_NEAR(factor(schedule, 10), 0.5, kUlps);
  EXPECT_NEAR(factor(schedule, 15), 0.14644660940672624, kUlps);
  schedule.to = 0.1;
  EXPECT_NEAR(factor(schedule, 10), 0.55, kUlps);
  EXPECT_NEAR(factor(schedule, 15), 0.1 + 0.9 * 0.14644660940672624, kUlps);
}

TEST(Schedule, WarmUpRisesToTheWholeRate) {
  ScheduleSpec schedule = schedule_of("constant");
  schedule.warmup = {4, false};
  const double expected[] = {0.25, 0.5, 0.75, 1, 1, 1};
  for (int64_t update = 0; update < 6; ++update) EXPECT_EQ(factor(schedule, update), expected[update]) << update;

  schedule.kind = "cosine";     // falls over the 15 updates after one epoch of warm-up
  schedule.warmup = {1, true};
  EXPECT_EQ(factor(schedule, 0), 0.2);
  EXPECT_EQ(factor(schedule, 4), 1);
  EXPECT_EQ(factor(schedule, 5), 1);
  EXPECT_NEAR(factor(schedule, 10), 0.75, kUlps);   // a third of the way: (1 + cos(60 degrees)) / 2
  EXPECT_NEAR(factor(schedule, 15), 0.25, kUlps);

  schedule.kind = "step";
  schedule.gamma = 0.1;
  schedule.every = {2, false};
  schedule.warmup = {4, false};
  EXPECT_NEAR(factor(schedule, 2), 0.075, kUlps);   // three quarters of the second period
}

TEST(Schedule, RateFollowsTheBatchOnlyWhereItSaysSo) {
  TrainSpec train;
  train.learning_rate = 0.001;
  train.lr_scaling_base = 128;
  EXPECT_EQ(scaled_learning_rate(train, 512), 0.001);
  EXPECT_EQ(describe_learning_rate(train, 512), "0.001 (lr_scaling: none)");
  train.lr_scaling = "linear";
  EXPECT_NEAR(scaled_learning_rate(train, 512), 0.004, kUlps * 0.004);
  EXPECT_EQ(describe_learning_rate(train, 512), "0.004 (lr_scaling: linear, 0.001 x 512 / 128)");
  train.lr_scaling = "sqrt";
  EXPECT_NEAR(scaled_learning_rate(train, 512), 0.002, kUlps * 0.002);
  EXPECT_EQ(describe_learning_rate(train, 512), "0.002 (lr_scaling: sqrt, 0.001 x sqrt(512 / 128))");
}

TEST(Schedule, QuantitiesRoundToWholeUpdates) {
  EXPECT_EQ(to_updates({3, true}, kRun), 15);
  EXPECT_EQ(to_updates({0.5, true}, kRun), 3);
  EXPECT_EQ(to_updates({7, false}, kRun), 7);
}

}  // namespace
}  // namespace netc
