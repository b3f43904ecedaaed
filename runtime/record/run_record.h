// A run on disk, the folder given with --output:
//
//   resolved.net            the file with imports, parameters and defaults filled in
//   metrics.jsonl           how it went (metrics_log.h)
//   weights.safetensors     the weights, under the language's paths
//   optimizer.safetensors   the slots of the optimizer, of the same update
//   report.json             what came out (report.h); absent while the run is going on
//
// The two tensor files are replaced together and tell the update they belong to in their metadata.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/record/metrics_log.h"
#include "runtime/record/safetensors.h"

namespace netc {

// Where a run stands.
struct RunState {
  std::string net;
  int64_t updates = 0;            // made so far
  int64_t epochs = 0;             // whole ones
  uint64_t seed = 0;
};

// What read_checkpoint gives: everything that is needed to go on as if the run had not stopped.
struct Checkpoint {
  RunState state;
  std::vector<StoredTensor> weights, slots;
};

class RunRecord {
 public:
  // Makes the folder if needed and tries it out: throws RuntimeError if it cannot be written to. A run that was there
  // before is replaced, first of all its report.
  explicit RunRecord(std::string folder);

  const std::string& folder() const { return folder_; }
  void write_resolved(const std::string& text) const;
  void log(const MetricsLine& line) { metrics_->add(line); }
  // Weights and slots of the optimizer, both of the same update; `values` gives either by name.
  void save(const RunState& state, const std::vector<TensorOutline>& weights, const std::vector<TensorOutline>& slots,
            const TensorValues& values) const;
  void write_report(const std::string& json) const;

  static constexpr const char* kWeights = "weights.safetensors";
  static constexpr const char* kOptimizer = "optimizer.safetensors";
  static constexpr const char* kResolved = "resolved.net";
  static constexpr const char* kMetrics = "metrics.jsonl";
  static constexpr const char* kReport = "report.json";

 private:
  std::string file(const char* name) const { return folder_ + "/" + name; }

  std::string folder_;
  std::unique_ptr<MetricsLog> metrics_;
};

// What RunRecord::save wrote. Throws RuntimeError if a file is missing or damaged, or if the two belong to different
// updates (a crash between their renames).
Checkpoint read_checkpoint(const std::string& folder);

}  // namespace netc
