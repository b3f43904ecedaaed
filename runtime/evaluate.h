// Exact measures over a split: every row once, sums in f64, divided once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "runtime/deal.h"
#include "runtime/measurement.h"
#include "runtime/step_runner.h"

namespace netc {

// Holds what evaluating a split again and again needs, so that it allocates only once.
class SplitEvaluator {
 public:
  // `program` is the "evaluate" program and `loaded` its loaded form. A step takes as many rows as an update does, and
  // not as many as the towers could hold: a step's sums are f32, and cut the same way they are the same on any towers.
  SplitEvaluator(const Program& program, LoadedProgram& loaded, const Split& split, const TrainSpec& spec,
                 const BatchPlan& batches);

  const SplitResult& run();   // with the weights as they are
  const std::string& split() const { return result_.split; }

 private:
  StepRunner runner_;
  Tally tally_;
  int64_t step_rows_;
  std::vector<uint32_t> rows_;   // 0, 1, 2 ...: the split in its own order
  SplitResult result_;
};

}  // namespace netc
