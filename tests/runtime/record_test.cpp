// A run on disk: whole files or none, also when the disk is full; lines of metrics as they come; the report.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "compiler/base/errors.h"
#include "runtime/record/atomic_files.h"
#include "runtime/record/report.h"
#include "runtime/record/run_record.h"
#include "tests/support/temporary_folder.h"

namespace netc {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

template <typename Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "nothing failed";
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

// No file may grow beyond this many bytes while it lives: writes fail with EFBIG, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// A state of `count` weights that are all `value`, and slots that are all minus that.
void save(RunRecord& record, int64_t updates, int64_t count, float value) {
  record.save({"mlp", updates, 0, UINT64_MAX}, {{"w", {count}}}, {{"w/momentum", {count}}}, [&](const std::string& name) {
    return std::vector<float>(static_cast<size_t>(count), name == "w" ? value : -value);
  });
}

TEST(AtomicFiles, AppearTogether) {
  const TemporaryFolder folder;
  folder.write("a", "old a");
  AtomicFiles files;
  files.begin(folder / "a");
  files.append("new ");
  files.append("a");
  files.begin(folder / "b");
  files.append("new b");
  EXPECT_EQ(read_file(folder / "a"), "old a");
  EXPECT_FALSE(fs::exists(folder / "b"));
  files.commit();
  EXPECT_EQ(read_file(folder / "a"), "new a");
  EXPECT_EQ(read_file(folder / "b"), "new b");
  EXPECT_THAT(names_in(folder / ""), UnorderedElementsAre("a", "b"));
}

TEST(AtomicFiles, LeaveNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    AtomicFiles files;
    files.begin(folder / "a");
    files.append("half");
  }
  EXPECT_THAT(names_in(folder / ""), UnorderedElementsAre());
}

TEST(AtomicFiles, SayWhatFailedAndWhatToTry) {
  const TemporaryFolder folder;
  const std::string text = failure_of([&] { write_file_atomically(folder / "no/such/folder", "x"); });
  EXPECT_THAT(text, HasSubstr("creating " + folder / "no/such/folder" + " failed: No such file or directory"));
  EXPECT_THAT(text, HasSubstr("try: choose another folder with --output"));
}

TEST(RunRecord, SavesAndReadsACheckpoint) {
  const TemporaryFolder folder;
  RunRecord record(folder / "runs/one/");
  save(record, 469, 5, 0.5);
  const Checkpoint back = read_checkpoint(folder / "runs/one");
  EXPECT_EQ(back.state.net, "mlp");
  EXPECT_EQ(back.state.updates, 469);
  EXPECT_EQ(back.state.seed, UINT64_MAX);
  EXPECT_EQ(back.weights[0].values, std::vector<float>(5, 0.5));
  EXPECT_EQ(back.slots[0].values, std::vector<float>(5, -0.5));
  EXPECT_EQ(read_safetensors(folder / "runs/one/weights.safetensors").note("producer"), "netc " NETC_VERSION);
}

TEST(RunRecord, KeepsTheLastWholeStateOnAFullDisk) {
  const TemporaryFolder folder;
  RunRecord record(folder / "run");
  save(record, 1, 100, 1);
  {
    const FileSizeLimit limit(4000);   // the second state takes more
    const std::string text = failure_of([&] { save(record, 2, 2000, 2); });
    EXPECT_THAT(text, HasSubstr("weights.safetensors failed: File too large"));
    EXPECT_THAT(text, HasSubstr("try: raise the limit on file sizes"));
  }
  EXPECT_EQ(read_checkpoint(folder / "run").state.updates, 1);
  EXPECT_THAT(names_in(folder / "run"), UnorderedElementsAre("metrics.jsonl", "weights.safetensors", "optimizer.safetensors"));
}

// The same on a file system that is really full, where this machine lets us make one.
TEST(RunRecord, KeepsTheLastWholeStateOnAFullFileSystem) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "disk");
  if (mount("tmpfs", (folder / "disk").c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "may not mount a tmpfs here";
  std::string text;
  int64_t updates = -1;
  {
    RunRecord record(folder / "disk/run");
    save(record, 1, 20000, 1);   // 2 x 80 kB; a second state does not fit beside it
    text = failure_of([&] { save(record, 2, 20000, 2); });
    updates = read_checkpoint(folder / "disk/run").state.updates;
  }
  umount((folder / "disk").c_str());
  EXPECT_THAT(text, HasSubstr("failed: No space left on device"));
  EXPECT_THAT(text, HasSubstr("try: free space on that disk"));
  EXPECT_EQ(updates, 1);
}

TEST(RunRecord, RefusesAFolderItCannotMake) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_THAT(failure_of([&] { RunRecord record(folder / "file"); }), HasSubstr("cannot make the folder"));
  EXPECT_THAT(failure_of([&] { RunRecord record(folder / "file/run"); }), HasSubstr("try: choose another folder with --output"));
}

// Root may write everywhere, so it becomes nobody for a moment.
TEST(RunRecord, RefusesAFolderItMayNotWriteTo) {
  const TemporaryFolder folder;
  fs::permissions(folder / "", fs::perms(0755));
  fs::create_directory(folder / "run");
  fs::permissions(folder / "run", fs::perms(0555));
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const std::string text = failure_of([&] { RunRecord record(folder / "run"); });
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_THAT(text, HasSubstr("metrics.jsonl failed: Permission denied"));
  EXPECT_THAT(text, HasSubstr("try: choose a folder you may write to with --output"));
}

TEST(RunRecord, StartsAnewWhereARunWas) {
  const TemporaryFolder folder;
  folder.write("run/report.json", "{}");
  folder.write("run/metrics.jsonl", "old\n");
  folder.write("run/weights.safetensors.123.part", "half");
  folder.write("run/film.part", "of the user");
  const RunRecord record(folder / "run");
  EXPECT_THAT(names_in(folder / "run"), UnorderedElementsAre("metrics.jsonl", "film.part"));
  EXPECT_EQ(read_file(folder / "run/metrics.jsonl"), "");
}

TEST(RunRecord, NoticesFilesOfDifferentUpdates) {
  const TemporaryFolder folder;
  RunRecord record(folder / "run");
  save(record, 1, 3, 1);
  fs::copy(folder / "run/optimizer.safetensors", folder / "old");
  save(record, 2, 3, 2);
  fs::rename(folder / "old", folder / "run/optimizer.safetensors");
  EXPECT_THAT(failure_of([&] { read_checkpoint(folder / "run"); }), HasSubstr("belong to different updates"));
}

TEST(MetricsLog, WritesALineAtOnce) {
  const TemporaryFolder folder;
  MetricsLog log(folder / "m");
  const Measurements values = {{"loss", 0.1}, {"loss.a", 1e-12}, {"accuracy", NAN}};
  log.add({"step", 100, 1, "train", &values, 0.001, 21873.14, 0.5912345678});
  EXPECT_EQ(read_file(folder / "m"),
            R"({"kind":"step","step":100,"epoch":1,"split":"train","loss":0.1,"loss.a":1e-12,"accuracy":null,"lr":0.001,)"
            R"("samples_per_second":21873.1,"seconds":0.591235})"
            "\n");
}

TEST(MetricsLog, EndsWithAWholeLineWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  MetricsLog log(folder / "m");
  const Measurements values = {{"loss", 0.5}};
  log.add({"step", 1, 1, "train", &values, 0.1, 10, 1});
  const std::string first = read_file(folder / "m");
  {
    const FileSizeLimit limit(first.size() + 10);
    EXPECT_THAT(failure_of([&] { log.add({"step", 2, 1, "train", &values, 0.1, 10, 2}); }), HasSubstr("try: free space"));
  }
  EXPECT_EQ(read_file(folder / "m"), first);
}

TEST(Report, IsJsonWithEverythingThatWasResolved) {
  TrainSpec spec;
  spec.name = "t";
  spec.net = "mlp";
  spec.data = "d";
  spec.learning_rate = 0.001;
  spec.batch = 128;
  spec.batch_scope = BatchScope::per_tower;
  spec.optimizer.name = "rmsprop";
  Plan plan;
  plan.sync = SyncKind::allreduce;
  for (int t = 0; t < 2; ++t) {
    TowerSpec tower;
    tower.device = {DeviceKind::cpu, t};
    plan.towers.push_back(tower);
  }
  RunReport report;
  report.spec = &spec;
  report.plan = &plan;
  report.batches = plan_batches(spec, plan, 1000);
  report.end = "finished";
  report.program_bytes = 10;
  report.weight_bytes = 20;
  report.data_bytes = 30;
  report.transfer_bytes = 5;
  report.train = {{"loss", NAN}};
  report.splits = {{"test", 50, {{"loss", 0.25}, {"accuracy", 0.9}}}};
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["results"]["test"]["accuracy"], 0.9);
  EXPECT_EQ(json["results"]["test"]["samples"], 50);
  EXPECT_TRUE(json["train_last_epoch"]["loss"].is_null());
  EXPECT_EQ(json["plan"]["towers"][1]["device"], "cpu:1");
  EXPECT_EQ(json["plan"]["towers"][1]["rows_per_update"], 128);
  EXPECT_EQ(json["plan"]["sync"], "allreduce");
  EXPECT_EQ(json["batch"]["text"],
            "128 per tower x 2 towers x 1 pass = 256 samples per update, 4 updates per epoch (last one 232)");
  EXPECT_EQ(json["rate"]["text"], "0.001 (lr_scaling: none)");
  EXPECT_EQ(json["memory"]["planned_bytes"], 65);
  EXPECT_EQ(json["versions"]["netc"], NETC_VERSION);
}

}  // namespace
}  // namespace netc
