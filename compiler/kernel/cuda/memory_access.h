// Where a kernel reads and writes, as CUDA's memory system sees it: element distances along axes, overlaps of buffers.
#pragma once

#include <vector>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/program.h"
#include "compiler/kernel/verify_parts.h"

namespace netc::cuda {

struct Access {
  BufferId buffer = kNone;
  const Index* row = nullptr;
  const Index* column = nullptr;
  ExprId load = kNone;             // kNone: a store
  bool accumulates = false;
  bool in_loop = false;            // of a phase with loops
};

// Every load and store, in order; a load that several phases need comes once for each.
std::vector<Access> accesses(const Kernel& kernel);

// Elements from one value of the axis to the next; 0 if the place does not move. Says nothing of a gathered part.
int64_t step_along(const Program& program, const Access& access, AxisId axis);

// Whether a gathered id, and with it the place, varies with the axis.
bool gathered_varies(const std::vector<Dependence>& depends, const Access& access, AxisId axis);

// Whether two buffers may share bytes: views of one memory, or places in one arena that meet.
bool may_overlap(const Program& program, BufferId a, BufferId b);

// Expressions that read, themselves or through operands, memory that some phase of the kernel writes: they are computed
// again in every phase and never kept.
std::vector<bool> reads_written_memory(const Kernel& kernel, const Program& program);

// Whether all places and counts of the kernel stay below 2^31 for batches up to the program's capacity.
bool fits_32_bits(const Kernel& kernel, const Program& program);

// The product of the extents of axes, as one extent.
Extent product_of(const Kernel& kernel, const std::vector<AxisId>& axes);
int64_t size_of(const Extent& extent, int64_t rows);

}  // namespace netc::cuda
