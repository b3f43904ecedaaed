// Nets that several tests differentiate, rewrite and evaluate.
#pragma once

#include "compiler/graph/graph.h"
#include "tests/ops/graph_evaluator.h"

namespace netc::test {

struct TrainedNet {
  Graph graph;
  NodeId loss = kNoNode;   // the sum over the batch
};

// image u8[2, 3, 1] -> to_float -> flatten -> dense 4 -> relu -> dropout -> dense 3; cross entropy with class labels.
// Results "logits" and "loss.total".
TrainedNet dense_net(double dropout_rate);

// A chain of `layers` dense(width) |> relu |> dropout on f32[width], with mean squared error.
TrainedNet deep_net(int layers, int64_t width);

// Leaves of a graph filled with small numbers; images with 0 .. 255, ids with 0 .. classes - 1.
Environment random_environment(const Graph& graph, int64_t rows, uint64_t seed);

// The whole way of a training step: gradients, clipping, updates.
void add_training(TrainedNet& net, const char* optimizer);

}  // namespace netc::test
