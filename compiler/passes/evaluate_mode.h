// evaluate_mode: what a net computes when it is not being trained.
//
//   %4 = dropout(%3, rate: 0.2, stream: 7)         %5 = matmul(%3, fc2.weight)
//   %5 = matmul(%4, fc2.weight)              ->    result logits = %5
//   result logits = %5
//   update fc2.weight = %90
//
// Before: any sound graph, differentiated or not. After: no dropout, no random draw, no update, no optimizer slot;
// results stand for the whole net, so that their values depend on inputs and weights alone.
// Idempotent; linear in the number of nodes.
//
// It stands first in the compilation of `eval` and `predict`, while dropout is still one node.
#pragma once

#include "compiler/graph/graph.h"

namespace netc {

Graph evaluate_mode(Graph graph);

}  // namespace netc
