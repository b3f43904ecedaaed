#include "compiler/kernel/tower_program.h"

#include <set>

namespace netc {

namespace {

const Kernel& kernel_of(const Program& program, const Step& step) {
  return program.kernels[static_cast<size_t>(step.kernel)];
}

}  // namespace

std::string to_string(const TowerProgram& towers) {
  const Program& program = towers.program;
  std::string text = "towers";
  for (const TowerPlacement& tower : towers.towers) text += " " + to_string(tower.device);
  text += ", one memory, at most " + std::to_string(program.batch_capacity) + " rows each\n";
  int32_t stage = -1;
  for (const Step& step : program.steps) {
    if (step.stage != stage) text += "stage " + std::to_string(stage = step.stage) + "\n";
    const Kernel& kernel = kernel_of(program, step);
    text += step.scope == StepScope::each_tower ? "  each tower, its rows   " : "  together, all rows     ";
    text += kernel.name + "\n";
  }
  if (!towers.weights.empty()) text += "gradients, summed over the rows of all towers\n";
  for (const WeightPlan& weight : towers.weights) {
    text += "  " + weight.weight + (weight.sum == GradientSum::inside_tile ? ": inside the tile that updates it, " : ": in one buffer, then ");
    for (size_t i = 0; i < weight.kernels.size(); ++i) text += (i ? ", " : "") + weight.kernels[i];
    text += "\n";
  }
  return text;
}

std::vector<std::string> verify(const TowerProgram& towers) {
  std::vector<std::string> faults = verify(towers.program);
  if (towers.towers.empty()) faults.push_back("a program for no tower");
  for (const Step& step : towers.program.steps) {
    const Kernel& kernel = kernel_of(towers.program, step);
    const bool own_rows = parallel_over_batch(kernel);
    if (own_rows != (step.scope == StepScope::each_tower))
      faults.push_back("step " + kernel.name + (own_rows ? " works on a tower's rows but runs once for all"
                                                         : " does not depend on a tower's rows but runs on each"));
  }
  std::set<std::string> updated;
  for (const WeightPlan& weight : towers.weights) updated.insert(weight.weight);
  for (const Kernel& kernel : towers.program.kernels)
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores) {
        const Buffer& buffer = towers.program.buffers[static_cast<size_t>(store.buffer)];
        if (buffer.kind == BufferKind::parameter && !updated.count(buffer.name))
          faults.push_back("weight " + buffer.name + " is written but has no plan for its gradient");
      }
  return faults;
}

}  // namespace netc
