// share: computes equal things once (common subexpression elimination).
//
//   %4 = exp(%3)                    %4 = exp(%3)
//   %5 = exp(%3)             ->     %6 = mul(%4, %4)
//   %6 = mul(%4, %5)
//
// Two nodes are equal if op, inputs, attributes and type are; draws of one random stream are equal too. The first stays,
// with its layer and span, so the order does not depend on anything but the graph. Leaves of one name, and constants of
// one value, become one node.
//
// Before: any sound graph. After: no two nodes are equal. Idempotent; linear in the number of nodes.
//
// It stands after expand_composites and simplify: forward and backward of softmax, normalisation and dropout are
// written with the same parts on purpose, and here those become one.
#pragma once

#include "compiler/graph/graph.h"

namespace netc {

Graph share(Graph graph);

}  // namespace netc
