#include "runtime/backend/cpu/work_plan.h"

namespace netc {

WorkPlan::WorkPlan(int stages, int workers)
    : stages_(stages), workers_(workers), shares_(new Share[static_cast<size_t>(stages * workers)]) {}

void WorkPlan::clear() {
  next_worker_ = 0;
  for (int i = 0; i < stages_ * workers_; ++i) {
    shares_[static_cast<size_t>(i)].segments.clear();
    shares_[static_cast<size_t>(i)].total = 0;
  }
}

void WorkPlan::add(int stage, int worker, WorkSegment segment) {
  if (segment.count == 0) return;
  Share& share = shares_[static_cast<size_t>(stage * workers_ + worker)];
  share.segments.push_back(segment);
  share.total += segment.count;
}

void WorkPlan::share(int stage, int step, int tower, int64_t count, int first_worker, int worker_count) {
  // Fewer items than workers: not always the first ones.
  const int shift = count < worker_count ? next_worker_ : 0;
  if (count < worker_count) next_worker_ = (next_worker_ + static_cast<int>(count)) % workers_;
  for (int i = 0; i < worker_count; ++i) {
    const int64_t begin = count * i / worker_count, end = count * (i + 1) / worker_count;
    add(stage, first_worker + (i + shift) % worker_count, {step, tower, begin, end - begin});
  }
}

int64_t WorkPlan::items(int stage) const {
  int64_t total = 0;
  for (int worker = 0; worker < workers_; ++worker) total += shares_[static_cast<size_t>(stage * workers_ + worker)].total;
  return total;
}

void WorkPlan::rewind() {
  for (int i = 0; i < stages_ * workers_; ++i)
    shares_[static_cast<size_t>(i)].taken.store(0, std::memory_order_relaxed);
}

}  // namespace netc
