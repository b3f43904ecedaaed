// Reverse-mode differentiation: adds to a graph the nodes that compute how its loss changes with each weight.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace netc {

struct ParameterGradient {
  NodeId parameter = kNoNode;   // the leaf
  NodeId gradient = kNoNode;    // same type

  friend bool operator==(const ParameterGradient&, const ParameterGradient&) = default;
};

// `loss` is an unbatched scalar: the sum of a per-sample loss over the rows of the batch. What is differentiated is
// loss * inverse_batch, a run-time scalar (1 / rows of the whole update), so that slices of a batch add up to the
// gradient of the mean over all of it.
//
// Each node between the weights and the loss is asked for its row's gradient rule, once, from the loss backwards.
// Where a value has several uses its cotangents are added in the order in which the walk meets them. Nodes carry the
// layer and span of the forward node they come from.
//
// The result lists the trainable parameters that the loss depends on, in the order of Graph::parameters.
std::vector<ParameterGradient> differentiate(Graph& graph, NodeId loss);

}  // namespace netc
