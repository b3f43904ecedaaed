// How the rows of an update are dealt to towers, and the arithmetic of batches (`batch: 128 per tower`).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/base/plan.h"

namespace netc {

// Rows of each tower: sizes differ by at most one, the first `rows mod towers` towers take the extra row. A tower may
// get none. `slices` has one entry a tower.
void deal_evenly(int64_t rows, std::span<int64_t> slices);

// Rows by share, largest remainder first (the lower tower on a tie). Equal shares give deal_evenly.
void deal_by_share(int64_t rows, std::span<const double> shares, std::span<int64_t> slices);

// No slice of an update of up to `rows` rows is longer. (Not the slice of exactly `rows`: with unequal shares a SMALLER
// update can give one tower a row more, the Alabama paradox of the largest-remainder rule.)
int64_t largest_slice(int64_t rows, std::span<const double> shares);

// The most rows that can be dealt so that no slice passes `capacity`.
int64_t rows_that_fit(int64_t capacity, std::span<const double> shares);

// A batch declaration worked out for the towers of a plan.
struct BatchPlan {
  std::vector<double> shares;        // one a tower
  int64_t passes = 1;                // plan.accumulate
  int64_t update_rows = 0;           // samples of one full update
  int64_t tower_capacity = 0;        // most rows one tower holds in one pass: Program::batch_capacity
  int64_t train_rows = 0;            // samples of the train split
  int64_t updates_per_epoch = 0;
  int64_t last_rows = 0;             // samples of the last update of an epoch; update_rows when all are full
  bool drop_last = false;
};

// `plan.towers` must be resolved to devices. `train_rows` may be 0 when the data are not open yet: then
// updates_per_epoch stays 0. sema has refused what has two readings (N0701, N0705).
BatchPlan plan_batches(const TrainSpec& train, const Plan& plan, int64_t train_rows);

// "128 per tower x 4 towers x 1 pass = 512 samples per update, 118 updates per epoch (last one 96)"
std::string describe(const BatchPlan& batches);

}  // namespace netc
