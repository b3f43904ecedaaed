#include "compiler/program/plan_scopes.h"

#include "compiler/base/errors.h"
#include "compiler/kernel/partial_sums.h"

namespace netc {

void plan_separate_scopes(Program& program) {
  const PartialSums sums = find_partial_sums(program);
  if (!sums.faults.empty()) throw InternalError(sums.faults.front());
  for (Step& step : program.steps) {
    const Kernel& kernel = program.kernels[static_cast<size_t>(step.kernel)];
    const bool own_rows = sums.makes[static_cast<size_t>(step.kernel)] != 0 || loops_over_batch(kernel);
    step.scope = parallel_over_batch(kernel) ? StepScope::each_tower : own_rows ? StepScope::summand : StepScope::replicated;
  }
}

}  // namespace netc
