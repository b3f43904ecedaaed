#include "runtime/evaluate.h"

#include <algorithm>
#include <numeric>

namespace netc {

SplitEvaluator::SplitEvaluator(const Program& program, LoadedProgram& loaded, const Split& split, const TrainSpec& spec,
                               const BatchPlan& batches)
    : runner_(program, loaded, split, spec.inputs, batches.shares, spec.seed), tally_(program),
      step_rows_(std::min(batches.update_rows, runner_.most_rows())), rows_(static_cast<size_t>(split.rows())),
      result_{split.name, split.rows(), tally_.means()} {
  std::iota(rows_.begin(), rows_.end(), 0u);
}

const SplitResult& SplitEvaluator::run() {
  tally_.reset();
  const auto most = static_cast<size_t>(step_rows_);
  for (size_t begin = 0; begin < rows_.size(); begin += most) {
    const std::span<const uint32_t> rows = std::span(rows_).subspan(begin, std::min(most, rows_.size() - begin));
    runner_.run(rows, 0, 0);
    tally_.add(runner_.loaded(), static_cast<int64_t>(rows.size()));
  }
  const Measurements& means = tally_.means();
  for (size_t i = 0; i < means.size(); ++i) result_.values[i].value = means[i].value;
  return result_;
}

}  // namespace netc
