#include "tests/towers/separate_nets.h"

#include <stdexcept>

#include "tests/support/mlp.h"

namespace netc::test {
namespace {

// Dividing by the root of a vanishing square would make the sign of a rounding error a whole step.
const std::pair<std::string, double> kEps{"eps", 0.01};

class Net {
 public:
  Net() : b(graph) {}

  NodeId weight(const std::string& name, Shape shape) { return b.parameter(name, {DType::f32, std::move(shape)}, {}); }
  NodeId along_last(NodeId vector, NodeId like) {
    return b.expand_like(vector, like, {static_cast<int64_t>(b.type(like).shape.size()) - 1});
  }
  NodeId product(NodeId x, NodeId w, bool transposed = false) { return b.op("matmul", {x, w}, {{"transpose_weight", transposed}}); }
  NodeId dense(const std::string& name, NodeId x, int64_t units) {
    b.named(name);
    const NodeId y = product(x, weight(name + ".weight", {b.type(x).shape.back(), units}));
    return b.add(y, along_last(weight(name + ".bias", {units}), y));
  }
  NodeId layer_norm(const std::string& name, NodeId x) {
    b.named(name);
    const NodeId y = b.op("normalize", {x}, {{"eps", 1e-2}});
    const int64_t width = b.type(x).shape.back();
    return b.add(b.mul(y, along_last(weight(name + ".scale", {width}), y)), along_last(weight(name + ".shift", {width}), y));
  }
  NodeId ids(const std::string& name, Shape shape, int64_t classes) { return b.input(name, {DType::i32, std::move(shape), true, classes}); }
  NodeId loss_of(NodeId logits, NodeId label) {
    b.named("loss");
    return b.batch_sum(b.op("cross_entropy_classes", {logits, label}, {{"label_smoothing", 0.1}}));
  }
  Graph finish(NodeId loss, NodeId logits) {
    graph.results = {{"loss.total", loss}, {"logits", logits}};
    return std::move(graph);
  }

  Graph graph;
  GraphBuilder b;
};

// An embedding whose table is also the head's weight: its gradient is a scatter and a product, reduced once.
Graph tied_embedding() {
  Net n;
  const NodeId table = n.weight("table", {11, 8});
  NodeId x = n.b.op("gather", {table, n.ids("words", {6}, 11)});
  x = n.layer_norm("norm", x);
  x = n.b.op("tanh", {n.dense("mix", x, 8)});
  x = n.b.reduce_sum(x, {0});
  const NodeId logits = n.product(x, table, true);
  return n.finish(n.loss_of(logits, n.ids("label", {}, 11)), logits);
}

// One layer applied twice, and a penalty on its weights, which counts once whatever the number of towers.
Graph twice_with_penalty() {
  Net n;
  const NodeId x = n.b.input("x", {DType::f32, {9}, true});
  const NodeId w = n.weight("again.weight", {9, 9});
  NodeId h = n.b.op("relu", {n.product(x, w)});
  h = n.b.op("sigmoid", {n.product(h, w)});
  const NodeId logits = n.dense("head", h, 4);
  const NodeId penalty = n.b.mul(n.b.constant(0.05), n.b.reduce_sum(n.b.mul(w, w), {0, 1}));
  return n.finish(n.b.add(n.loss_of(logits, n.ids("label", {}, 4)), penalty), logits);
}

// Activations centred over the whole batch: rows of a tower wait for sums over all towers, forward and backward.
Graph centred_over_the_batch() {
  Net n;
  NodeId h = n.dense("fc1", n.b.input("x", {DType::f32, {7}, true}), 12);
  const NodeId sum = n.b.op("reduce_sum", {h}, {{"axes", std::vector<int64_t>{}}, {"batch", true}});
  const NodeId inverse = n.b.scalar("inverse_batch");
  const NodeId mean = n.b.mul(sum, n.b.expand_like(inverse, sum, {}));
  h = n.b.op("relu", {n.b.sub(h, n.along_last(mean, h))});
  const NodeId logits = n.dense("head", h, 3);
  return n.finish(n.loss_of(logits, n.ids("label", {}, 3)), logits);
}

Graph transformer_like() {
  Net n;
  NodeId x = n.layer_norm("norm", n.b.input("x", {DType::f32, {5, 6}, true}));
  const NodeId y = n.b.op("gelu", {n.dense("wide", x, 16)});
  x = n.b.add(x, n.b.op("dropout", {n.dense("narrow", y, 6)}, {{"rate", 0.25}, {"stream", int64_t{3}}}));
  const NodeId logits = n.dense("head", n.b.reduce_sum(n.layer_norm("last", x), {0}), 4);
  return n.finish(n.loss_of(logits, n.ids("label", {}, 4)), logits);
}

}  // namespace

std::vector<SeparateNet> separate_nets() {
  const NetOptions images{{20, 33, 17, 5}, 0.2, true};
  const OptimizerSpec rmsprop{"rmsprop", {{"lr", 0.01}, {"rho", 0.9}, kEps}, {}};
  const OptimizerSpec adam{"adam", {{"lr", 0.01}, kEps}, {}};
  const OptimizerSpec adamw{"adamw", {{"lr", 0.01}, {"weight_decay", 0.1}, kEps}, {}};
  const OptimizerSpec momentum{"sgd", {{"lr", 0.05}, {"momentum", 0.9}, {"nesterov", 1}, {"l2", 0.02}}, {}};
  const ClipSpec by_norm{ClipSpec::Kind::global_norm, 0.5}, by_value{ClipSpec::Kind::value, 0.01};
  std::vector<SeparateNet> nets;
  nets.push_back({"images", mlp(images), rmsprop, {}});
  nets.push_back({"images_clipped_by_norm", mlp(images), adam, by_norm});
  nets.push_back({"images_clipped_by_value", mlp(images), momentum, by_value});
  nets.push_back({"tied_embedding", tied_embedding(), adamw, {}});
  nets.push_back({"twice_with_penalty", twice_with_penalty(), momentum, by_norm});
  nets.push_back({"centred_over_the_batch", centred_over_the_batch(), momentum, {}});
  nets.push_back({"transformer_like", transformer_like(), momentum, by_norm});
  return nets;
}

SeparateNet separate_net(const std::string& name) {
  for (SeparateNet& net : separate_nets())
    if (net.name == name) return net;
  throw std::out_of_range(name);
}

}  // namespace netc::test
