#include "tests/ops/nets.h"

#include "compiler/autodiff/differentiate.h"
#include "compiler/autodiff/update_rules.h"
#include "compiler/ops/op.h"
#include "tests/ops/op_cases.h"

namespace netc::test {

namespace {

const Initializer kSpread{Initializer::Kind::uniform, -0.5, 0.5, false};

NodeId dense(GraphBuilder& b, NodeId x, int64_t units, const std::string& path) {
  b.named(path);
  const NodeId weight = b.parameter(path + ".weight", {DType::f32, {b.type(x).shape.back(), units}, false, 0}, kSpread);
  const NodeId bias = b.parameter(path + ".bias", {DType::f32, {units}, false, 0}, {});
  const NodeId product = b.op("matmul", {x, weight});
  return b.add(product, b.expand_like(bias, product, {0}));
}

NodeId dropout(GraphBuilder& b, NodeId x, double rate, int64_t stream) {
  return b.op("dropout", {x}, {{"rate", rate}, {"stream", stream}});
}

}  // namespace

TrainedNet dense_net(double dropout_rate) {
  TrainedNet net;
  GraphBuilder b(net.graph);
  const NodeId image = b.input("image", {DType::u8, {2, 3, 1}, true, 0});
  const NodeId label = b.input("label", {DType::i32, {}, true, 3});
  NodeId x = b.mul(b.op("cast", {image}, {{"dtype", std::string("f32")}}), b.constant(1.0 / 255));
  x = b.named("flatten").op("reshape", {x}, {{"shape", Shape{6}}});
  x = b.op("relu", {dense(b, x, 4, "fc1")});
  x = dropout(b.named("dropout1"), x, dropout_rate, 7);
  const NodeId logits = dense(b, x, 3, "head");
  b.named("loss");
  net.loss = b.batch_sum(b.op("cross_entropy_classes", {logits, label}));
  net.graph.results = {{"logits", logits}, {"loss.total", net.loss}};
  return net;
}

TrainedNet deep_net(int layers, int64_t width) {
  TrainedNet net;
  GraphBuilder b(net.graph);
  NodeId x = b.input("x", {DType::f32, {width}, true, 0});
  for (int i = 0; i < layers; ++i) {
    x = b.op("relu", {dense(b, x, width, "fc" + std::to_string(i))});
    x = dropout(b, x, 0.1, i);
  }
  const NodeId error = b.named("loss").sub(x, b.input("y", {DType::f32, {width}, true, 0}));
  net.loss = b.batch_sum(b.mul(error, error));
  net.graph.results = {{"output", x}, {"loss.total", net.loss}};
  return net;
}

Environment random_environment(const Graph& graph, int64_t rows, uint64_t seed) {
  Environment environment;
  environment.rows = rows;
  environment.seed = seed;
  environment.scalars = {{"inverse_batch", 1.0 / static_cast<double>(rows)}, {"learning_rate", 0.05}, {"update_count", 1}};
  Draws draws(seed);
  for (const Node& node : graph.nodes) {
    if (node.op != "input" && node.op != "parameter" && node.op != "state") continue;
    std::vector<double> values;
    const int64_t count = element_count(node.type.shape) * (node.type.batched ? rows : 1);
    for (int64_t i = 0; i < count; ++i) {
      if (is_floating(node.type.dtype)) {
        values.push_back(node.op == "state" ? draws.uniform(0, 1) : draws.uniform(-1, 1));
      } else {
        values.push_back(static_cast<double>(draws.below(node.type.classes > 0 ? node.type.classes : 256)));
      }
    }
    auto& to = node.op == "input"       ? environment.inputs
               : node.op == "parameter" ? environment.parameters
                                        : environment.states;
    to[node.name] = std::move(values);
  }
  return environment;
}

void add_training(TrainedNet& net, const char* optimizer) {
  const std::vector<ParameterGradient> gradients = differentiate(net.graph, net.loss);
  add_updates(net.graph, gradients, {optimizer, {}, {}}, {});
}

}  // namespace netc::test
