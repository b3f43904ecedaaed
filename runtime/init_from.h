// `init_from` of train: weights of a file as the start of a run.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/base/experiment.h"
#include "runtime/weights.h"

namespace netc {

// Writes the tensors of spec.init_from over the drawn weights. Names and shapes must agree exactly; with `partial: true`
// missing and left-over names are fine, other shapes never. Reports N0505 with the list and changes nothing if the file
// does not fit. Throws RuntimeError if it cannot be read.
void load_init_from(const TrainSpec& spec, const std::vector<WeightSlot>& weights, Parameters& parameters,
                    Diagnostics& diagnostics);

}  // namespace netc
