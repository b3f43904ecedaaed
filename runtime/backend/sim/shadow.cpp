#include "runtime/backend/sim/shadow.h"

#include <algorithm>
#include <cstring>

namespace netc::sim {

Shadow::Shadow(uint64_t bytes) : initialised_(bytes, 0), chunks_((bytes + kChunkBytes - 1) / kChunkBytes) {}

bool Shadow::is_initialised(uint64_t offset, uint64_t bytes) const {
  for (uint64_t i = 0; i < bytes; ++i)
    if (!initialised_[offset + i]) return false;
  return true;
}

void Shadow::mark_initialised(uint64_t offset, uint64_t bytes) { std::memset(initialised_.data() + offset, 1, bytes); }

void Shadow::forget_contents() { std::fill(initialised_.begin(), initialised_.end(), uint8_t{0}); }

void Shadow::forget_accesses() {
  for (Chunk& chunk : chunks_) chunk = {};
}

Shadow::Chunk& Shadow::chunk_at(uint64_t offset, uint64_t bytes) {
  Chunk& chunk = chunks_[offset / kChunkBytes];
  if (chunk.cells.empty()) chunk.cells.resize(kChunkBytes / chunk.place_bytes);
  while (bytes < chunk.place_bytes || offset % chunk.place_bytes != 0) {   // a narrower access: halve the places
    std::vector<Cell> finer(chunk.cells.size() * 2);
    for (size_t i = 0; i < finer.size(); ++i) finer[i] = chunk.cells[i / 2];
    chunk.cells = std::move(finer);
    chunk.place_bytes /= 2;
  }
  return chunk;
}

void Order::begin_block(uint32_t block, uint32_t warps) {
  block_ = block;
  warps_ = warps;
  clocks_.assign(size_t{warps} * warps, 0);
  for (uint32_t w = 0; w < warps; ++w) clocks_[w * warps + w] = 1;   // the others' work at clock 1 is not known yet
  fenced_.assign(warps, {});
  seen_.assign(warps, {});
  acquired_.assign(warps, {});
}

void Order::merge(Released& into, const Released& from) {
  for (const auto& [block, clocks] : from) {
    std::vector<uint32_t>& mine = into[block];
    if (mine.size() < clocks.size()) mine.resize(clocks.size());
    for (size_t i = 0; i < clocks.size(); ++i) mine[i] = std::max(mine[i], clocks[i]);
  }
}

void Order::barrier(const std::vector<uint32_t>& warps) {
  std::vector<uint32_t> joined(warps_, 0);
  Released acquired;
  for (const uint32_t w : warps) {
    for (uint32_t v = 0; v < warps_; ++v) joined[v] = std::max(joined[v], clocks_[w * warps_ + v]);
    joined[w] = std::max(joined[w], clocks_[w * warps_ + w] + 1);
    merge(acquired, acquired_[w]);
  }
  for (const uint32_t w : warps) {
    std::copy(joined.begin(), joined.end(), clocks_.begin() + w * warps_);
    if (!acquired.empty()) acquired_[w] = acquired;
  }
}

void Order::warp_sync(uint32_t warp) { ++clocks_[warp * warps_ + warp]; }

void Order::fence(uint32_t warp) {
  const auto row = clocks_.begin() + warp * warps_;
  ++row[warp];   // what follows is not covered
  fenced_[warp].assign(row, row + warps_);
  merge(acquired_[warp], seen_[warp]);
  seen_[warp].clear();
}

void Order::observe(uint32_t warp, uint64_t address) {
  const auto released = released_at_.find(address);
  if (released == released_at_.end()) return;
  for (const auto& [block, clocks] : released->second)
    if (block != block_) merge(seen_[warp], {{block, clocks}});
}

void Order::publish(uint32_t warp, uint64_t address) {
  if (!fenced_[warp].empty()) merge(released_at_[address], {{block_, fenced_[warp]}});
}

bool Order::is_before(const Access& earlier, uint32_t thread) const {
  if (earlier.block < first_block_) return true;   // nobody, or another launch
  const uint32_t warp = thread / 32, other = earlier.thread / 32u;
  if (earlier.block == block_) return earlier.thread == thread || clocks_[warp * warps_ + other] > earlier.clock;
  const auto known = acquired_[warp].find(earlier.block);
  return known != acquired_[warp].end() && other < known->second.size() && known->second[other] > earlier.clock;
}

}  // namespace netc::sim
