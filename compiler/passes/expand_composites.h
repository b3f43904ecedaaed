// expand_composites: rewrites rows of the family `composite` into the rows they stand for.
//
//   %3 = softmax(%2)       ->    %3 = reduce_max(%2, axes: [0])
//                                %4 = expand(%3)
//                                %5 = sub(%2, %4)
//                                %6 = exp(%5)
//                                %7 = reduce_sum(%6, axes: [0])
//                                ...
//
// Before: any sound graph. After: no composite is left, every node has a family that lowering knows, and the new nodes
// carry the layer and span of the one they replace. Types of results and updates are as they were.
// Idempotent; linear in the number of nodes. The expansion of a row uses no composite itself (a test holds rows to it).
//
// It stands after differentiation, since a composite's own gradient is shorter and more stable than that of its parts
// (softmax with cross entropy: share minus target), and before simplify and share, which find that the parts of
// forward and backward are the same.
#pragma once

#include "compiler/graph/graph.h"

namespace netc {

Graph expand_composites(Graph graph);

}  // namespace netc
