// What the training loop does around its steps: which rows, in which order, when it validates, stops, saves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <set>

#include "compiler/base/diagnostics.h"
#include "compiler/base/errors.h"
#include "runtime/data/dataset.h"
#include "runtime/interrupt.h"
#include "runtime/progress.h"
#include "runtime/trainer.h"
#include "tests/runtime/allocations.h"
#include "tests/runtime/scripted_backend.h"

namespace netc {
namespace {

// Does something after every step.
class StepHook final : public ProgressSink {
 public:
  explicit StepHook(std::function<void(const StepProgress&)> hook) : hook_(std::move(hook)) {}
  void line(const std::string&, const std::string&) override {}
  void start(const RunShape&) override {}
  void step(const StepProgress& step) override { hook_(step); }
  void epoch(const EpochProgress&) override {}
  void split(const SplitResult&) override {}
  void note(const std::string&) override {}

 private:
  std::function<void(const StepProgress&)> hook_;
};

// A data set whose only field says which row it is.
class ScriptedRun {
 public:
  using Loss = std::function<double(const SeenStep&)>;

  ScriptedRun(int64_t train_rows, int64_t batch, int towers, Loss train_loss = {}, Loss validation_loss = {}, bool keep = true) {
    const auto one = [](const SeenStep&) { return 1.0; };
    spec.batch = batch;
    spec.epochs = 1;
    spec.learning_rate = 0.1;
    for (int t = 0; t < towers; ++t) plan.towers.emplace_back();
    add_split("train", train_rows);
    if (validation_loss) add_split("validation", 21);
    Program program;
    program.batch_capacity = (batch + towers - 1) / towers;
    Buffer row, loss;
    row.name = "row";
    row.kind = BufferKind::input;
    row.dtype = DType::i32;
    row.rows = {1, true};
    loss.kind = BufferKind::result;
    program.buffers = {row, loss};
    program.results = {{"loss.total", 1}};
    for (const char* name : {"train", "evaluate"}) {
      program.name = name;
      programs.push_back(program);
    }
    for (const Loss& script : {train_loss, validation_loss}) {
      auto loaded = std::make_unique<ScriptedProgram>(script ? script : one, keep);
      scripted.push_back(loaded.get());
      group.programs.push_back(std::move(loaded));
    }
    parameters = std::make_shared<ScriptedParameters>();
    group.parameters = parameters;
  }

  TrainingOutcome train(ProgressSink* progress = nullptr) {
    TrainingJob job;
    job.spec = &spec;
    job.plan = &plan;
    job.data = &data;
    job.programs = &programs;
    job.group = &group;
    job.weights = {{"w", {1}, {Initializer::Kind::zeros, 0, 0, false}, true}};
    job.progress = progress;
    job.stop = stop;
    return netc::train(job, diagnostics);
  }

  const std::vector<SeenStep>& train_steps() const { return scripted[0]->steps; }
  const std::vector<SeenStep>& evaluate_steps() const { return scripted[1]->steps; }

  SourceMap sources;
  Diagnostics diagnostics{sources};
  TrainSpec spec;
  Plan plan;
  Dataset data;
  std::vector<Program> programs;
  LoadedGroup group;
  std::vector<ScriptedProgram*> scripted;
  std::shared_ptr<ScriptedParameters> parameters;
  const std::atomic<bool>* stop = nullptr;

 private:
  void add_split(const std::string& name, int64_t rows) {
    auto table = std::make_shared<Table>();
    table->records = rows;
    Column column;
    column.field = "row";
    column.dtype = DType::i32;
    column.record_bytes = 4;
    column.bytes.resize(static_cast<size_t>(rows * 4));
    Split split{name, nullptr, {}};
    for (int32_t r = 0; r < rows; ++r) {
      std::memcpy(column.bytes.data() + r * 4, &r, 4);
      split.records.push_back(static_cast<uint32_t>(r));
    }
    table->columns.push_back(std::move(column));
    split.table = table;
    data.splits.push_back(std::move(split));
  }
};

std::vector<int32_t> rows_of_epoch(const std::vector<SeenStep>& steps, size_t begin, size_t end) {
  std::vector<int32_t> rows;
  for (size_t s = begin; s < end; ++s) rows.insert(rows.end(), steps[s].rows.begin(), steps[s].rows.end());
  return rows;
}

TEST(TrainingLoop, UsesEveryRowOnceAnEpochOnAnyTowers) {
  std::vector<int32_t> one_tower;
  for (const int towers : {1, 2, 3, 5, 8}) {
    ScriptedRun run(53, 10, towers);
    run.spec.epochs = 2;
    const TrainingOutcome outcome = run.train();
    EXPECT_EQ(outcome.updates, 12);
    EXPECT_EQ(outcome.epochs, 2);
    const auto& steps = run.train_steps();
    ASSERT_EQ(steps.size(), 12u);
    EXPECT_EQ(steps[5].rows.size(), 3u);   // the short one; with five towers two of them are idle
    const auto first = rows_of_epoch(steps, 0, 6), second = rows_of_epoch(steps, 6, 12);
    EXPECT_EQ(std::set<int32_t>(first.begin(), first.end()).size(), 53u);
    EXPECT_EQ(first.size(), 53u);
    EXPECT_EQ(std::set<int32_t>(second.begin(), second.end()).size(), 53u);
    EXPECT_NE(first, second);
    const auto all = rows_of_epoch(steps, 0, 12);
    if (towers == 1) one_tower = all;
    EXPECT_EQ(all, one_tower) << towers << " towers";
  }
}

// Short last batches of every size, more towers than rows, one row.
TEST(TrainingLoop, TakesAnyNumberOfRows) {
  for (int64_t rows = 1; rows <= 40; ++rows)
    for (const int towers : {2, 4, 7}) {
      ScriptedRun run(rows, 16, towers);
      run.train();
      EXPECT_EQ(rows_of_epoch(run.train_steps(), 0, run.train_steps().size()).size(), static_cast<size_t>(rows));
    }
}

TEST(TrainingLoop, TellsTheStepItsScalars) {
  ScriptedRun run(25, 10, 2);
  run.spec.schedule.kind = "linear";
  run.spec.lr_scaling = "linear";
  run.spec.lr_scaling_base = 5;
  run.train();
  const auto& steps = run.train_steps();
  ASSERT_EQ(steps.size(), 3u);
  const double rates[] = {0.2, 0.2 * 2 / 3, 0.2 / 3};
  for (size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(steps[s].update, s);
    EXPECT_EQ(steps[s].scalars[0].first, "learning_rate");
    EXPECT_NEAR(steps[s].scalars[0].second, rates[s], 1e-15);
    EXPECT_EQ(steps[s].scalars[1], (std::pair<std::string, double>{"inverse_batch", s < 2 ? 0.1 : 0.2}));
    EXPECT_EQ(steps[s].scalars[2], (std::pair<std::string, double>{"update_count", s + 1.0}));
  }
}

TEST(TrainingLoop, CountsStepsAcrossEpochs) {
  ScriptedRun run(25, 10, 1);
  run.spec.epochs.reset();
  run.spec.steps = 7;
  const TrainingOutcome outcome = run.train();
  EXPECT_EQ(outcome.updates, 7);
  EXPECT_EQ(outcome.epochs, 3);
  EXPECT_EQ(outcome.end, TrainingEnd::finished);
}

TEST(TrainingLoop, DropsTheShortBatchWhenToldTo) {
  ScriptedRun run(25, 10, 1);
  run.plan.last_batch_drop = true;
  EXPECT_EQ(run.train().updates, 2);
  ScriptedRun none(5, 10, 1);
  none.plan.last_batch_drop = true;
  EXPECT_THROW(none.train(), RuntimeError);
}

TEST(TrainingLoop, LossOfAnEpochIsTheMeanOverItsRows) {
  // 10 + 10 + 5 rows with losses 1, 2, 4: (10 + 20 + 20) / 25
  ScriptedRun run(25, 10, 1, [](const SeenStep& step) { return std::exp2(step.update); });
  EXPECT_DOUBLE_EQ(*find(run.train().train, "loss"), 2);
}

TEST(TrainingLoop, ValidatesEveryRowOnceInOrder) {
  for (const int towers : {1, 2, 4}) {
    ScriptedRun run(25, 8, towers, {}, [](const SeenStep& step) { return step.rows.size() == 8 ? 1.0 : 2.0; });
    const TrainingOutcome outcome = run.train();
    const auto& steps = run.evaluate_steps();
    ASSERT_EQ(steps.size(), 6u);   // after the epoch, and with the final weights
    std::vector<int32_t> all(21);
    for (int32_t r = 0; r < 21; ++r) all[static_cast<size_t>(r)] = r;
    EXPECT_EQ(rows_of_epoch(steps, 0, 3), all);
    ASSERT_EQ(outcome.splits.size(), 1u);
    EXPECT_EQ(outcome.splits[0].rows, 21);
    EXPECT_DOUBLE_EQ(*find(outcome.splits[0].values, "loss"), (16 * 1.0 + 5 * 2.0) / 21);
  }
}

TEST(TrainingLoop, ValidatesAsOftenAsAsked) {
  ScriptedRun run(40, 10, 1, {}, [](const SeenStep&) { return 1.0; });
  run.spec.epochs = 2;
  run.spec.validate = Progress{3, false};
  run.train();
  EXPECT_EQ(run.evaluate_steps().size() / 3, 4u);   // after 3, 6, the last (8), and at the end
}

// Validation losses 5 3 4 4 4 ... with a patience of two epochs: the second epoch is the best, the fourth the last.
TEST(TrainingLoop, StopsEarlyAndBringsBackTheBest) {
  int validations = 0;
  ScriptedRun* self = nullptr;
  ScriptedRun run(
      10, 10, 1,
      [&](const SeenStep& step) {
        self->parameters->first("w") = static_cast<float>(step.update + 1);
        return 1.0;
      },
      [&](const SeenStep& step) {
        if (step.rows.front() == 0) ++validations;
        return validations == 1 ? 5.0 : validations == 2 ? 3.0 : 4.0;
      });
  self = &run;
  run.spec.epochs = 100;
  run.spec.early_stop = EarlyStop{"validation.loss", {2, true}, 0, true, false};
  const TrainingOutcome outcome = run.train();
  EXPECT_EQ(outcome.end, TrainingEnd::stopped_early);
  EXPECT_EQ(outcome.updates, 4);
  EXPECT_EQ(outcome.restored_epoch, 2);
  EXPECT_EQ(run.parameters->read("w"), std::vector<float>{2});
}

TEST(TrainingLoop, MinDeltaIsWhatCountsAsBetter) {
  ScriptedRun run(10, 10, 1, {}, [](const SeenStep&) { return 1.0; });
  int validations = 0;
  ScriptedRun slow(10, 10, 1, {}, [&](const SeenStep& step) {
    if (step.rows.front() == 0) ++validations;
    return 1 - 0.01 * validations;   // a little better each time
  });
  slow.spec.epochs = 10;
  slow.spec.early_stop = EarlyStop{"validation.loss", {3, true}, 0.5, false, false};
  EXPECT_EQ(slow.train().updates, 4);
}

TEST(TrainingLoop, FinishesTheStepWhenStopped) {
  ScriptedRun run(100, 10, 1);
  std::atomic<bool> stop = false;
  run.stop = &stop;
  StepHook hook([&](const StepProgress& step) { stop = step.update == 4; });
  const TrainingOutcome outcome = run.train(&hook);
  EXPECT_EQ(outcome.end, TrainingEnd::interrupted);
  EXPECT_EQ(outcome.updates, 4);
  EXPECT_TRUE(outcome.splits.empty());
}

TEST(TrainingLoop, AllocatesNothingFromStepToStep) {
  ScriptedRun run(1000, 10, 3, {}, {}, false);
  int64_t before = 0, after = 0;
  StepHook hook([&](const StepProgress& step) {
    if (step.update == 5) before = allocations();
    if (step.update == 95) after = allocations();
  });
  run.train(&hook);
  EXPECT_GT(before, 0);
  EXPECT_EQ(after - before, 0);
}

TEST(TrainingLoop, RefusesAWarmUpLongerThanTheRun) {
  ScriptedRun run(100, 10, 1);
  run.spec.schedule.warmup = {3, true};
  EXPECT_EQ(run.train().updates, 0);
  ASSERT_EQ(run.diagnostics.error_count(), 1);
  EXPECT_EQ(run.diagnostics.sorted()[0]->summary, "warm-up of 30 updates in a run of 10");
}

TEST(TrainingLoop, RefusesWhatItCannotDo) {
  ScriptedRun run(100, 10, 1);
  run.plan.accumulate = 2;
  EXPECT_THROW(run.train(), RuntimeError);
}

TEST(Interrupt, IsAFlagThatASignalSets) {
  const InterruptGuard guard;
  EXPECT_FALSE(guard.flag()->load());
  std::raise(SIGINT);
  EXPECT_TRUE(guard.flag()->load());
}

TEST(Interrupt, IsGivenBack) {
  const auto before = std::signal(SIGTERM, SIG_IGN);
  { const InterruptGuard guard; }
  EXPECT_EQ(std::signal(SIGTERM, before), SIG_IGN);
}

}  // namespace
}  // namespace netc
