#include "compiler/program/plan_towers.h"

#include "compiler/program/kernel_order.h"
#include "compiler/program/plan_buckets.h"

namespace netc {

TowerProgram plan_towers(Program program, std::vector<TowerPlacement> towers, const TowerOptions& options) {
  TowerProgram result;
  result.memory = options.memory;
  const bool shared = options.memory == TowerMemory::shared;
  if (!shared) result.buckets = plan_buckets(program, options);
  for (Step& step : program.steps)
    if (shared) step.scope = parallel_over_batch(program.kernels[static_cast<size_t>(step.kernel)]) ? StepScope::each_tower : StepScope::joint;
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.kind != BufferKind::parameter || buffer.alias_of != kNone) continue;
    WeightPlan plan;
    plan.weight = buffer.name;
    for (const Step& step : program.steps) {
      const Kernel& kernel = program.kernels[static_cast<size_t>(step.kernel)];
      for (BufferId written : kernel_access(program, kernel).writes) {
        if (written != static_cast<BufferId>(b)) continue;
        plan.kernels.push_back(kernel.name);
        if (!shared) plan.sum = GradientSum::all_reduce;
        else if (!loops_over_batch(kernel)) plan.sum = GradientSum::joint_buffer;
      }
    }
    if (!plan.kernels.empty()) result.weights.push_back(std::move(plan));
  }
  result.program = std::move(program);
  result.towers = std::move(towers);
  return result;
}

}  // namespace netc
