// The learning rate as a pure function of which update it is: nothing is kept from step to step, so a resumed run and
// any number of towers get the same rates.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/base/experiment.h"

namespace netc {

// The length of a run in updates, which `epochs` and `steps` of a schedule are counted in.
struct RunLength {
  int64_t updates = 0;
  int64_t updates_per_epoch = 0;
};

// A quantity in updates, rounded to the nearest whole one.
int64_t to_updates(const Progress& quantity, const RunLength& length);

// The factor of the learning rate at update `update` (from 0).
//   constant         1
//   step             gamma ^ floor(update / every)
//   linear           from 1 to `to` over `over` (default: the run), `to` afterwards
//   cosine           to + (1 - to) * (1 + cos(pi * p)) / 2, p the share of the run behind us
// All with a linear warm-up: update u of W gets (u + 1) / W of it, so that no update is wasted on a rate of 0 and the
// W-th has the whole rate. linear and cosine start to fall after the warm-up and end where they would without one.
double schedule_factor(const ScheduleSpec& schedule, int64_t update, const RunLength& length);

// `lr` after lr_scaling: times update_rows / base (linear) or its root (sqrt).
double scaled_learning_rate(const TrainSpec& train, int64_t update_rows);

// "0.001 (lr_scaling: none)", "0.004 (lr_scaling: linear, 0.001 x 512 / 128)"
std::string describe_learning_rate(const TrainSpec& train, int64_t update_rows);

}  // namespace netc
