// How much a kernel moves and computes, as functions of the rows of the batch: for reports, and for tests to hold
// against a count by hand.
#pragma once

#include "compiler/kernel/cuda/emit_cuda.h"

namespace netc::cuda {

struct Work {
  RowCount bytes_moved, flops;
};

// `kernel` after share_loops. Bytes: every element that is read, once, and every one that is written, once (an
// accumulating store reads and writes); places that a gathered id names count for every id. Flops: every addition,
// multiplication, function or fold of a reduction, once for each value it is made for; comparisons, selections,
// conversions and random bits do not count.
Work count_work(const Kernel& kernel, const Program& program);

}  // namespace netc::cuda
