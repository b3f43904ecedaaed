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
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/base/plan.h"
#include "compiler/kernel/program.h"
#include "runtime/backend.h"
#include "runtime/data/dataset.h"
#include "runtime/deal.h"
#include "runtime/measurement.h"
#include "runtime/weights.h"

namespace netc {

class Diagnostics;
class ProgressSink;
class RunRecord;

// Everything a run reads. The pointers outlive the call; `group->programs` stand in the order of `programs`.
struct TrainingJob {
  const TrainSpec* spec = nullptr;
  const Plan* plan = nullptr;                        // towers resolved to devices
  const Dataset* data = nullptr;
  const std::vector<Program>* programs = nullptr;    // found by name: "train" and "evaluate"
  LoadedGroup* group = nullptr;
  Backend* backend = nullptr;                        // named in the report; may be null
  Backend* prober = nullptr;                         // finds the first layer that is not finite, in one memory; may be null
  std::vector<WeightSlot> weights;
  std::vector<StateSlot> states;
  Progress log_every{0, false};                      // between two step lines of metrics.jsonl; 0: none
  int64_t base_bytes = 0;                            // resident before data and programs were loaded, for the report
  RunRecord* record = nullptr;                       // null: nothing is written
  ProgressSink* progress = nullptr;                  // null: silent
  const std::atomic<bool>* stop = nullptr;           // set by Ctrl-C: finish the step, save, return
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

// Runs the job:
// - says the batch and the rate line to `progress`, saves the start, then trains;
// - validates every `validate` (default: every epoch) if there is a validation split, and stops early by the rule;
// - saves the state at most every half minute and at the end, also when it is stopped by `stop`; the report at the end;
// - a loss that is not finite ends the run (N0909): the update that gave it is not kept. What the record holds is the
//   state before that update, remade from the last saved one, since every step is a function of the state before it.
// Faults of the author (N0505, N0611, N0909) go to `diagnostics`, the outcome then says `diverged` or has made no
// update. Faults of the machine throw RuntimeError; the last state that was saved whole is still there.
TrainingOutcome train(const TrainingJob& job, Diagnostics& diagnostics);

// Exact means over a split with the weights as they are: every row once.
SplitResult evaluate(const TrainingJob& job, const Split& split);

}  // namespace netc
