#include "compiler/kernel/tower_program.h"

#include <set>

#include "compiler/kernel/verify_parts.h"

namespace netc {

namespace {

const Kernel& kernel_of(const Program& program, const Step& step) {
  return program.kernels[static_cast<size_t>(step.kernel)];
}

void verify_shared(const TowerProgram& towers, Faults& faults) {
  if (!towers.buckets.empty()) faults.push_back("towers that share a memory have nothing to exchange");
  for (const Step& step : towers.program.steps) {
    const Kernel& kernel = kernel_of(towers.program, step);
    const bool own_rows = parallel_over_batch(kernel);
    if (step.scope == StepScope::summand || step.scope == StepScope::replicated)
      faults.push_back("step " + kernel.name + " is for towers with a memory each");
    else if (own_rows != (step.scope == StepScope::each_tower))
      faults.push_back("step " + kernel.name + (own_rows ? " works on a tower's rows but runs once for all"
                                                         : " does not depend on a tower's rows but runs on each"));
  }
}

const char* where(StepScope scope) {
  static constexpr const char* kWhere[] = {"  each tower, its rows   ", "  together, all rows     ", "  each tower, a summand  ",
                                           "  in every memory        "};
  return kWhere[static_cast<size_t>(scope)];
}

const char* how(GradientSum sum) {
  static constexpr const char* kHow[] = {": inside the tile that updates it, ", ": in one buffer, then ", ": all-reduced, then "};
  return kHow[static_cast<size_t>(sum)];
}

std::string bucket_text(const TowerProgram& towers, size_t number) {
  const GradientBucket& bucket = towers.buckets[number];
  const Program& program = towers.program;
  std::string text = "  bucket " + std::to_string(number) + ", " + std::to_string(bucket.bytes) + " bytes, after " +
                     kernel_of(program, program.steps[static_cast<size_t>(bucket.after_step)]).name + ", before ";
  text += bucket.before_step == static_cast<int32_t>(program.steps.size())
              ? "the end"
              : kernel_of(program, program.steps[static_cast<size_t>(bucket.before_step)]).name;
  for (size_t i = 0; i < bucket.buffers.size(); ++i)
    text += (i ? ", " : ": ") + program.buffers[static_cast<size_t>(bucket.buffers[i])].name;
  return text + "\n";
}

}  // namespace

int64_t launches_per_step(const Program& program) {
  int64_t launches = 0;
  int32_t replicated_stage = -1;
  for (const Step& step : program.steps) {
    if (step.with != kNone) continue;
    if (step.scope == StepScope::replicated && step.stage == replicated_stage) continue;
    if (step.scope == StepScope::replicated) replicated_stage = step.stage;
    ++launches;
  }
  return launches;
}

std::string to_string(const TowerProgram& towers) {
  const Program& program = towers.program;
  const bool shared = towers.memory == TowerMemory::shared;
  std::string text = "towers";
  for (const TowerPlacement& tower : towers.towers) text += " " + to_string(tower.device);
  text += std::string(shared ? ", one memory" : ", a memory each") + ", at most " + std::to_string(program.batch_capacity) + " rows each\n";
  int32_t stage = -1;
  for (const Step& step : program.steps) {
    if (step.stage != stage) text += "stage " + std::to_string(stage = step.stage) + "\n";
    text += where(step.scope) + kernel_of(program, step).name;
    if (step.with != kNone) text += ", with " + program.kernels[static_cast<size_t>(step.with)].name;
    text += "\n";
  }
  if (!shared) text += std::to_string(launches_per_step(program)) + " launches a step\n";
  if (!towers.buckets.empty()) text += "buckets, added up over all towers in this order\n";
  for (size_t i = 0; i < towers.buckets.size(); ++i) text += bucket_text(towers, i);
  if (!towers.weights.empty()) text += shared ? "gradients, summed over the rows of all towers\n" : "gradients\n";
  for (const WeightPlan& weight : towers.weights) {
    text += "  " + weight.weight + how(weight.sum);
    for (size_t i = 0; i < weight.kernels.size(); ++i) text += (i ? ", " : "") + weight.kernels[i];
    text += "\n";
  }
  return text;
}

std::vector<std::string> verify(const TowerProgram& towers) {
  std::vector<std::string> faults = verify(towers.program);
  if (towers.towers.empty()) faults.push_back("a program for no tower");
  if (towers.memory == TowerMemory::separate) verify_separate(towers, faults);
  else verify_shared(towers, faults);
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
