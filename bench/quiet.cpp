#include "bench/quiet.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace netc::bench {
namespace {

double ticks_per_second() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

// Seconds of all processors together: busy, and elapsed x processors.
void read_machine(double* busy, double* total) {
  std::ifstream stat("/proc/stat");
  std::string word;
  stat >> word;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  stat >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal;
  *busy = (user + nice + system + irq + soft + steal) / ticks_per_second();
  *total = *busy + (idle + wait) / ticks_per_second();
}

double process_seconds(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t after_name = text.rfind(')');   // the name may hold blanks
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(text.substr(after_name + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / ticks_per_second();
}

double own_seconds(const std::vector<int>& children) {
  double seconds = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  for (int child : children) seconds += process_seconds(child);
  return seconds;
}

}  // namespace

ForeignLoad::ForeignLoad(std::vector<int> children) : children_(std::move(children)) { begin(); }

void ForeignLoad::begin() {
  read_machine(&busy_, &total_);
  own_ = own_seconds(children_);
}

double ForeignLoad::cores() const {
  double busy = 0, total = 0;
  read_machine(&busy, &total);
  const double own = own_seconds(children_);
  if (total <= total_) return 0;
  const double processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  return ((busy - busy_) - (own - own_)) / (total - total_) * processors;
}

bool wait_until_quiet(double limit, double patience_seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < patience_seconds) {
    ForeignLoad load;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (load.cores() < limit) return true;
  }
  return false;
}

}  // namespace netc::bench
