// What a run measures, as names and means over rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/program.h"
#include "runtime/backend.h"

namespace netc {

// A named mean over rows: "loss", "loss.<term>" (only if the loss has several), "<metric>".
struct Measurement {
  std::string name;
  double value = 0;
};
using Measurements = std::vector<Measurement>;
const double* find(const Measurements& measurements, const std::string& name);   // nullptr if absent

struct SplitResult {
  std::string split;
  int64_t rows = 0;
  Measurements values;
};

// Adds up what the steps of a program report, in f64, and divides once: the mean over all rows seen, exact whatever the
// sizes of the batches. Makes no allocation after it is made.
class Tally {
 public:
  explicit Tally(const Program& program);       // its results "loss.<name>" and "metric.<name>"

  void reset();
  void add(const LoadedProgram& program, int64_t rows);   // the results of its last run, over `rows` rows
  int64_t rows() const { return rows_; }
  const Measurements& means() const;            // NaN while no row was seen
  double mean_loss() const;                         // of all rows seen
  double last_loss() const { return last_loss_; }   // of the last run

 private:
  std::vector<std::string> results_;            // names in the program, parallel to sums_ and means_
  std::vector<double> sums_;
  mutable Measurements means_;
  int64_t rows_ = 0;
  size_t loss_ = SIZE_MAX;                      // which of them is "loss.total"
  double last_loss_ = 0;
};

}  // namespace netc
