// The pool and the plan of work: every item done once, whoever does it, and nobody left waiting.
#include "runtime/backend/cpu/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cfloat>
#include <thread>
#include <vector>

#include "runtime/backend/cpu/work_plan.h"

namespace netc {
namespace {

TEST(WorkerPool, RunsEveryWorkerOncePerCall) {
  for (int workers : {1, 2, 3, 8}) {
    WorkerPool pool(workers);
    ASSERT_EQ(pool.size(), workers);
    std::vector<std::atomic<int>> calls(static_cast<size_t>(workers));
    for (int round = 1; round <= 200; ++round) {
      pool.run([](void* all, int worker) { ++(*static_cast<std::vector<std::atomic<int>>*>(all))[static_cast<size_t>(worker)]; }, &calls);
      for (auto& count : calls) ASSERT_EQ(count.load(), round);
    }
  }
}

TEST(WorkerPool, WakesWorkersThatFellAsleep) {
  WorkerPool pool(3);
  std::atomic<int> calls{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));   // much longer than they spin
    pool.run([](void* count, int) { ++*static_cast<std::atomic<int>*>(count); }, &calls);
  }
  EXPECT_EQ(calls.load(), 9);
}

TEST(WorkerPool, BarriersSeparateStages) {
  struct Shared {
    WorkerPool* pool;
    std::atomic<int> arrived{0};
    std::atomic<bool> early{false};
  };
  for (int workers : {2, 5}) {
    WorkerPool pool(workers);
    Shared shared{&pool, {}, {}};
    pool.run([](void* p, int worker) {
      Shared& s = *static_cast<Shared*>(p);
      for (int stage = 1; stage <= 300; ++stage) {
        if (worker == stage % s.pool->size() && stage % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++s.arrived;
        s.pool->barrier().wait();
        if (s.arrived.load() < stage * s.pool->size()) s.early = true;
        s.pool->barrier().wait();
      }
    }, &shared);
    EXPECT_FALSE(shared.early.load());
  }
}

TEST(WorkerPool, FlushesSubnormalsInWorkersAndLeavesTheCallerAsItWas) {
#if defined(__x86_64__) || defined(__aarch64__)
  WorkerPool pool(2);
  volatile float small = FLT_MIN;
  float halves[2] = {1, 1};
  struct Shared {
    volatile float* small;
    float* halves;
  } shared{&small, halves};
  pool.run([](void* p, int worker) {
    Shared& s = *static_cast<Shared*>(p);
    s.halves[worker] = *s.small * 0.5f;
  }, &shared);
  EXPECT_EQ(halves[0], 0.0f);
  EXPECT_EQ(halves[1], 0.0f);
  EXPECT_GT(small * 0.5f, 0.0f);
#endif
}

TEST(WorkPlan, GivesOutEveryItemExactlyOnce) {
  constexpr int kStages = 3, kWorkers = 3;
  WorkPlan plan(kStages, kWorkers);
  // Stage 0: a joint step of 10 items. Stage 1: two towers, the second idle, and one single item. Stage 2: nothing.
  plan.share(0, 0, 0, 10, 0, kWorkers);
  plan.share(1, 1, 0, 7, 0, 2);
  plan.share(1, 1, 1, 0, 2, 1);
  plan.share(1, 2, 0, 1, 0, kWorkers);
  EXPECT_EQ(plan.items(0), 10);
  EXPECT_EQ(plan.items(1), 8);
  EXPECT_EQ(plan.items(2), 0);

  struct Shared {
    WorkPlan* plan;
    WorkerPool* pool;
    std::atomic<int> done[3][10] = {};   // [step][item]
  };
  WorkerPool pool(kWorkers);
  Shared shared{&plan, &pool, {}};
  for (int round = 1; round <= 50; ++round) {
    plan.rewind();
    pool.run([](void* p, int worker) {
      Shared& s = *static_cast<Shared*>(p);
      for (int stage = 0; stage < kStages; ++stage) {
        s.plan->work(stage, worker, [&](const WorkSegment& segment, int64_t item) { ++s.done[segment.step][item]; });
        s.pool->barrier().wait();
      }
    }, &shared);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(shared.done[0][i].load(), round);
    for (int i = 0; i < 7; ++i) ASSERT_EQ(shared.done[1][i].load(), round);
    ASSERT_EQ(shared.done[2][0].load(), round);
  }
}

TEST(WorkPlan, OneWorkerAloneDoesTheSameItems) {
  WorkPlan plan(1, 4);
  plan.share(0, 0, 0, 9, 0, 4);
  plan.share(0, 1, 2, 2, 1, 2);
  int first = 0, second = 0;
  plan.work_alone(0, [&](const WorkSegment& segment, int64_t item) {
    (segment.step == 0 ? first : second) += static_cast<int>(item) + 1;
    EXPECT_EQ(segment.tower, segment.step == 1 ? 2 : 0);
  });
  EXPECT_EQ(first, 45);
  EXPECT_EQ(second, 3);
}

}  // namespace
}  // namespace netc
