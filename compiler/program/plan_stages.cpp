#include "compiler/program/plan_stages.h"

#include <algorithm>

#include "compiler/program/kernel_order.h"

namespace netc {

namespace {

// Replicated steps that no tower's own work waits for: the updates. They come last, so that one bucket may hold the
// gradients of early and late layers and be exchanged beside the rest of the backward pass.
std::vector<char> late_steps(const Program& program, const std::vector<KernelAccess>& access) {
  std::vector<char> late(program.steps.size(), 0), read(program.buffers.size(), 0), written(program.buffers.size(), 0);
  for (size_t s = program.steps.size(); s-- > 0;) {
    const auto meets = [](const std::vector<BufferId>& list, const std::vector<char>& set) {
      return std::any_of(list.begin(), list.end(), [&](BufferId b) { return set[static_cast<size_t>(b)] != 0; });
    };
    late[s] = program.steps[s].scope == StepScope::replicated && !meets(access[s].writes, read) &&
              !meets(access[s].writes, written) && !meets(access[s].reads, written);
    if (late[s]) continue;
    for (BufferId b : access[s].reads) read[static_cast<size_t>(b)] = 1;
    for (BufferId b : access[s].writes) written[static_cast<size_t>(b)] = 1;
  }
  return late;
}

}  // namespace

void plan_stages(Program& program) {
  std::vector<KernelAccess> access;
  for (const Step& step : program.steps) access.push_back(kernel_access(program, program.kernels[static_cast<size_t>(step.kernel)]));
  const std::vector<char> late = late_steps(program, access);

  std::vector<int32_t> written(program.buffers.size(), -1), read(program.buffers.size(), -1);   // last stage to do so
  int32_t first_stage = 0, last_stage = -1;
  const auto earliest = [&](size_t s) {
    int32_t stage = first_stage;
    for (BufferId b : access[s].reads) stage = std::max(stage, written[static_cast<size_t>(b)] + 1);
    for (BufferId b : access[s].writes)
      stage = std::max({stage, read[static_cast<size_t>(b)] + 1, written[static_cast<size_t>(b)] + 1});
    return stage;
  };
  const auto place = [&](size_t s, int32_t stage) {
    program.steps[s].stage = stage;
    for (BufferId b : access[s].reads) read[static_cast<size_t>(b)] = std::max(read[static_cast<size_t>(b)], stage);
    for (BufferId b : access[s].writes) written[static_cast<size_t>(b)] = std::max(written[static_cast<size_t>(b)], stage);
    last_stage = std::max(last_stage, stage);
  };
  const auto place_all = [&](bool those_late) {
    for (size_t s = 0; s < program.steps.size(); ++s) {
      if ((late[s] != 0) != those_late) continue;
      // What goes with a product stands right after it and shares its stage.
      const bool pair = s + 1 < program.steps.size() && program.steps[s + 1].with == program.steps[s].kernel;
      const int32_t stage = pair ? std::max(earliest(s), earliest(s + 1)) : earliest(s);
      place(s, stage);
      if (pair) place(++s, stage);
    }
  };
  place_all(false);
  first_stage = last_stage + 1;
  place_all(true);
  std::stable_sort(program.steps.begin(), program.steps.end(), [](const Step& a, const Step& b) { return a.stage < b.stage; });
}

}  // namespace netc
