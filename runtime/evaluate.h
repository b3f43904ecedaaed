// Exact measures over a split: every row once, sums in f64, divided once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/measurement.h"
#include "runtime/step_runner.h"

namespace netc {

// Holds what evaluating a split again and again needs, so that it allocates only once.
class SplitEvaluator {
 public:
  // `program` is the "evaluate" program and `loaded` its loaded form; the rest as StepRunner.
  SplitEvaluator(const Program& program, LoadedProgram& loaded, const Split& split,
                 const std::vector<std::pair<std::string, std::string>>& inputs, std::span<const double> shares,
                 uint64_t seed);

  const SplitResult& run();   // with the weights as they are
  const std::string& split() const { return result_.split; }

 private:
  StepRunner runner_;
  Tally tally_;
  std::vector<uint32_t> rows_;   // 0, 1, 2 ...: the split in its own order
  SplitResult result_;
};

}  // namespace netc
