// Puts the steps into stages: as early as what they need allows, so that independent kernels share one stage and the
// workers meet as seldom as possible. Steps of one stage touch nothing that another of them writes.
//
//   before   dX of layer 2; dW of layer 2 + update; dX of layer 1; dW of layer 1 + update: four steps, one after another
//   after    dW of layer 2 stands beside dX of layer 1: it waits only for dX of layer 2, the last reader of the weights
//
// Of towers with a memory each (plan_scopes.h) the replicated steps that no tower's rows wait for, the updates, come after
// all others: what a bucket exchanges is exchanged beside the backward pass, and the updates stand together, so that a
// backend may launch those of one stage at once.
#pragma once

#include "compiler/kernel/program.h"

namespace netc {

void plan_stages(Program& program);

}  // namespace netc
