// What a user sees while a run goes on. The trainer tells a ProgressSink what happens; the sinks here turn it into text:
// on a terminal a bar that is redrawn ten times a second and one line an epoch, elsewhere plain lines only.
//
// Debian packages no progress-bar library for C++, and the bar is thirty lines, so it is our own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/measurement.h"

namespace netc {

// The size of a run, told once before the first step.
struct RunShape {
  int64_t epochs = 0;              // 0: the run is counted in steps
  int64_t updates = 0;
  int64_t updates_per_epoch = 0;
  std::vector<std::string> shares;   // measures that are shares of the rows (accuracy): shown in percent
};

struct StepProgress {
  int64_t epoch = 0;               // from 1
  int64_t update = 0;              // made so far in the run
  double loss = 0;                 // mean over the epoch so far
  double samples_per_second = 0;
  double seconds = 0;              // since the run began
};

struct EpochProgress {
  int64_t epoch = 0;               // from 1
  int64_t update = 0;
  const Measurements* train = nullptr;
  const SplitResult* validation = nullptr;   // null: not validated after this epoch
  double seconds = 0;              // of this epoch
  double samples_per_second = 0;
};

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void line(const std::string& title, const std::string& text) = 0;   // "batch", "128 per tower x ..."
  virtual void start(const RunShape& shape) = 0;
  virtual void step(const StepProgress& step) = 0;      // after every step: must be cheap
  virtual void epoch(const EpochProgress& epoch) = 0;
  virtual void split(const SplitResult& result) = 0;    // an exact result
  virtual void note(const std::string& text) = 0;       // "stopped by Ctrl-C ..."
};

using TextOut = std::function<void(std::string_view)>;

// `width` gives the columns of the terminal when a bar is drawn.
std::unique_ptr<ProgressSink> make_terminal_progress(TextOut out, std::function<int()> width);
// A line an epoch, and one about every ten seconds inside long ones.
std::unique_ptr<ProgressSink> make_plain_progress(TextOut out);
// Standard output: the bar if it is a terminal.
std::unique_ptr<ProgressSink> make_standard_progress();

}  // namespace netc
