// Training for real, on the interpreter: against the same algorithm in plain loops, on any number of towers, from and
// to disk, and when it goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/base/errors.h"
#include "runtime/epoch_order.h"
#include "runtime/record/run_record.h"
#include "tests/support/temporary_folder.h"
#include "tests/runtime/linear_net.h"
#include "tests/runtime/tensor_file.h"

namespace netc {
namespace {

using testing::HasSubstr;

float number_at(const Split& split, const char* field, uint32_t row, int64_t element) {
  float value = 0;
  std::memcpy(&value, split.column(field)->record(split.records[row]) + element * 4, 4);
  return value;
}

// The weights after the run, and the mean loss of each epoch, in doubles and plain loops.
struct PlainTraining {
  double w[kInputs], b = 0;
  double speed[kInputs + 1] = {};
  std::vector<double> epoch_losses;

  PlainTraining(const TrainSpec& spec, const Split& split, const std::vector<float>& start) {
    std::copy(start.begin(), start.end(), w);
    EpochOrder order(split.rows(), spec.seed);
    for (int64_t epoch = 0; epoch < *spec.epochs; ++epoch) {
      order.shuffle(epoch);
      double loss = 0;
      for (int64_t begin = 0; begin < split.rows(); begin += spec.batch) {
        const int64_t end = std::min(begin + spec.batch, split.rows());
        double gradient[kInputs + 1] = {};
        for (int64_t i = begin; i < end; ++i) {
          const uint32_t row = order.rows()[static_cast<size_t>(i)];
          double error = b - number_at(split, "target", row, 0);
          for (int64_t k = 0; k < kInputs; ++k) error += w[k] * number_at(split, "numbers", row, k);
          loss += error * error;
          for (int64_t k = 0; k < kInputs; ++k) gradient[k] += 2 * error * number_at(split, "numbers", row, k) / (end - begin);
          gradient[kInputs] += 2 * error / (end - begin);
        }
        for (int64_t k = 0; k <= kInputs; ++k) {
          speed[k] = kMomentum * speed[k] + gradient[k];
          (k < kInputs ? w[k] : b) -= spec.learning_rate * speed[k];
        }
      }
      epoch_losses.push_back(loss / split.rows());
    }
  }
};

// Errors of f32 sums of up to 16 products, made and forgotten again by the momentum over 21 updates: every value is of
// order one, so a hundred roundings bound what is left of them.
constexpr double kTolerance = 100 * 1.2e-7;

TEST(Trainer, DoesWhatPlainLoopsDo) {
  LinearRun run;
  const TrainingJob job = run.job();
  start_weights(job, run.diagnostics);
  const PlainTraining plain(run.spec, *run.data.split("train"), run.group.parameters->read("w"));
  const TrainingOutcome outcome = run.train();
  ASSERT_TRUE(run.diagnostics.empty());
  EXPECT_EQ(outcome.updates, 21);
  const auto w = run.group.parameters->read("w");
  for (size_t k = 0; k < kInputs; ++k) EXPECT_NEAR(w[k], plain.w[k], kTolerance);
  EXPECT_NEAR(run.group.parameters->read("b")[0], plain.b, kTolerance);
  EXPECT_NEAR(*find(outcome.train, "loss"), plain.epoch_losses.back(), kTolerance);
  EXPECT_LT(plain.epoch_losses.back(), plain.epoch_losses.front() / 10);   // and it learns
}

TEST(Trainer, FindsTheLawOfTheData) {
  LinearRun run;
  run.spec.epochs = 40;
  const TrainingOutcome outcome = run.train();
  ASSERT_EQ(outcome.splits.size(), 1u);
  EXPECT_EQ(outcome.splits[0].split, "validation");
  EXPECT_LT(*find(outcome.splits[0].values, "loss"), 0.02);   // noise of deviation 0.1 leaves 0.01
  EXPECT_GT(*find(outcome.splits[0].values, "loss"), 0.002);
  EXPECT_NE(find(outcome.splits[0].values, "mae"), nullptr);
}

TEST(Trainer, GivesTheSameBitsOnAnyTowers) {
  const auto weights_of = [](LinearRun run, Measurements* measured) {
    const TrainingOutcome outcome = run.train();
    *measured = outcome.splits[0].values;
    return run.group.parameters->read("w");
  };
  Measurements one, other;
  const auto expected = weights_of(LinearRun(1), &one);
  for (const int towers : {2, 3, 5, 20}) {
    EXPECT_EQ(weights_of(LinearRun(towers), &other), expected) << towers;
    EXPECT_EQ(other[0].value, one[0].value) << towers;
  }
  EXPECT_EQ(weights_of(LinearRun(3, 16, 4), &other), expected) << "unequal shares";
}

TEST(Trainer, SeedChangesTheStartAndTheOrder) {
  LinearRun a, b;
  b.spec.seed = 8;
  a.train();
  b.train();
  EXPECT_NE(a.group.parameters->read("w"), b.group.parameters->read("w"));
}

class RecordedTraining : public testing::Test {
 protected:
  TrainingOutcome train(LinearRun& run, Progress log_every = {}) {
    RunRecord record(folder());
    TrainingJob job = run.job();
    job.record = &record;
    job.log_every = log_every;
    return netc::train(job, run.diagnostics);
  }
  std::string folder() const { return temporary_ / "run"; }

  std::vector<nlohmann::json> metrics() const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder() + "/metrics.jsonl");
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  TemporaryFolder temporary_;
};

TEST_F(RecordedTraining, LeavesMetricsReportAndWeights) {
  LinearRun run;
  run.spec.epochs = 2;
  const TrainingOutcome outcome = train(run, {4, false});
  std::string order;
  for (const auto& line : metrics())
    order += line["kind"].get<std::string>() + " " + line["split"].get<std::string>() + " " + line["step"].dump() + "\n";
  EXPECT_EQ(order,
            "step train 4\nsplit validation 7\nepoch train 7\nstep train 8\nstep train 12\nsplit validation 14\n"
            "epoch train 14\nfinal validation 14\n");
  const auto lines = metrics();
  for (const char* key : {"step", "epoch", "split", "loss", "mae", "lr", "samples_per_second", "seconds"})
    for (const auto& line : lines) EXPECT_TRUE(line.contains(key)) << key;
  EXPECT_EQ(lines[0]["epoch"], 1);
  EXPECT_EQ(lines[3]["epoch"], 2);
  EXPECT_EQ(lines[0]["lr"], 0.05);
  EXPECT_EQ(lines.back()["loss"], *find(outcome.splits[0].values, "loss"));

  const auto report = nlohmann::json::parse(read_file(folder() + "/report.json"));
  EXPECT_EQ(report["end"], "finished");
  EXPECT_EQ(report["updates"], 14);
  EXPECT_EQ(report["weights"]["total"], 5);
  EXPECT_EQ(report["weights"]["optimizer_values"], 5);
  EXPECT_EQ(report["results"]["validation"]["loss"], lines.back()["loss"]);
  EXPECT_EQ(report["versions"]["backend"], run.backend->description());
  EXPECT_GT(report["memory"]["process_peak_bytes"], 0);

  const Checkpoint saved = read_checkpoint(folder());
  EXPECT_EQ(saved.state.updates, 14);
  EXPECT_EQ(saved.weights[0].values, run.group.parameters->read("w"));
  EXPECT_EQ(saved.slots[0].values, run.group.parameters->read("w/momentum"));
}

// Every step is logged; their losses and the epoch's agree.
TEST_F(RecordedTraining, LogsEveryStepWhenAsked) {
  LinearRun run;
  run.spec.epochs = 1;
  train(run, {1, false});
  double sum = 0;
  int steps = 0;
  for (const auto& line : metrics()) {
    if (line["kind"] == "step") sum += line["loss"].get<double>() * (++steps < 7 ? 16 : 7);   // 103 rows
    if (line["kind"] == "epoch") {
      EXPECT_NEAR(sum / 103, line["loss"].get<double>(), 1e-12);
    }
  }
  EXPECT_EQ(steps, 7);
}

// A rate that makes the weights explode: what is saved is the state before the update that showed it.
TEST_F(RecordedTraining, KeepsTheStateBeforeALossThatIsNotFinite) {
  LinearRun run(2);
  run.spec.learning_rate = 1e3;
  run.spec.epochs = 50;
  const TrainingOutcome outcome = train(run);
  EXPECT_EQ(outcome.end, TrainingEnd::diverged);
  ASSERT_EQ(run.diagnostics.error_count(), 1);
  const std::string text = to_text(run.diagnostics);
  EXPECT_THAT(text, HasSubstr("error[N0909]: the loss became "));
  EXPECT_THAT(text, HasSubstr(" at update " + std::to_string(outcome.updates + 1)));
  EXPECT_THAT(text, HasSubstr("the state before this update is saved"));
  EXPECT_THAT(text, HasSubstr("a lower learning rate (here 1000)"));

  LinearRun until;
  until.spec.learning_rate = 1e3;
  until.spec.epochs.reset();
  until.spec.steps = outcome.updates;
  until.data.splits.pop_back();   // no validation: its loss would not be finite
  until.train();
  const Checkpoint saved = read_checkpoint(folder());
  EXPECT_EQ(saved.state.updates, outcome.updates);
  EXPECT_EQ(saved.weights[0].values, until.group.parameters->read("w"));
  EXPECT_EQ(saved.slots[1].values, until.group.parameters->read("b/momentum"));
  for (const float w : saved.weights[0].values) EXPECT_TRUE(std::isfinite(w));
  EXPECT_EQ(nlohmann::json::parse(read_file(folder() + "/report.json"))["end"], "diverged");
}

TEST_F(RecordedTraining, NamesTheFirstKernelThatIsNotFinite) {
  LinearRun run;
  const Table& table = *run.data.split("train")->table;
  auto damaged = std::make_shared<Table>(table);
  const float nan = NAN;
  std::memcpy(damaged->columns[0].bytes.data() + 8, &nan, 4);   // one number of record 0
  run.data.splits[0].table = damaged;
  run.programs[0].kernels[0].spans = {{0, 3, 7}};
  run.sources.add("line.net", "x |> dense(1)");
  const TrainingOutcome outcome = train(run);
  EXPECT_EQ(outcome.end, TrainingEnd::diverged);
  ASSERT_EQ(run.diagnostics.error_count(), 1);
  const Diagnostic& error = *run.diagnostics.sorted()[0];
  EXPECT_THAT(error.summary, HasSubstr("the loss became NaN at update"));
  EXPECT_EQ(error.span, (Span{0, 3, 7}));
  EXPECT_THAT(error.notes, testing::Contains("first in kernel predict_error"));
  EXPECT_THAT(error.notes, testing::Contains(HasSubstr("it read w: ")));
}

TEST_F(RecordedTraining, WithoutAFolderSaysThatNothingIsSaved) {
  LinearRun run;
  run.spec.learning_rate = 1e3;
  run.spec.epochs = 50;
  EXPECT_EQ(run.train().end, TrainingEnd::diverged);
  EXPECT_THAT(to_text(run.diagnostics), HasSubstr("nothing is saved: the run has no --output folder"));
}

TEST_F(RecordedTraining, StartsFromTheWeightsOfAFile) {
  LinearRun first;
  train(first);
  LinearRun second;
  second.spec.init_from = folder() + "/weights.safetensors";
  const TrainingJob job = second.job();
  start_weights(job, second.diagnostics);
  ASSERT_TRUE(second.diagnostics.empty());
  EXPECT_EQ(second.group.parameters->read("w"), first.group.parameters->read("w"));
  EXPECT_EQ(second.group.parameters->read("w/momentum"), std::vector<float>(kInputs, 0));   // the optimizer starts anew
  const SplitResult a = evaluate(first.job(), *first.data.split("validation"));
  const SplitResult b = evaluate(job, *second.data.split("validation"));
  EXPECT_EQ(a.values[0].value, b.values[0].value);
}

class InitFrom : public testing::Test {
 protected:
  void write(std::vector<StoredTensor> tensors) {
    write_tensor_file(temporary_ / "w", {{}, std::move(tensors)});
    run_.spec.init_from = temporary_ / "w";
    run_.spec.init_from_span = {};
  }
  TemporaryFolder temporary_;
  LinearRun run_;
};

TEST_F(InitFrom, ListsWhatDoesNotFit) {
  write({{"weight", {kInputs, 1}, std::vector<float>(kInputs)}, {"b", {2}, {0, 0}}, {"c", {3}, {0, 0, 0}}});
  EXPECT_EQ(run_.train().updates, 0);
  ASSERT_EQ(run_.diagnostics.error_count(), 1);
  const Diagnostic& error = *run_.diagnostics.sorted()[0];
  EXPECT_EQ(error.code, Code::N0505);
  EXPECT_THAT(error.summary, HasSubstr("does not fit this net: 1 missing, 1 of other shape, 2 left over"));
  EXPECT_THAT(error.notes, testing::Contains("missing in the file:\n  w"));
  EXPECT_THAT(error.notes, testing::Contains("of other shape:\n  b: the net has [1], the file [2]"));
  EXPECT_THAT(error.notes, testing::Contains("perhaps renamed:\n  w has the shape of `weight` in the file"));
}

TEST_F(InitFrom, PartialTakesWhatIsThere) {
  write({{"b", {1}, {3}}, {"c", {3}, {0, 0, 0}}});
  start_weights(run_.job(), run_.diagnostics);
  EXPECT_EQ(run_.diagnostics.error_count(), 1);
  LinearRun partial;
  partial.spec.init_from = run_.spec.init_from;
  partial.spec.init_partial = true;
  start_weights(partial.job(), partial.diagnostics);
  EXPECT_TRUE(partial.diagnostics.empty());
  EXPECT_EQ(partial.group.parameters->read("b"), std::vector<float>{3});
}

TEST_F(InitFrom, AFileThatIsAbsentIsTheMachinesFault) {
  run_.spec.init_from = temporary_ / "absent";
  EXPECT_THROW(run_.train(), RuntimeError);
}

}  // namespace
}  // namespace netc
