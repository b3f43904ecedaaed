#include "bench/startup.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bench/large_model.h"

extern char** environ;

namespace netc::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kNetc = NETC_BINARY_DIR "/bin/netc";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A folder that goes away.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "netc-bench-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

// Starts netc quietly, with its kernel cache in `cache`.
pid_t start_netc(std::vector<std::string> arguments, const fs::path& cache) {
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  arguments.insert(arguments.begin(), kNetc);
  std::vector<char*> argv;
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, kNetc, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(std::string("cannot start ") + kNetc);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

bool holds_a_step(const fs::path& metrics) {
  std::ifstream file(metrics);
  std::string line;
  return std::getline(file, line) && line.find("\"step\"") != std::string::npos;
}

double first_step_seconds(const fs::path& cache, const fs::path& output) {
  fs::remove_all(output);
  const auto start = Clock::now();
  const pid_t pid = start_netc({"train", NETC_SOURCE_DIR "/bench/nets/seed_net.net", "--steps", "100000", "--log-every",
                                "1steps", "--output", output.string()},
                               cache);
  while (!holds_a_step(output / "metrics.jsonl")) {
    if (waitpid(pid, nullptr, WNOHANG) != 0) throw std::runtime_error("netc train ended before its first step");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const double seconds = seconds_since(start);
  kill(pid, SIGINT);
  wait_for(pid);
  return seconds;
}

}  // namespace

std::vector<Duration> time_to_first_step(int repetitions) {
  TemporaryFolder folder;
  Duration cold{"first step, empty cache", {}}, warm{"first step, filled cache", {}};
  for (int i = 0; i < repetitions; ++i) {
    fs::remove_all(folder / "cache");
    cold.seconds.push_back(first_step_seconds(folder / "cache", folder / "run"));
    warm.seconds.push_back(first_step_seconds(folder / "cache", folder / "run"));
  }
  return {cold, warm};
}

std::vector<Duration> time_of_check(int repetitions) {
  TemporaryFolder folder;
  std::vector<Duration> durations;
  for (int layers : {250, 500, 1000, 2000, 4000}) {
    const fs::path file = folder / ("large" + std::to_string(layers) + ".net");
    std::ofstream(file) << large_model(layers);
    Duration duration{"check of " + std::to_string(layers) + " layers", {}};
    for (int i = 0; i < repetitions; ++i) {
      const auto start = Clock::now();
      if (wait_for(start_netc({"check", file.string()}, folder / "cache")) != 0)
        throw std::runtime_error("netc check found mistakes in a generated file");
      duration.seconds.push_back(seconds_since(start));
    }
    durations.push_back(std::move(duration));
  }
  return durations;
}

}  // namespace netc::bench
