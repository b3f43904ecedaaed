#include "runtime/deal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace netc {

void deal_evenly(int64_t rows, std::span<int64_t> slices) {
  const auto towers = static_cast<int64_t>(slices.size());
  for (int64_t t = 0; t < towers; ++t) slices[static_cast<size_t>(t)] = rows / towers + (t < rows % towers ? 1 : 0);
}

void deal_by_share(int64_t rows, std::span<const double> shares, std::span<int64_t> slices) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto quota = [&](size_t t) { return static_cast<double>(rows) * shares[t] / total; };
  int64_t left = rows;
  for (size_t t = 0; t < slices.size(); ++t) left -= slices[t] = static_cast<int64_t>(quota(t));
  // Towers are few: look for the largest remainder once per row left over, rather than sort (no allocation). A tower
  // that took its extra row has a negative remainder, so none takes two.
  for (; left > 0; --left) {
    size_t best = 0;
    double best_remainder = -1;
    for (size_t t = 0; t < slices.size(); ++t) {
      const double remainder = quota(t) - static_cast<double>(slices[t]);
      if (remainder > best_remainder) best = t, best_remainder = remainder;
    }
    ++slices[best];
  }
}

int64_t largest_slice(int64_t rows, std::span<const double> shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  int64_t largest = 0;
  for (const double share : shares)
    largest = std::max(largest, static_cast<int64_t>(std::ceil(static_cast<double>(rows) * share / total)));
  return std::min(largest, rows);
}

int64_t rows_that_fit(int64_t capacity, std::span<const double> shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double largest = *std::max_element(shares.begin(), shares.end());
  auto rows = static_cast<int64_t>(static_cast<double>(capacity) * total / largest);
  while (rows > 0 && largest_slice(rows, shares) > capacity) --rows;   // a rounding away at most
  return rows;
}

BatchPlan plan_batches(const TrainSpec& train, const Plan& plan, int64_t train_rows) {
  BatchPlan batches;
  for (const TowerSpec& tower : plan.towers) batches.shares.push_back(tower.share);
  batches.passes = plan.accumulate;
  batches.drop_last = plan.last_batch_drop;
  batches.train_rows = train_rows;

  const auto towers = static_cast<int64_t>(plan.towers.size());
  switch (train.batch_scope) {
    case BatchScope::per_tower: batches.update_rows = train.batch * towers * plan.hosts * plan.accumulate; break;
    case BatchScope::per_host: batches.update_rows = train.batch * plan.hosts * plan.accumulate; break;
    case BatchScope::total: batches.update_rows = train.batch; break;
  }
  const int64_t slice = largest_slice(batches.update_rows, batches.shares);
  batches.tower_capacity = (slice + batches.passes - 1) / batches.passes;

  if (train_rows > 0) {
    const int64_t full = train_rows / batches.update_rows;
    const int64_t rest = train_rows % batches.update_rows;
    batches.updates_per_epoch = full + (rest > 0 && !batches.drop_last ? 1 : 0);
    batches.last_rows = rest > 0 && !batches.drop_last ? rest : batches.update_rows;
  }
  return batches;
}

namespace {

std::string counted(int64_t n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

// "128", "43 or 42", "384, 128": rows of each tower in one pass of a full update.
std::string slices_in_words(const BatchPlan& batches) {
  std::vector<int64_t> slices(batches.shares.size());
  deal_by_share(batches.update_rows, batches.shares, slices);
  const auto [low, high] = std::minmax_element(slices.begin(), slices.end());
  const auto in_passes = [&](int64_t rows) {
    const int64_t most = (rows + batches.passes - 1) / batches.passes;
    return rows % batches.passes == 0 ? fmt::format("{}", most) : fmt::format("{} or {}", most, most - 1);
  };
  if (*low == *high) return in_passes(*high);
  if (*high - *low == 1 && batches.passes == 1) return fmt::format("{} or {}", *high, *low);
  std::vector<std::string> words;
  for (const int64_t rows : slices) words.push_back(in_passes(rows));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string describe(const BatchPlan& batches) {
  const auto towers = static_cast<int64_t>(batches.shares.size());
  std::string text = fmt::format("{} per tower x {} x {} = {} per update", slices_in_words(batches),
                                 counted(towers, "tower", "towers"), counted(batches.passes, "pass", "passes"),
                                 counted(batches.update_rows, "sample", "samples"));
  if (batches.train_rows == 0) return text;
  text += ", " + counted(batches.updates_per_epoch, "update", "updates") + " per epoch";
  const int64_t rest = batches.train_rows % batches.update_rows;
  if (rest > 0) text += batches.drop_last ? fmt::format(" (last {} dropped)", rest) : fmt::format(" (last one {})", rest);
  return text;
}

}  // namespace netc
