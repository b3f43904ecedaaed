// One program of a group over one split: deals the rows of a batch, feeds them and runs the step. Allocates nothing
// from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/program.h"
#include "runtime/backend.h"
#include "runtime/batch_feed.h"
#include "runtime/data/dataset.h"

namespace netc {

class StepRunner {
 public:
  // All references outlive the runner. `shares`: one a tower.
  StepRunner(const Program& program, LoadedProgram& loaded, const Split& split,
             const std::vector<std::pair<std::string, std::string>>& inputs, std::span<const double> shares, uint64_t seed);
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  // One step over `rows` of the split as update `update` (from 0) with the given rate.
  void run(std::span<const uint32_t> rows, int64_t update, double learning_rate);
  // All of run() but the step itself: context() is then what the step would be given.
  void prepare(std::span<const uint32_t> rows, int64_t update, double learning_rate);

  const Program& program() const { return program_; }
  LoadedProgram& loaded() { return loaded_; }
  const StepContext& context() const { return context_; }
  int64_t most_rows() const { return most_rows_; }           // that one step can take

 private:
  const Program& program_;
  LoadedProgram& loaded_;
  BatchFeed feed_;
  std::vector<double> shares_;
  int64_t most_rows_ = 0;
  StepContext context_;
};

const Program& program_named(const std::vector<Program>& programs, const std::string& name);   // InternalError if absent

}  // namespace netc
