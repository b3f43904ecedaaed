// A run from its first step to predictions made with it, through the commands a user types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run.h"
#include "tests/cli/sample_models.h"
#include "tests/support/temporary_folder.h"

namespace netc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class Train : public ::testing::TestWithParam<const char*> {
 protected:
  Ran train(const std::string& text, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"train", folder_.write("model.net", text), "--backend", GetParam()});
    return run(options);
  }
  Json report(const std::string& run_folder) { return Json::parse(read_file(run_folder + "/report.json")); }

  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Backends, Train, ::testing::Values("reference", "cpu"), [](const auto& backend) { return backend.param; });

TEST_P(Train, SaysWhatItDoesAndWhatCameOut) {
  const Ran ran = train(kSmallModel);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_THAT(ran.out, AllOf(HasSubstr("83 weights"), HasSubstr("200 train"), HasSubstr("= 20 samples per update"),
                             HasSubstr("rate    0.01"), HasSubstr("test"), HasSubstr("accuracy")));
}

TEST_P(Train, LeavesAWholeRunOnDisk) {
  const std::string output = folder_ / "runs/first";
  const Ran ran = train(kSmallModel, {"--output", output, "--log-every", "5steps"});
  ASSERT_EQ(ran.code, 0) << ran.err;

  int steps = 0, epochs = 0;
  for (const std::string& line : lines_of(read_file(output + "/metrics.jsonl"))) {
    const Json entry = Json::parse(line);
    for (const char* key : {"kind", "step", "epoch", "split", "loss", "accuracy", "lr", "samples_per_second", "seconds"})
      EXPECT_TRUE(entry.contains(key)) << key << " in " << line;
    steps += entry["kind"] == "step";
    epochs += entry["kind"] == "epoch";
  }
  EXPECT_EQ(steps, 6);    // 30 updates
  EXPECT_EQ(epochs, 3);

  const Json summary = report(output);
  EXPECT_EQ(summary["end"], "finished");
  EXPECT_EQ(summary["updates"], 30);
  EXPECT_EQ(summary["weights"]["trainable"], 83);
  EXPECT_TRUE(summary["results"]["test"].contains("accuracy"));
  EXPECT_TRUE(summary["results"]["validation"].contains("loss"));
  EXPECT_THAT(read_file(output + "/weights.safetensors"), HasSubstr("\"fc1.weight\""));

  const Ran again = run({"check", output + "/resolved.net"});
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_P(Train, TheSameSeedGivesTheSameWeights) {
  const std::string a = folder_ / "a", b = folder_ / "b", c = folder_ / "c";
  ASSERT_EQ(train(kSmallModel, {"--output", a, "--seed", "5", "--epochs", "1"}).code, 0);
  ASSERT_EQ(train(kSmallModel, {"--output", b, "--seed", "5", "--epochs", "1"}).code, 0);
  ASSERT_EQ(train(kSmallModel, {"--output", c, "--seed", "6", "--epochs", "1"}).code, 0);
  EXPECT_EQ(read_file(a + "/weights.safetensors"), read_file(b + "/weights.safetensors"));
  EXPECT_NE(read_file(a + "/weights.safetensors"), read_file(c + "/weights.safetensors"));
}

TEST_P(Train, TheResolvedFileRepeatsTheRun) {
  const std::string first = folder_ / "first", second = folder_ / "second";
  ASSERT_EQ(train(kSmallModel, {"--output", first, "--seed", "9", "--steps", "7", "--set", "width=5"}).code, 0);
  const Ran again = run({"train", first + "/resolved.net", "--backend", GetParam(), "--output", second});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(report(second)["updates"], 7);
  EXPECT_EQ(read_file(first + "/weights.safetensors"), read_file(second + "/weights.safetensors"));
}

TEST_P(Train, StepsAndEpochsFromTheCommandLine) {
  const std::string output = folder_ / "run";
  ASSERT_EQ(train(kSmallModel, {"--output", output, "--steps", "7"}).code, 0);
  EXPECT_EQ(report(output)["updates"], 7);
  ASSERT_EQ(train(kSmallModel, {"--output", output, "--epochs", "2"}).code, 0);
  EXPECT_EQ(report(output)["updates"], 20);
}

TEST_P(Train, TowersOfTheCommandLine) {
  const std::string one = folder_ / "one", three = folder_ / "three";
  ASSERT_EQ(train(kSmallModel, {"--output", one}).code, 0);
  const Ran ran = train(kSmallModel, {"--output", three, "--towers", "cpu:0,cpu:1,cpu:2"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(report(three)["plan"]["towers"].size(), 3u);
  EXPECT_EQ(read_file(one + "/weights.safetensors"), read_file(three + "/weights.safetensors"));
  EXPECT_THAT(train(kSmallModel, {"--towers", "cpu0"}).err, HasSubstr("`cpu0` is not a device"));
}

TEST_P(Train, InitFromGoesOnWhereARunEnded) {
  const std::string first = folder_ / "first", second = folder_ / "second";
  ASSERT_EQ(train(kSmallModel, {"--output", first}).code, 0);
  const Ran ran = train(kSmallModel, {"--output", second, "--init-from", first + "/weights.safetensors", "--epochs", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_LT(report(second)["results"]["test"]["loss"], report(first)["results"]["test"]["loss"].get<double>() + 0.1);
  const Ran other = train(kSmallModel, {"--set", "width=9", "--init-from", first + "/weights.safetensors"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("error[N0505]"), HasSubstr("fc1.weight")));
  EXPECT_EQ(train(kSmallModel, {"--init-from", folder_ / "nothing.safetensors"}).code, 2);
}

TEST_P(Train, ALossThatIsNotANumberStopsTheRun) {
  const std::string output = folder_ / "run";
  const Ran ran = train(small_model_with("adam(lr: 0.01)", "sgd(lr: 1e30)"), {"--output", output});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("error[N0909]"));
  EXPECT_EQ(report(output)["end"], "diverged");
  EXPECT_EQ(run({"eval", output, "--backend", GetParam()}).code, 0);   // what is on disk is the state before
}

TEST_P(Train, EvalAgreesWithTheReport) {
  const std::string output = folder_ / "run";
  ASSERT_EQ(train(kSmallModel, {"--output", output}).code, 0);
  for (const char* split : {"test", "validation"}) {
    const Ran ran = run({"eval", output, "--split", split, "--json", "--backend", GetParam()});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json measured = Json::parse(ran.out);
    EXPECT_EQ(measured["split"], split);
    EXPECT_EQ(measured["loss"], report(output)["results"][split]["loss"]);
    EXPECT_EQ(measured["accuracy"], report(output)["results"][split]["accuracy"]);
  }
  EXPECT_THAT(run({"eval", output, "--backend", GetParam()}).out, HasSubstr("test, 60 samples"));
  const Ran wrong = run({"eval", output, "--split", "tset", "--backend", GetParam()});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("it has train, validation, test"));
}

TEST_P(Train, EvalOfAFileWithGivenWeights) {
  const std::string output = folder_ / "run";
  ASSERT_EQ(train(kSmallModel, {"--output", output}).code, 0);
  const Ran from_run = run({"eval", output, "--backend", GetParam()});
  const Ran from_file = run({"eval", folder_ / "model.net", "--init-from", output + "/weights.safetensors", "--backend",
                             GetParam()});
  EXPECT_EQ(from_run.out, from_file.out);
}

TEST_P(Train, PredictsRowsOfATable) {
  std::string table = "a,b,y\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i % 7) + "," + std::to_string(i % 5) + "," + std::to_string(i % 3) + "\n";
  folder_.write("table.csv", table);
  const std::string model = folder_.write("table.net", R"(language 1
data table {
  train: csv("table.csv")
  field v: f32[2] from ["a", "b"] |> standardize
  field y: f32
}
net line {
  input v: f32[2]
  output guess = v |> dense(4) |> tanh |> dense(1) |> reshape([])
  output twice = v |> dense(2) as side
}
train line {
  net: line  data: table
  loss: mse(guess, y)
  optimizer: sgd(lr: 0.05)
  batch: 16 total
  epochs: 2
}
)");
  const std::string output = folder_ / "run";
  ASSERT_EQ(run({"train", model, "--output", output, "--backend", GetParam()}).code, 0);

  folder_.write("new.csv", "b,a\n1,2\n3,4\n5,6\n");
  const std::string answers = folder_ / "answers.csv";
  const auto predict = [&](const std::string& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"predict", output, "--input", folder_ / "new.csv", "-o", file, "--backend", GetParam()});
    return run(more);
  };
  Ran ran = predict(answers);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto rows = lines_of(read_file(answers));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], "guess,twice.0,twice.1");

  const std::string json = folder_ / "answers.jsonl";
  ASSERT_EQ(predict(json).code, 0);
  const Json first = Json::parse(lines_of(read_file(json))[0]);
  EXPECT_FLOAT_EQ(first["guess"], std::stof(rows[1]));
  EXPECT_EQ(first["twice"].size(), 2u);

  const std::string array = folder_ / "answers.npy";
  EXPECT_THAT(predict(array).err, HasSubstr("choose with `--outputs`: guess, twice"));
  ASSERT_EQ(predict(array, {"--outputs", "twice"}).code, 0);
  const std::string bytes = read_file(array);
  EXPECT_THAT(bytes, HasSubstr("'shape': (3, 2,)"));
  EXPECT_EQ(bytes.size(), 64u + 3 * 2 * 4 + (bytes.size() > 128 ? 64 : 0));

  EXPECT_THAT(predict(folder_ / "answers.txt").err, HasSubstr(".csv, .jsonl or .npy"));
  EXPECT_EQ(predict(folder_ / "no/such/folder.csv").code, 2);
}

TEST_P(Train, AnUnwritableFolderIsSaidBeforeTheWork) {
  const std::string file = folder_.write("taken", "a file, not a folder");
  const Ran ran = train(kSmallModel, {"--output", file + "/run"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("taken"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST_P(Train, MissingData) {
  const Ran ran = train(small_model_with("synthetic(kind: blobs, samples: 200, seed: 1)", "csv(\"none.csv\")"));
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("error[N0804]"), HasSubstr("none.csv")));
}

TEST_P(Train, AFolderThatIsNoRun) {
  const Ran ran = run({"eval", folder_ / "."});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is not a run"));
}

TEST_P(Train, LogEveryWantsAUnit) {
  const Ran ran = train(kSmallModel, {"--output", folder_ / "run", "--log-every", "10"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("`--log-every` wants a number of steps or epochs, got `10`"));
}

}  // namespace
}  // namespace netc
