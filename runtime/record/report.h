// report.json: what a run was and what came out, for people and programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/base/plan.h"
#include "runtime/deal.h"
#include "runtime/measurement.h"

namespace netc {

struct RunReport {
  const TrainSpec* spec = nullptr;
  const Plan* plan = nullptr;              // towers resolved
  BatchPlan batches;
  double learning_rate = 0;                // after lr_scaling
  std::string data_root;                   // where relative paths of the data were looked for
  std::string backend;                     // Backend::description()
  std::string end;                         // "finished", "stopped early", "interrupted", "diverged"
  int64_t updates = 0, epochs = 0;
  double seconds = 0, samples_per_second = 0;
  int64_t weights = 0, trainable_weights = 0, optimizer_values = 0;
  int64_t program_bytes = 0;               // arenas and inputs, as planned and allocated
  int64_t weight_bytes = 0;                // weights and optimizer slots
  int64_t data_bytes = 0;
  int64_t transfer_bytes = 0;              // the largest weight, once more: on its way to or from the device or a file
  int64_t base_bytes = 0;                  // of the process before data and programs were loaded; 0: not measured
  int64_t peak_bytes = 0;                  // of the process, measured
  Measurements train;                      // over the last epoch
  std::vector<SplitResult> splits;
  std::optional<int64_t> restored_epoch;
};

std::string to_json(const RunReport& report);   // indented, ends with a line break

}  // namespace netc
