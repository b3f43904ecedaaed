// `early_stop` of train: when a measure of the validation split no longer gets better.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "runtime/measurement.h"
#include "runtime/record/safetensors.h"
#include "runtime/schedule.h"

namespace netc {

class EarlyStopWatch {
 public:
  EarlyStopWatch(const EarlyStop& rule, const RunLength& length);

  // After a validation at `updates` updates made. True if the value is the best so far: better than the best before by
  // more than min_delta. A value that is not a number is never better.
  bool see(const Measurements& validation, int64_t updates);
  // The patience is used up: that many updates have passed since the best value.
  bool is_over(int64_t updates) const { return updates - best_update_ >= patience_; }

  double best() const { return best_; }

 private:
  EarlyStop rule_;
  std::string measured_;          // the monitor without its split
  int64_t patience_ = 0;          // in updates
  double best_ = 0;
  bool has_best_ = false;
  int64_t best_update_ = 0;
};

}  // namespace netc
