// What `standardize` learns: mean and standard deviation of a field over the rows of the train split, one of each for
// every place along the last axis of a sample (the column of a table, the channel of a picture), after the stages that
// stand before it on the page.
//
// They are weights that are not trained, `data.<field>.mean` and `data.<field>.std` of shape [last axis], or scalars for
// a scalar field; they are saved with the weights, so that predict takes raw records. The graph computes
// (x - mean) / (std + eps); the deviation is that of the split itself (divided by N).
#pragma once

#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "runtime/data/dataset.h"

namespace netc {

std::vector<DataConstant> standardize_constants(const DataSpec& spec, const Split& train);

// One element of a raw column as a number, and a stage applied to it: what the graph does, in f64.
double element_as_number(const std::byte* at, DType dtype);
double apply_stage(const TransformSpec& stage, double value, int64_t element);

}  // namespace netc
