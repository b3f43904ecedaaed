// metrics.jsonl: one JSON object a line for every logged step and every epoch, on disk as soon as it is written.
//
//   {"kind":"step","step":100,"epoch":1,"split":"train","loss":0.71,"accuracy":0.78,"lr":0.001,
//    "samples_per_second":21873.1,"seconds":0.59}
//
// `step` counts updates from 1; `seconds` is the time since training began. A "step" line holds means over the updates
// since the step line before it; an "epoch" line of the train split means over the epoch, taken while the weights moved;
// a "split" line exact means over validation, a "final" line over validation and test with the weights that are kept.
// A value that is not finite is null. Terms of a loss are called "loss.<name>"; a metric whose name is already a key is
// called "metric.<name>".
#pragma once

#include <cstdint>
#include <string>

#include "runtime/measurement.h"

namespace netc {

struct MetricsLine {
  const char* kind = "step";          // "step", "epoch", "split", "final"
  int64_t step = 0;
  int64_t epoch = 0;                  // from 1
  const char* split = "train";
  const Measurements* values = nullptr;
  double learning_rate = 0;
  double samples_per_second = 0;
  double seconds = 0;
};

std::string to_json(const MetricsLine& line);   // without the line's end

class MetricsLog {
 public:
  explicit MetricsLog(std::string path);   // starts the file anew; throws RuntimeError
  ~MetricsLog();
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  // Throws RuntimeError if it cannot be written (a full disk); the file then ends with the last whole line.
  void add(const MetricsLine& line);

 private:
  std::string path_;
  int file_ = -1;
  int64_t bytes_ = 0;
};

}  // namespace netc
