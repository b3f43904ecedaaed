// The order of the training samples: a permutation that is a function of (seed, epoch) alone, so that one tower and
// eight, a fresh run and a resumed one, see the same samples in the same updates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netc {

// Fisher-Yates with counter-based draws. Allocates when it is made and never again.
class EpochOrder {
 public:
  EpochOrder(int64_t rows, uint64_t seed);

  void shuffle(int64_t epoch);                              // epochs count from 0
  std::span<const uint32_t> rows() const { return rows_; }  // position in the epoch -> row of the split

 private:
  uint64_t seed_;
  std::vector<uint32_t> rows_;
};

// A permutation of 0 .. count-1 for other purposes (`take`, `shuffle:`), keyed by the purpose's name.
void shuffle_rows(std::span<uint32_t> rows, uint64_t seed, uint32_t round, uint32_t stream);

}  // namespace netc
