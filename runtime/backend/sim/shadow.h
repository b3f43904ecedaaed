// What check mode remembers about memory: which bytes were ever written, and who touched them last.
//
// Two accesses race if neither is ordered before the other, they come from different threads, at least one writes and
// not both are strong (atomic or volatile). Order within a block is a clock per warp: a barrier joins and advances the
// clocks of the warps it holds, __syncwarp advances one. Blocks are not ordered, except by a fence and an atomic that
// release what another block's atomic and fence acquire (the last-block pattern).
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace netc::sim {

struct Access {
  uint32_t block = 0;    // serial number of the block, unique over launches; 0: nobody
  uint32_t clock = 0;    // of the warp when it happened
  uint32_t pc = 0;
  uint16_t thread = 0;   // in its block
  bool strong = false;
};

// The last accesses of one place. The second newest of another thread matters where the newest hides it.
struct Cell {
  Access write, other_write;   // other_write: kept only while the newest is strong
  Access read, other_read;     // of two different threads of one block
  Access foreign_read;         // of the block before
};

class Shadow {
 public:
  explicit Shadow(uint64_t bytes);

  bool is_initialised(uint64_t offset, uint64_t bytes) const;
  void mark_initialised(uint64_t offset, uint64_t bytes);
  void forget_contents();   // as freshly allocated
  void forget_accesses();

  // Calls visit(cell) for every place of an access, at the finest width any access has asked for.
  template <class Visit>
  void visit(uint64_t offset, uint64_t bytes, Visit&& visit) {
    while (bytes > 0) {
      Chunk& chunk = chunk_at(offset, bytes);
      const uint64_t step = chunk.place_bytes;
      visit(chunk.cells[offset % kChunkBytes / step]);
      offset += step;
      bytes -= step < bytes ? step : bytes;
    }
  }

 private:
  static constexpr uint64_t kChunkBytes = 1024;
  struct Chunk {
    uint32_t place_bytes = 4;
    std::vector<Cell> cells;
  };
  Chunk& chunk_at(uint64_t offset, uint64_t bytes);

  std::vector<uint8_t> initialised_;   // one per byte
  std::vector<Chunk> chunks_;
};

// Of each block: how far each of its warps had come.
using Released = std::unordered_map<uint32_t, std::vector<uint32_t>>;

// The order of accesses within one launch in check mode. Blocks run one after another.
class Order {
 public:
  explicit Order(uint32_t first_block) : first_block_(first_block) {}

  void begin_block(uint32_t block, uint32_t warps);
  void barrier(const std::vector<uint32_t>& warps);   // indices of the warps that meet
  void warp_sync(uint32_t warp);
  void fence(uint32_t warp);
  // Strong accesses to global memory: a read sees what others released there, a write releases what was fenced.
  void observe(uint32_t warp, uint64_t address);
  void publish(uint32_t warp, uint64_t address);
  uint32_t clock(uint32_t warp) const { return clocks_[warp * warps_ + warp]; }
  uint32_t block() const { return block_; }

  bool is_before(const Access& earlier, uint32_t thread) const;

 private:
  static void merge(Released& into, const Released& from);

  uint32_t first_block_;
  uint32_t block_ = 0, warps_ = 0;
  std::vector<uint32_t> clocks_;                        // row w: what warp w knows of every warp
  std::vector<std::vector<uint32_t>> fenced_;           // by warp: its row when it last fenced
  std::vector<Released> seen_, acquired_;               // by warp: read by an atomic; and after a fence, in force
  std::unordered_map<uint64_t, Released> released_at_;  // by address of the atomic
};

}  // namespace netc::sim
