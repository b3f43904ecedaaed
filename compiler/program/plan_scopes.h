// Says of every step where it runs when the towers have a memory each. Program -> Program, after fusion, before
// plan_stages; where towers share a memory nothing is to be decided (each_tower or joint, as lowering says).
//
//   before   joint        head_weight_matmul_tn -> gradient;      joint       head_weight_update <- gradient
//   after    summand      head_weight_matmul_tn -> gradient;      replicated  head_weight_update <- gradient
//
// Throws InternalError if something is made of the rows of one tower that no sum over the towers completes.
#pragma once

#include "compiler/kernel/program.h"

namespace netc {

void plan_separate_scopes(Program& program);

}  // namespace netc
