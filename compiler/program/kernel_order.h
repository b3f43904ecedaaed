// The order of kernels while they are being fused: a dependency graph over kernels, kept in topological order while
// nodes are contracted. Edges come from the buffers: a read after a write, a write after a read (an update of weights
// waits for every reader of the old ones), a write after a write.
//
// Contraction reorders only the window between the two kernels (Pearce and Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs", JEA 2006), so fusing a thousand layers stays near-linear.
#pragma once

#include <vector>

#include "compiler/kernel/program.h"

namespace netc {

class KernelOrder {
 public:
  // The kernels of `program` in the order of its steps: the sequential meaning that any other order must keep.
  explicit KernelOrder(const Program& program);

  // Makes `earlier` and `later` one node, called `earlier`, if no path leads from one to the other through a third
  // kernel; false and unchanged otherwise.
  bool contract(int32_t earlier, int32_t later);

  // Adds a dependency; `a` must stand before `b` already.
  void require_before(int32_t a, int32_t b) { add_edge(a, b); }

  void remove(int32_t kernel);                 // its predecessors stay ordered before its successors
  bool alive(int32_t kernel) const { return position_[static_cast<size_t>(kernel)] >= 0; }
  bool before(int32_t a, int32_t b) const { return position_[static_cast<size_t>(a)] < position_[static_cast<size_t>(b)]; }
  std::vector<int32_t> sorted() const;         // the living kernels, in order

 private:
  void add_edge(int32_t from, int32_t to);
  void drop_edge(std::vector<int32_t>& list, int32_t node);

  std::vector<std::vector<int32_t>> successors_, predecessors_;
  std::vector<int32_t> position_;              // -1: gone
  std::vector<int32_t> at_;                    // kernel at a position, -1: none
};

// Buffers whose memory is one: an alias stands for its root.
BufferId root_buffer(const Program& program, BufferId buffer);

// Reads and writes of a kernel as root buffers, without repeats, ascending.
struct KernelAccess {
  std::vector<BufferId> reads, writes;
};
KernelAccess kernel_access(const Program& program, const Kernel& kernel);

}  // namespace netc
