#include "runtime/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/base/errors.h"

namespace netc {
namespace {

// How much of the fall is behind us, 0 .. 1: it starts after the warm-up.
double progress_of_fall(const ScheduleSpec& schedule, int64_t update, int64_t warmup, const RunLength& length) {
  const int64_t end = schedule.over ? to_updates(*schedule.over, length) : length.updates;
  if (end <= warmup) return update < warmup ? 0 : 1;
  const double share = static_cast<double>(update - warmup) / static_cast<double>(end - warmup);
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace

int64_t to_updates(const Progress& quantity, const RunLength& length) {
  const double updates = quantity.epochs ? quantity.amount * static_cast<double>(length.updates_per_epoch) : quantity.amount;
  return std::llround(updates);
}

double schedule_factor(const ScheduleSpec& schedule, int64_t update, const RunLength& length) {
  const int64_t warmup = to_updates(schedule.warmup, length);
  double factor = 1;
  if (schedule.kind == "step") {
    const int64_t every = std::max<int64_t>(1, to_updates(schedule.every, length));
    factor = std::pow(schedule.gamma, static_cast<double>(update / every));
  } else if (schedule.kind == "linear") {
    factor = 1 + (schedule.to - 1) * progress_of_fall(schedule, update, warmup, length);
  } else if (schedule.kind == "cosine") {
    const double p = progress_of_fall(schedule, update, warmup, length);
    factor = schedule.to + (1 - schedule.to) * 0.5 * (1 + std::cos(std::numbers::pi * p));
  } else if (schedule.kind != "constant") {
    throw InternalError("a schedule the runtime does not know: " + schedule.kind);
  }
  if (update < warmup) factor *= static_cast<double>(update + 1) / static_cast<double>(warmup);
  return factor;
}

double scaled_learning_rate(const TrainSpec& train, int64_t update_rows) {
  const double ratio = static_cast<double>(update_rows) / train.lr_scaling_base;
  if (train.lr_scaling == "linear") return train.learning_rate * ratio;
  if (train.lr_scaling == "sqrt") return train.learning_rate * std::sqrt(ratio);
  return train.learning_rate;
}

std::string describe_learning_rate(const TrainSpec& train, int64_t update_rows) {
  const double rate = scaled_learning_rate(train, update_rows);
  if (train.lr_scaling == "none") return fmt::format("{:.6g} (lr_scaling: none)", rate);
  const std::string ratio = fmt::format("{} / {:g}", update_rows, train.lr_scaling_base);
  return fmt::format("{:.6g} (lr_scaling: {}, {:.6g} x {})", rate, train.lr_scaling, train.learning_rate,
                     train.lr_scaling == "sqrt" ? "sqrt(" + ratio + ")" : ratio);
}

}  // namespace netc
