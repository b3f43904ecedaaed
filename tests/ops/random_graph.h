// Graphs made at random out of the op table's rows, for passes to be tried on.
#pragma once

#include "compiler/graph/graph.h"

namespace netc::test {

// About `size` nodes over batched and whole tensors of a few shapes, with repeats, identities, constants and scalars
// strewn in so that every rule of the passes has something to find. Values stay of moderate size.
Graph random_graph(uint64_t seed, int size);

}  // namespace netc::test
