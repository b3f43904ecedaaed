// What is said and done when the loss is no longer a finite number.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/base/diagnostics.h"
#include "compiler/base/experiment.h"
#include "runtime/non_finite.h"

namespace netc {

struct Divergence {
  int64_t update = 0;                  // that gave the loss, from 0
  double loss = 0;                     // NaN or infinite
  double learning_rate = 0;
  bool state_is_saved = false;         // the state before it is on disk
  std::optional<NonFinite> first;      // where it began, if that could be found
};

// Reports N0909 at the first stage with a value that is not finite, else at the train declaration.
void report_divergence(const Divergence& divergence, const TrainSpec& spec, Diagnostics& diagnostics);

}  // namespace netc
