// Reorders sums of gradients so that a weight is reduced once. Program -> Program, before fusion, for towers with a memory
// each.
//
//   before   t = penalty' + dw1; d = t + dw2     the towers would add up dw1 AND dw2, since `penalty'` is whole already
//   after    t = dw2 + dw1;      d = t + penalty'   they add up t
//
// What counts is that summands (partial_sums.h) are added to one another first. The value is the same but for the order
// of a few additions. Before: one kernel per node, as lowered.
#pragma once

#include "compiler/kernel/program.h"

namespace netc {

void gather_summands(Program& program);

}  // namespace netc
