#include "runtime/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "compiler/base/diagnostics.h"
#include "compiler/base/errors.h"
#include "runtime/divergence.h"
#include "runtime/early_stop.h"
#include "runtime/evaluate.h"
#include "runtime/init_from.h"
#include "runtime/memory_use.h"
#include "runtime/progress.h"
#include "runtime/record/report.h"
#include "runtime/record/run_record.h"
#include "runtime/step_runner.h"
#include "runtime/update_sequence.h"

namespace netc {
namespace {

constexpr double kSecondsBetweenSaves = 30;
// Without a record there is no saved state to start from when a loss has to be explained: only a run this young is
// gone through again from its start.
constexpr double kSecondsToRepeat = 60;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

const Program& program_of(const TrainingJob& job, const char* name) { return program_named(*job.programs, name); }

LoadedProgram& loaded_of(const TrainingJob& job, const char* name) {
  return *job.group->programs.at(static_cast<size_t>(&program_of(job, name) - job.programs->data()));
}

const Split& train_split(const TrainingJob& job) {
  const Split* split = job.data->split("train");
  if (split == nullptr) throw InternalError("a data set without a train split");
  return *split;
}

BatchPlan checked_batches(const TrainingJob& job) {
  if (job.plan->accumulate != 1 || job.plan->hosts != 1)
    throw RuntimeError("this netc trains in one pass on one host", "`accumulate: 1` and `hosts: 1` in the plan");
  BatchPlan batches = plan_batches(*job.spec, *job.plan, train_split(job).rows());
  if (batches.updates_per_epoch == 0)
    throw RuntimeError(fmt::format("`last_batch: drop` leaves no update: {} samples are fewer than one batch of {}",
                                   batches.train_rows, batches.update_rows),
                       "`last_batch: keep`, or a smaller batch");
  return batches;
}

// Measures that are shares of the rows, shown in percent.
std::vector<std::string> share_names(const TrainSpec& spec) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(spec.metrics.size(), spec.metric_kinds.size()); ++i)
    if (spec.metric_kinds[i] == "accuracy" || spec.metric_kinds[i] == "top_k") names.push_back(spec.metrics[i]);
  return names;
}

class TrainingRun {
 public:
  TrainingRun(const TrainingJob& job, Diagnostics& diagnostics)
      : job_(job), diagnostics_(diagnostics), batches_(checked_batches(job)),
        runner_(program_of(job, "train"), loaded_of(job, "train"), train_split(job), job.spec->inputs, batches_.shares,
                job.spec->seed),
        updates_(*job.spec, batches_, runner_), epoch_tally_(runner_.program()), log_tally_(runner_.program()) {
    outcome_.batches = batches_;
    const RunLength& length = updates_.length();
    for (const Split& split : job.data->splits)
      if (split.name != "train")
        evaluators_.push_back(std::make_unique<SplitEvaluator>(program_of(job, "evaluate"), loaded_of(job, "evaluate"), split,
                                                               *job.spec, batches_));
    if (job.spec->early_stop) watch_.emplace(*job.spec->early_stop, length);
    if (job.data->split("validation") != nullptr)
      validate_every_ = std::max<int64_t>(1, to_updates(job.spec->validate.value_or(Progress{1, true}), length));
    if (job.log_every.amount > 0) log_every_ = std::max<int64_t>(1, to_updates(job.log_every, length));
  }

  TrainingOutcome run() {
    const RunLength& length = updates_.length();
    if (!warmup_fits()) return outcome_;
    start_weights(job_, diagnostics_);
    if (diagnostics_.has_errors()) return outcome_;
    say_start();
    save();

    while (outcome_.updates < length.updates && outcome_.end == TrainingEnd::finished) {
      if (outcome_.updates % length.updates_per_epoch == 0) begin_epoch();
      if (!make_update()) return finish_diverged();
      const bool run_is_over = outcome_.updates == length.updates;
      const SplitResult* validation = nullptr;
      if (validate_every_ > 0 && (outcome_.updates % validate_every_ == 0 || run_is_over)) validation = &validate();
      if (outcome_.updates % length.updates_per_epoch == 0 || run_is_over) end_epoch(validation);
      if (validation != nullptr && watch_ && watch_->is_over(outcome_.updates)) outcome_.end = TrainingEnd::stopped_early;
      if (job_.stop != nullptr && job_.stop->load()) outcome_.end = TrainingEnd::interrupted;
      if (clock_.seconds() - last_save_ > kSecondsBetweenSaves) save();
    }
    return finish();
  }

 private:
  bool warmup_fits() {
    const RunLength& length = updates_.length();
    const int64_t warmup = to_updates(job_.spec->schedule.warmup, length);
    if (warmup == 0 || warmup < length.updates) return true;
    diagnostics_.error(Code::N0611, job_.spec->span,
                       fmt::format("warm-up of {} updates in a run of {}", warmup, length.updates));
    return false;
  }

  void say_start() {
    if (job_.progress == nullptr) return;
    const RunLength& length = updates_.length();
    job_.progress->line("batch", describe(batches_));
    job_.progress->line("rate", describe_learning_rate(*job_.spec, batches_.update_rows));
    job_.progress->start({job_.spec->epochs.value_or(0), length.updates, length.updates_per_epoch, share_names(*job_.spec)});
  }

  void begin_epoch() {
    ++outcome_.epochs;
    epoch_tally_.reset();
    epoch_start_ = clock_.seconds();
    epoch_step_seconds_ = 0;
  }

  // One step. False if its loss is not a finite number: then the update is not counted.
  bool make_update() {
    const int64_t rows = updates_.rows_in(outcome_.updates);
    const double start = clock_.seconds();
    updates_.run(outcome_.updates);
    const double seconds = clock_.seconds() - start;
    epoch_tally_.add(runner_.loaded(), rows);
    if (!std::isfinite(epoch_tally_.last_loss())) return false;

    ++outcome_.updates;
    samples_ += rows;
    step_seconds_ += seconds;
    epoch_step_seconds_ += seconds;
    if (job_.progress != nullptr)
      job_.progress->step({outcome_.epochs, outcome_.updates, epoch_tally_.mean_loss(),
                           static_cast<double>(epoch_tally_.rows()) / epoch_step_seconds_, clock_.seconds()});
    if (log_every_ > 0) log_step(rows, seconds);
    return true;
  }

  void log_step(int64_t rows, double seconds) {
    log_tally_.add(runner_.loaded(), rows);
    log_step_seconds_ += seconds;
    if (outcome_.updates % log_every_ != 0) return;
    log("step", "train", log_tally_.means(), static_cast<double>(log_tally_.rows()) / log_step_seconds_);
    log_tally_.reset();
    log_step_seconds_ = 0;
  }

  void log(const char* kind, const std::string& split, const Measurements& values, double samples_per_second) {
    if (job_.record == nullptr) return;
    const double rate = updates_.rate_at(std::max<int64_t>(0, outcome_.updates - 1));
    job_.record->log({kind, outcome_.updates, outcome_.epochs, split.c_str(), &values, rate, samples_per_second, clock_.seconds()});
  }

  const SplitResult& validate() {
    const SplitResult& validation = evaluate_split("validation", "split");
    if (watch_ && watch_->see(validation.values, outcome_.updates) && job_.spec->early_stop->restore_best) {
      best_weights_ = read_weights(*job_.group->parameters, job_.weights);
      best_epoch_ = outcome_.epochs;
    }
    return validation;
  }

  const SplitResult& evaluate_split(const std::string& name, const char* kind) {
    for (const auto& evaluator : evaluators_) {
      if (evaluator->split() != name) continue;
      const double start = clock_.seconds();
      const SplitResult& result = evaluator->run();
      log(kind, name, result.values, static_cast<double>(result.rows) / (clock_.seconds() - start));
      return result;
    }
    throw InternalError("no split called " + name);
  }

  void end_epoch(const SplitResult* validation) {
    outcome_.train = epoch_tally_.means();
    const double samples_per_second = static_cast<double>(epoch_tally_.rows()) / epoch_step_seconds_;
    log("epoch", "train", outcome_.train, samples_per_second);
    if (job_.progress != nullptr)
      job_.progress->epoch({outcome_.epochs, outcome_.updates, &outcome_.train, validation, clock_.seconds() - epoch_start_,
                            samples_per_second});
  }

  void save() {
    last_save_ = clock_.seconds();
    if (job_.record == nullptr) return;
    const RunState state{job_.spec->net, outcome_.updates, outcome_.updates / updates_.length().updates_per_epoch,
                         job_.spec->seed};
    job_.record->save(state, outline(job_.weights), outline(job_.states),
                      [this](const std::string& name) { return job_.group->parameters->read(name); });
  }

  TrainingOutcome finish() {
    if (outcome_.end == TrainingEnd::interrupted) {
      outcome_.train = epoch_tally_.means();   // of the epoch as far as it came
      note(fmt::format("stopped after update {}{}", outcome_.updates, job_.record ? "; the weights are saved" : ""));
    } else if (!best_weights_.empty()) {
      write_tensors(*job_.group->parameters, best_weights_);
      outcome_.restored_epoch = best_epoch_;
      note(fmt::format("the weights are those of epoch {}, the best by {}", best_epoch_, job_.spec->early_stop->monitor));
    }
    save();
    for (const auto& evaluator : evaluators_) {
      if (outcome_.end == TrainingEnd::interrupted) break;   // whoever stops a run does not want to wait for it
      outcome_.splits.push_back(evaluate_split(evaluator->split(), "final"));
      if (job_.progress != nullptr) job_.progress->split(outcome_.splits.back());
    }
    return close();
  }

  // The step that gave the loss has already changed the weights with gradients that are not finite. The state before
  // it is made again from the last one saved, by running the updates in between once more.
  TrainingOutcome finish_diverged() {
    outcome_.end = TrainingEnd::diverged;
    Divergence divergence{outcome_.updates, epoch_tally_.last_loss(), updates_.rate_at(outcome_.updates), false, {}};
    if (job_.record != nullptr || clock_.seconds() < kSecondsToRepeat) {
      int64_t restored = 0;
      if (job_.record != nullptr) {
        const Checkpoint last = read_checkpoint(job_.record->folder());
        write_tensors(*job_.group->parameters, last.weights);
        write_tensors(*job_.group->parameters, last.slots);
        restored = last.state.updates;
      } else {
        start_weights(job_, diagnostics_);
      }
      for (; restored < outcome_.updates; ++restored) updates_.run(restored);
      save();
      divergence.state_is_saved = job_.record != nullptr;
      updates_.prepare(outcome_.updates);
      if (job_.prober != nullptr)
        divergence.first = find_non_finite(*job_.prober, runner_.program(), *job_.group->parameters, runner_.context());
    }
    report_divergence(divergence, *job_.spec, diagnostics_);
    return close();
  }

  TrainingOutcome close() {
    outcome_.seconds = clock_.seconds();
    outcome_.samples_per_second = step_seconds_ > 0 ? static_cast<double>(samples_) / step_seconds_ : 0;
    if (job_.record != nullptr) job_.record->write_report(to_json(report()));
    return outcome_;
  }

  RunReport report() const {
    static const char* const ends[] = {"finished", "stopped early", "interrupted", "diverged"};
    RunReport report;
    report.spec = job_.spec;
    report.plan = job_.plan;
    report.batches = batches_;
    report.learning_rate = scaled_learning_rate(*job_.spec, batches_.update_rows);
    report.data_root = job_.data->root;
    report.backend = job_.backend != nullptr ? job_.backend->description() : "";
    report.end = ends[static_cast<size_t>(outcome_.end)];
    report.updates = outcome_.updates;
    report.epochs = outcome_.epochs;
    report.seconds = outcome_.seconds;
    report.samples_per_second = outcome_.samples_per_second;
    for (const WeightSlot& slot : job_.weights) {
      report.weights += element_count(slot.shape);
      if (slot.trainable) report.trainable_weights += element_count(slot.shape);
      report.transfer_bytes = std::max(report.transfer_bytes, element_count(slot.shape) * int64_t{sizeof(float)});
    }
    for (const StateSlot& slot : job_.states) report.optimizer_values += element_count(slot.shape);
    for (const auto& program : job_.group->programs) report.program_bytes += program->memory_bytes();
    report.weight_bytes = (report.weights + report.optimizer_values) * int64_t{sizeof(float)};
    report.data_bytes = job_.data->bytes();
    report.base_bytes = job_.base_bytes;
    report.peak_bytes = peak_memory_bytes();
    report.train = outcome_.train;
    report.splits = outcome_.splits;
    report.restored_epoch = outcome_.restored_epoch;
    return report;
  }

  void note(const std::string& text) {
    if (job_.progress != nullptr) job_.progress->note(text);
  }

  const TrainingJob& job_;
  Diagnostics& diagnostics_;
  Stopwatch clock_;
  BatchPlan batches_;
  StepRunner runner_;
  UpdateSequence updates_;
  std::vector<std::unique_ptr<SplitEvaluator>> evaluators_;   // of every split but train
  std::optional<EarlyStopWatch> watch_;
  int64_t validate_every_ = 0, log_every_ = 0;                // in updates; 0: never

  TrainingOutcome outcome_;
  Tally epoch_tally_, log_tally_;
  int64_t samples_ = 0;
  double step_seconds_ = 0, epoch_step_seconds_ = 0, log_step_seconds_ = 0;   // inside steps
  double epoch_start_ = 0, last_save_ = 0;                                     // on clock_
  std::vector<StoredTensor> best_weights_;
  int64_t best_epoch_ = 0;
};

}  // namespace

void start_weights(const TrainingJob& job, Diagnostics& diagnostics) {
  draw_weights(*job.group->parameters, job.weights, job.states, job.spec->seed, job.data->constants);
  if (!job.spec->init_from.empty()) load_init_from(*job.spec, job.weights, *job.group->parameters, diagnostics);
}

TrainingOutcome train(const TrainingJob& job, Diagnostics& diagnostics) { return TrainingRun(job, diagnostics).run(); }

SplitResult evaluate(const TrainingJob& job, const Split& split) {
  const BatchPlan batches = plan_batches(*job.spec, *job.plan, 0);
  return SplitEvaluator(program_of(job, "evaluate"), loaded_of(job, "evaluate"), split, *job.spec, batches).run();
}

}  // namespace netc
