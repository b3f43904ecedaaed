// Who does what in one run: for every stage and worker a list of items, the worker's own; whoever is done helps others.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/backend/cpu/worker_pool.h"

namespace netc {

// `count` items of one step on one tower, from `first` on.
struct WorkSegment {
  int32_t step = 0;
  int32_t tower = 0;
  int64_t first = 0;
  int64_t count = 0;
};

class WorkPlan {
 public:
  WorkPlan(int stages, int workers);

  // Building; clear() keeps the memory, so that a plan made anew for another batch does not allocate.
  void clear();
  void add(int stage, int worker, WorkSegment segment);
  // Shares [0, count) among workers [first_worker, first_worker + worker_count).
  void share(int stage, int step, int tower, int64_t count, int first_worker, int worker_count);

  int stages() const { return stages_; }
  int workers() const { return workers_; }
  int64_t items(int stage) const;

  // Before each run, by one thread.
  void rewind();

  // Takes items until the stage has none left, own ones first: call(segment, item).
  template <typename Call>
  void work(int stage, int worker, Call call) {
    for (int i = 0; i < workers_; ++i) {
      const int owner = worker + i < workers_ ? worker + i : worker + i - workers_;
      Share& from = shares_[static_cast<size_t>(stage * workers_ + owner)];
      for (;;) {
        if (from.taken.load(std::memory_order_relaxed) >= from.total) break;
        int64_t item = from.taken.fetch_add(1, std::memory_order_relaxed);
        if (item >= from.total) break;
        for (const WorkSegment& segment : from.segments) {
          if (item < segment.count) {
            call(segment, segment.first + item);
            break;
          }
          item -= segment.count;
        }
      }
    }
  }

  // The same by one worker alone, without a shared counter.
  template <typename Call>
  void work_alone(int stage, Call call) {
    for (int owner = 0; owner < workers_; ++owner)
      for (const WorkSegment& segment : shares_[static_cast<size_t>(stage * workers_ + owner)].segments)
        for (int64_t i = 0; i < segment.count; ++i) call(segment, segment.first + i);
  }

 private:
  struct alignas(kCacheLineBytes) Share {
    std::atomic<int64_t> taken{0};
    int64_t total = 0;
    std::vector<WorkSegment> segments;
  };

  int stages_, workers_;
  int next_worker_ = 0;            // who gets the next single item
  std::unique_ptr<Share[]> shares_;   // [stage][worker]
};

}  // namespace netc
