#include "runtime/early_stop.h"

#include <cmath>

#include "compiler/base/errors.h"

namespace netc {

EarlyStopWatch::EarlyStopWatch(const EarlyStop& rule, const RunLength& length)
    : rule_(rule), patience_(to_updates(rule.patience, length)) {
  const size_t dot = rule.monitor.find('.');
  measured_ = dot == std::string::npos ? rule.monitor : rule.monitor.substr(dot + 1);
}

bool EarlyStopWatch::see(const Measurements& validation, int64_t updates) {
  const double* value = find(validation, measured_);
  if (value == nullptr) value = find(validation, "metric." + measured_);   // a metric named like a key of the log
  if (value == nullptr) throw InternalError("early_stop watches " + rule_.monitor + ", which is not measured");
  const double gain = rule_.higher_is_better ? *value - best_ : best_ - *value;
  const bool better = std::isfinite(*value) && (!has_best_ || gain > rule_.min_delta);
  if (!better) return false;
  best_ = *value;
  has_best_ = true;
  best_update_ = updates;
  return true;
}

}  // namespace netc
