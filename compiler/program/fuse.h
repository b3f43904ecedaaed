// Fusion: fewer kernels, less memory traffic, the same values. Program -> Program.
//
//   before   matmul -> t0; expand bias -> t1; add t0 t1 -> t2; relu t2 -> t3; dropout t3 -> h
//   after    one product kernel whose epilogue adds the bias, clamps, drops and stores h
//
// Two moves make all of it:
//   inline   a pointwise producer is computed where it is read, and its buffer disappears  (fuse_inline.cpp)
//   merge    a consumer with the same parallel axes is appended to its producer's phases, and reads the value instead
//            of the buffer: epilogues, softmax and layer norm as one row kernel, optimizers in the gradient's kernel
//                                                                                            (fuse_merge.cpp)
// Two kernels that only share an input are merged too, if both reduce it row by row.
// LEGAL is decided there (dependencies by KernelOrder, index maps, in-place writes); whether it PAYS is decided in
// fuse_cost.h. Afterwards stores that nobody reads are gone and steps are in a valid order.
//
// Where towers do not share memory (FuseOptions::memory) a loop over the batch gives a tower's summand only. Nothing is
// fused across the place where the towers add up (partial_sums.h): a kernel that loops over the batch stores its sums,
// scaled or added to one another at most, in gradients and results, and whoever is not linear in them reads them there.
//   shared     w = w - lr * (sum over k in B of x[k, i] * g[k, c])        one kernel
//   separate   dw = sum over k in B of x[k, i] * g[k, c];  w = w - lr * dw
#pragma once

#include "compiler/kernel/program.h"
#include "compiler/kernel/tower_program.h"

namespace netc {

struct FuseOptions {
  TowerMemory memory = TowerMemory::shared;
  bool keep_products = false;   // matrix products take no part: nothing is inlined into them, nothing appended
};

// Throws InternalError if memory is separate and something is made of the rows of one tower that no sum over the towers
// completes: a maximum over the batch, say.
void fuse(Program& program, const FuseOptions& options = {});

}  // namespace netc
