// The built program as a shell sees it: exit codes, the two output streams, signals.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/cli/sample_models.h"
#include "tests/support/temporary_folder.h"

extern char** environ;

namespace netc {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Program : public ::testing::Test {
 protected:
  pid_t start(std::vector<std::string> words) {
    setenv("XDG_CACHE_HOME", NETC_BINARY_DIR "/test-cache", 1);
    words.insert(words.begin(), NETC_BINARY_DIR "/bin/netc");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ), 0) << arguments[0];
    posix_spawn_file_actions_destroy(&actions);
    return pid;
  }
  static int exit_code(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Starts a long training and returns after its first step; its run lies in folder_/run.
  pid_t start_training() {
    const pid_t pid = start({"train", folder_.write("model.net", kSmallModel), "--output", folder_ / "run", "--epochs",
                             "1000000", "--backend", "reference", "--log-every", "1steps"});
    for (int i = 0; i < 6000 && read_file(folder_ / "run/metrics.jsonl").empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return pid;
  }
  int run(const std::vector<std::string>& words) { return exit_code(start(words)); }
  std::string out() const { return read_file(out_); }
  std::string err() const { return read_file(err_); }

  TemporaryFolder folder_;
  std::string out_ = folder_ / "out", err_ = folder_ / "err";
};

TEST_F(Program, ExitCodesSayWhoseFaultItIs) {
  const std::string model = folder_.write("model.net", kSmallModel);
  EXPECT_EQ(run({"check", model}), 0);
  EXPECT_THAT(err(), IsEmpty());
  EXPECT_EQ(run({"check", folder_.write("wrong.net", small_model_with("relu", "rleu"))}), 1);
  EXPECT_THAT(out(), IsEmpty());
  EXPECT_EQ(run({"check", folder_ / "none.net"}), 2);
  EXPECT_EQ(run({"chekc", model}), 1);
}

TEST_F(Program, NoColoursOffATerminal) {
  run({"check", folder_.write("wrong.net", small_model_with("relu", "rleu"))});
  EXPECT_THAT(err(), ::testing::Not(HasSubstr("\x1b")));
}

TEST_F(Program, CtrlCSavesTheRun) {
  const std::string output = folder_ / "run";
  const pid_t pid = start_training();
  kill(pid, SIGINT);
  EXPECT_EQ(exit_code(pid), 130) << err();
  EXPECT_THAT(read_file(output + "/report.json"), HasSubstr("\"interrupted\""));
  EXPECT_EQ(run({"eval", output, "--backend", "reference"}), 0) << err();
}

TEST_F(Program, AFullDiskIsTheMachinesFault) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this machine has no /dev/full";
  out_ = "/dev/full";
  EXPECT_EQ(run({"layers"}), 2);
  EXPECT_THAT(err(), HasSubstr("cannot write the output"));
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_F(Program, ACrashEndsInOneLineAndAReport) {
  setenv("TMPDIR", (folder_ / "").c_str(), 1);
  const pid_t pid = start_training();
  kill(pid, SIGSEGV);
  EXPECT_EQ(exit_code(pid), 3);
  unsetenv("TMPDIR");
  EXPECT_THAT(err(), HasSubstr("netc: internal error: crashed"));
  EXPECT_THAT(read_file(folder_ / ("netc-report-" + std::to_string(pid) + ".txt")), HasSubstr("command: netc train"));
}
#endif

}  // namespace
}  // namespace netc
