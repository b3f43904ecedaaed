// Phases that loop over equal extents are given the same axes, and expressions that thereby become equal are made one.
//
//   before   s0 = max over k of x[r, k];  s1 = sum over k1 of exp(x[r, k1] - s0)
//   after    s0 = max over k of x[r, k];  s1 = sum over k  of exp(x[r, k] - s0)
//
// What a thread read or computed in one phase it can then keep for the next. The meaning stays: a phase binds its axes
// itself, and threads take the values of equal loops in the same way.
#pragma once

#include "compiler/kernel/kernel.h"

namespace netc::cuda {

Kernel share_loops(const Kernel& kernel);

}  // namespace netc::cuda
