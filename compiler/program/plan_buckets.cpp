#include "compiler/program/plan_buckets.h"

#include <algorithm>

#include "compiler/kernel/partial_sums.h"
#include "compiler/program/kernel_order.h"

namespace netc {

namespace {

// A summand on its way: when it is ready, when it is needed, and how large it is.
struct Sum {
  BufferId buffer = kNone;
  int32_t written = -1, read = 0;   // steps
  int64_t bytes = 0;
};

std::vector<Sum> sums_by_readiness(const Program& program) {
  std::vector<Sum> all(program.buffers.size());
  for (Sum& sum : all) sum.read = static_cast<int32_t>(program.steps.size());
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const auto step = static_cast<int32_t>(s);
    const KernelAccess access = kernel_access(program, program.kernels[static_cast<size_t>(program.steps[s].kernel)]);
    for (BufferId b : access.writes) all[static_cast<size_t>(b)].written = step;
    for (BufferId b : access.reads)   // one that adds to what it stores itself is no reader
      if (!std::binary_search(access.writes.begin(), access.writes.end(), b))
        all[static_cast<size_t>(b)].read = std::min(all[static_cast<size_t>(b)].read, step);
  }
  const PartialSums partial = find_partial_sums(program);
  std::vector<Sum> sums;
  for (size_t b = 0; b < all.size(); ++b) {
    if (!partial.completed[b]) continue;
    const Buffer& buffer = program.buffers[b];
    all[b].buffer = static_cast<BufferId>(b);
    all[b].bytes = buffer.rows.count * buffer.columns * dtype_bytes(buffer.dtype);
    sums.push_back(all[b]);
  }
  std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.written < b.written; });
  return sums;
}

void add(GradientBucket& bucket, const Sum& sum) {
  bucket.before_step = bucket.buffers.empty() ? sum.read : std::min(bucket.before_step, sum.read);
  bucket.after_step = bucket.buffers.empty() ? sum.written : std::max(bucket.after_step, sum.written);
  bucket.buffers.push_back(sum.buffer);
  bucket.bytes += sum.bytes;
}

}  // namespace

std::vector<GradientBucket> plan_buckets(const Program& program, const TowerOptions& options) {
  const auto end = static_cast<int32_t>(program.steps.size());
  int32_t last_own = -1;   // the last step on a tower's own rows: what is read after it is not in a hurry
  for (int32_t s = 0; s < end; ++s)
    if (program.steps[static_cast<size_t>(s)].scope != StepScope::replicated) last_own = s;

  std::vector<GradientBucket> urgent, gradients, results(1);
  for (const Sum& sum : sums_by_readiness(program)) {
    if (sum.read == end) {
      add(results[0], sum);
    } else if (sum.read <= last_own) {
      const auto stage_of = [&](int32_t step) { return program.steps[static_cast<size_t>(step)].stage; };
      if (urgent.empty() || stage_of(urgent.back().before_step) != stage_of(sum.read)) urgent.emplace_back();
      add(urgent.back(), sum);
    } else {
      const int64_t most = gradients.size() <= 1 ? std::min(options.first_bucket_bytes, options.bucket_bytes) : options.bucket_bytes;
      if (gradients.empty() || gradients.back().bytes + sum.bytes > most) gradients.emplace_back();
      add(gradients.back(), sum);
    }
  }
  std::vector<GradientBucket> buckets = std::move(urgent);
  buckets.insert(buckets.end(), gradients.begin(), gradients.end());
  std::stable_sort(buckets.begin(), buckets.end(),
                   [](const GradientBucket& a, const GradientBucket& b) { return a.after_step < b.after_step; });
  if (!results[0].buffers.empty()) buckets.push_back(std::move(results[0]));
  return buckets;
}

}  // namespace netc
