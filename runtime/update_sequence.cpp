#include "runtime/update_sequence.h"

#include <algorithm>

namespace netc {

UpdateSequence::UpdateSequence(const TrainSpec& spec, const BatchPlan& batches, StepRunner& runner)
    : spec_(spec), batches_(batches), runner_(runner),
      length_{spec.steps ? *spec.steps : spec.epochs.value_or(0) * batches.updates_per_epoch, batches.updates_per_epoch},
      rate_(scaled_learning_rate(spec, batches.update_rows)), order_(batches.train_rows, spec.seed) {}

int64_t UpdateSequence::rows_in(int64_t update) const {
  const int64_t begin = update % length_.updates_per_epoch * batches_.update_rows;
  return std::min(batches_.update_rows, batches_.train_rows - begin);
}

double UpdateSequence::rate_at(int64_t update) const { return rate_ * schedule_factor(spec_.schedule, update, length_); }

std::span<const uint32_t> UpdateSequence::rows_of(int64_t update) {
  const int64_t epoch = update / length_.updates_per_epoch;
  if (epoch != ordered_epoch_) order_.shuffle(epoch);
  ordered_epoch_ = epoch;
  const int64_t begin = update % length_.updates_per_epoch * batches_.update_rows;
  return order_.rows().subspan(static_cast<size_t>(begin), static_cast<size_t>(rows_in(update)));
}

void UpdateSequence::prepare(int64_t update) { runner_.prepare(rows_of(update), update, rate_at(update)); }
void UpdateSequence::run(int64_t update) { runner_.run(rows_of(update), update, rate_at(update)); }

}  // namespace netc
