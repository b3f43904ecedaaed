#include "runtime/gpu/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/base/errors.h"

namespace netc {
namespace {

std::string megabytes(int64_t bytes) { return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20)); }

}  // namespace

MemoryEstimate estimate_memory(const std::vector<TowerProgram>& programs, const std::function<std::string(Span)>& span_text) {
  MemoryEstimate estimate;
  std::set<std::string> weights;   // shared by the programs
  std::vector<std::pair<std::string, int64_t>> all;
  for (const TowerProgram& plan : programs) {
    const Program& program = plan.program;
    estimate.batch_bytes += program.tower_arena_bytes;
    estimate.fixed_bytes += program.shared_arena_bytes;
    for (const Buffer& b : program.buffers) {
      if (b.alias_of != kNone) continue;
      const bool kept = b.kind == BufferKind::parameter || b.kind == BufferKind::state;
      if (kept && !weights.insert(b.name).second) continue;
      const int64_t bytes = allocated_elements(b, program.batch_capacity) * dtype_bytes(b.dtype);
      if (b.arena_offset == kNone) (b.rows.times_batch ? estimate.batch_bytes : estimate.fixed_bytes) += bytes;
      const std::string line = span_text && b.span.known() ? span_text(b.span) : "";
      all.emplace_back(b.name + (line.empty() ? "" : ", " + line), bytes);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(std::min<size_t>(all.size(), 3));
  estimate.largest = std::move(all);
  return estimate;
}

void check_memory(const MemoryEstimate& estimate, int64_t capacity_bytes, int64_t batch_capacity, const std::string& device) {
  if (estimate.total() <= capacity_bytes) return;
  std::string what = fmt::format("this net needs {} on {}, which has {}; the largest are", megabytes(estimate.total()), device,
                                 megabytes(capacity_bytes));
  for (const auto& [name, bytes] : estimate.largest) what += fmt::format("\n    {:>12}  {}", megabytes(bytes), name);
  const int64_t left = capacity_bytes - estimate.fixed_bytes;
  const int64_t fits = estimate.batch_bytes > 0 && left > 0
                           ? static_cast<int64_t>(static_cast<double>(left) / static_cast<double>(estimate.batch_bytes) * static_cast<double>(batch_capacity))
                           : 0;
  throw RuntimeError(what, fits > 0 ? fmt::format("a batch of {} per tower, which would fit", fits)
                                    : "a smaller net: its weights alone do not fit");
}

}  // namespace netc
