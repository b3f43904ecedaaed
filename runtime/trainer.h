// The training loop, as plain as the algorithm:
//
//   draw weights;  for every epoch:  order the samples, for every batch: one step;  validate;  save
//
// It is given programs already loaded and knows neither layers nor devices. Everything it does is a function of the
// TrainSpec and the seed: not of towers, threads, or the clock (which decides only when lines are printed and when
// files are saved).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/base/initializer.h"
#include "compiler/base/plan.h"
#include "compiler/kernel/program.h"
#include "runtime/backend.h"
#include "runtime/data/dataset.h"
#include "runtime/deal.h"

namespace netc {

class Diagnostics;
class ProgressSink;
class RunRecord;

// A weight of the net: Graph::parameters as plain data. Names that the dataset has a DataConstant for take its values.
struct WeightSlot {
  std::string path;              // "fc1.weight"
  Shape shape;
  Initializer init;
  bool trainable = true;
};

// A slot of the optimizer: Graph::states as plain data.
struct StateSlot {
  std::string name;              // "fc1.weight/square_average"
  Shape shape;
  double initial = 0;
};

// A named mean over rows: "loss", "loss.<term>" (only if there are several), "<metric>".
struct Measurement {
  std::string name;
  double value = 0;
};
using Measurements = std::vector<Measurement>;
const double* find(const Measurements& measurements, const std::string& name);   // nullptr if absent

// Everything a run reads. The pointers outlive the call; `group->programs` stand in the order of `programs`.
struct TrainingJob {
  const TrainSpec* spec = nullptr;
  const Plan* plan = nullptr;                        // towers resolved to devices
  const Dataset* data = nullptr;
  const std::vector<Program>* programs = nullptr;    // found by name: "train" and "evaluate"
  LoadedGroup* group = nullptr;
  Backend* backend = nullptr;                        // to find the first layer that is not finite; may be null
  std::vector<WeightSlot> weights;
  std::vector<StateSlot> states;
  Progress log_every{0, false};                      // steps between two step lines of metrics.jsonl; 0: epochs only
  RunRecord* record = nullptr;                       // null: nothing is written
  ProgressSink* progress = nullptr;                  // null: silent
  const std::atomic<bool>* stop = nullptr;           // set by Ctrl-C: finish the step, save, return
};

struct SplitResult {
  std::string split;
  int64_t rows = 0;
  Measurements values;
};

enum class TrainingEnd : uint8_t { finished, stopped_early, interrupted, diverged };

struct TrainingOutcome {
  TrainingEnd end = TrainingEnd::finished;
  int64_t updates = 0;                    // updates made
  int64_t epochs = 0;                     // epochs begun
  double seconds = 0;
  double samples_per_second = 0;          // of the training steps alone
  BatchPlan batches;
  Measurements train;                     // means over the last epoch, taken while the weights moved
  std::vector<SplitResult> splits;        // validation and test, exact, with the final weights
  std::optional<int64_t> restored_epoch;  // early_stop: the epoch whose weights were brought back
};

// Sets weights and optimizer slots to their start: drawn from the seed, then data constants, then spec.init_from
// (N0505 to `diagnostics` when it does not fit). `train` calls it; `eval` of a file without a run does too.
void start_weights(const TrainingJob& job, Diagnostics& diagnostics);

// Runs the job. Faults of the author (N0505, N0909) go to `diagnostics`, the outcome then says `diverged` or has made
// no update; faults of the machine throw RuntimeError after the state was saved where that is possible.
TrainingOutcome train(const TrainingJob& job, Diagnostics& diagnostics);

// Exact means over a split with the weights as they are: every row once.
SplitResult evaluate(const TrainingJob& job, const Split& split);

}  // namespace netc
