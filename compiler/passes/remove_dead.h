// remove_dead: drops nodes that neither a result nor an update depends on.
//
//   %3 = relu(x)                         %3 = relu(x)
//   %4 = tanh(x)                 ->      result y = %3
//   result y = %3
//
// Before: any sound graph. After: every node is needed; order, results, updates and the lists of parameters and states
// are as they were (a weight no node reads is still a weight of the net, to be saved and loaded).
// Idempotent; linear in the number of nodes.
//
// It stands last: differentiation makes cotangents nobody asked for (of the input image, of constants), and the other
// passes leave behind what they replaced.
#pragma once

#include "compiler/graph/graph.h"

namespace netc {

Graph remove_dead(Graph graph);

}  // namespace netc
