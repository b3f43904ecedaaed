#include "compiler/program/plan_stages.h"

#include <algorithm>

#include "compiler/program/kernel_order.h"

namespace netc {

void plan_stages(Program& program) {
  std::vector<int32_t> written(program.buffers.size(), -1), read(program.buffers.size(), -1);   // last stage to do so
  for (Step& step : program.steps) {
    const KernelAccess access = kernel_access(program, program.kernels[static_cast<size_t>(step.kernel)]);
    int32_t stage = 0;
    for (BufferId b : access.reads) stage = std::max(stage, written[static_cast<size_t>(b)] + 1);
    for (BufferId b : access.writes)
      stage = std::max({stage, read[static_cast<size_t>(b)] + 1, written[static_cast<size_t>(b)] + 1});
    step.stage = stage;
    for (BufferId b : access.reads) read[static_cast<size_t>(b)] = std::max(read[static_cast<size_t>(b)], stage);
    for (BufferId b : access.writes) written[static_cast<size_t>(b)] = std::max(written[static_cast<size_t>(b)], stage);
  }
  std::stable_sort(program.steps.begin(), program.steps.end(), [](const Step& a, const Step& b) { return a.stage < b.stage; });
}

}  // namespace netc
