#include "runtime/epoch_order.h"

#include <numeric>
#include <utility>

#include "compiler/base/errors.h"
#include "compiler/kernel/random.h"

namespace netc {

void shuffle_rows(std::span<uint32_t> rows, uint64_t seed, uint32_t round, uint32_t stream) {
  for (auto i = static_cast<uint32_t>(rows.size()); i > 1; --i) {
    // A whole number below i out of 64 random bits by multiply and shift; the bias is below i / 2^64.
    const auto words = philox_4x32_10({i, 0, stream, round}, {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
    const uint64_t low = (uint64_t{words[0]} * i) >> 32;
    const uint64_t below_i = (uint64_t{words[1]} * i + low) >> 32;
    std::swap(rows[i - 1], rows[below_i]);
  }
}

EpochOrder::EpochOrder(int64_t rows, uint64_t seed) : seed_(seed) {
  if (rows > int64_t{UINT32_MAX}) throw RuntimeError("a split of more than 4294967295 samples", "split the data set");
  rows_.resize(static_cast<size_t>(rows));
}

void EpochOrder::shuffle(int64_t epoch) {
  std::iota(rows_.begin(), rows_.end(), 0u);   // from the same start each time: the order depends on this epoch only
  shuffle_rows(rows_, seed_, static_cast<uint32_t>(epoch), random_stream("data.order"));
}

}  // namespace netc
