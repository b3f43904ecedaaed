// The updates of a run by number: which rows update u takes, at which rate. All of it follows from the seed and the
// TrainSpec, so any update can be run again, in a resumed run or to look at one that went wrong.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/deal.h"
#include "runtime/epoch_order.h"
#include "runtime/schedule.h"
#include "runtime/step_runner.h"

namespace netc {

class UpdateSequence {
 public:
  // `runner` runs the "train" program over the train split.
  UpdateSequence(const TrainSpec& spec, const BatchPlan& batches, StepRunner& runner);

  void run(int64_t update);       // updates count from 0
  void prepare(int64_t update);   // StepRunner::prepare
  int64_t rows_in(int64_t update) const;
  double rate_at(int64_t update) const;
  const RunLength& length() const { return length_; }

 private:
  std::span<const uint32_t> rows_of(int64_t update);

  const TrainSpec& spec_;
  BatchPlan batches_;
  StepRunner& runner_;
  RunLength length_;
  double rate_;
  EpochOrder order_;
  int64_t ordered_epoch_ = -1;
};

}  // namespace netc
