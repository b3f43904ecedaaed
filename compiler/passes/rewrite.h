// The frame of the passes that put other nodes in a node's place.
#pragma once

#include <functional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ops/op.h"

namespace netc {

// Moves the nodes of `graph` into a new graph, in order. For each node (its inputs already renamed) `rule` may append
// nodes to the builder's graph and return what stands in its place; it returns kNoNode to keep the node as it is.
// Results and updates follow. What a rule leaves unused stays behind until remove_dead.
using RewriteRule = std::function<NodeId(GraphBuilder&, Node& node)>;
Graph rewrite(Graph graph, const RewriteRule& rule);

}  // namespace netc
