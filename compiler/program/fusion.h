// What the parts of fusion share. Internal to compiler/program.
#pragma once

#include <optional>
#include <vector>

#include "compiler/kernel/partial_sums.h"
#include "compiler/kernel/program.h"
#include "compiler/program/fuse.h"
#include "compiler/program/kernel_order.h"

namespace netc {

// The program while it is being fused, with who reads and who writes each root buffer.
struct Fusion {
  explicit Fusion(Program& p, const FuseOptions& options = {});

  Program& program;
  KernelOrder order;
  std::vector<std::vector<int32_t>> readers, writers;   // by root buffer; dead kernels are taken out

  bool keep_products = false;
  std::optional<PartialSums> sums;   // where towers do not share memory; of the program as it came

  // Whether `consumer` would read what `producer` stores before the towers have added it up, or a kernel would be both
  // one that makes summands and one that must make the same on all towers.
  bool crosses_completion(int32_t producer, int32_t consumer) const;

  void replace_access(int32_t kernel, const KernelAccess& before, const KernelAccess& after);
};

// A kernel without reductions and loops: one phase, run once per parallel point.
bool is_pointwise(const Kernel& kernel);

// The values of `store`'s parallel axes at which it writes the element that (buffer, row, column) names, as indices
// over whatever axes the load's indices use; nullopt if the maps cannot be inverted. `axes`: how many there are.
std::optional<std::vector<Index>> invert_store(const Program& program, const Store& store, size_t axes,
                                               BufferId buffer, const Index& row, const Index& column);

// Whether a kernel that loads and stores one piece of persistent memory (weights, optimizer slots) does so element by
// element: every load at the very place of the store, in no later phase. Then it may run in place, in any order.
bool updates_in_place(const Program& program, const Kernel& kernel);

// Tries to move pointwise kernel `producer` into all of its readers. True if it is gone.
bool inline_into_readers(Fusion& fusion, int32_t producer);

// Tries to append `consumer` to `producer`. True if `consumer` is gone.
bool merge_into_producer(Fusion& fusion, int32_t producer, int32_t consumer);

}  // namespace netc
