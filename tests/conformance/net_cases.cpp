// Small nets of awkward sizes, trained for a few steps: forward, both gradients and the update of every layer.
#include <functional>

#include "compiler/autodiff/differentiate.h"
#include "compiler/autodiff/update_rules.h"
#include "compiler/ops/op.h"
#include "tests/conformance/conformance_case.h"

namespace netc::test {
namespace {

class Net {
 public:
  explicit Net(Graph& graph) : b_(graph) {}

  GraphBuilder& b() { return b_; }
  NodeId features(const std::string& name, Shape shape) { return b_.input(name, {DType::f32, std::move(shape), true, 0}); }
  NodeId ids(const std::string& name, Shape shape, int64_t classes) {
    return b_.input(name, {DType::i32, std::move(shape), true, classes});
  }
  NodeId weight(const std::string& name, Shape shape) { return b_.parameter(name, {DType::f32, std::move(shape), false, 0}, {}); }

  NodeId along_last(NodeId vector, NodeId like) {
    return b_.expand_like(vector, like, {static_cast<int64_t>(b_.type(like).shape.size()) - 1});
  }
  NodeId dense(const std::string& name, NodeId x, int64_t units) {
    b_.named(name);
    const NodeId y = b_.op("matmul", {x, weight(name + ".weight", {b_.type(x).shape.back(), units})}, {{"transpose_weight", false}});
    return b_.add(y, along_last(weight(name + ".bias", {units}), y));
  }
  NodeId activate(const std::string& op, NodeId x) {
    static const std::map<std::string, Attributes> kAttributes = {{"leaky_relu", {{"slope", 0.01}}}, {"elu", {{"alpha", 1.0}}}};
    const auto found = kAttributes.find(op);
    return b_.op(op, {x}, found == kAttributes.end() ? Attributes{} : found->second);
  }
  NodeId dropout(NodeId x, double rate, int64_t stream) { return b_.op("dropout", {x}, {{"rate", rate}, {"stream", stream}}); }
  NodeId layer_norm(const std::string& name, NodeId x) {
    b_.named(name);
    const NodeId y = b_.op("normalize", {x}, {{"eps", 1e-5}});
    const int64_t width = b_.type(x).shape.back();
    return b_.add(b_.mul(y, along_last(weight(name + ".scale", {width}), y)), along_last(weight(name + ".shift", {width}), y));
  }
  NodeId cross_entropy(NodeId logits, NodeId label) {
    return b_.op("cross_entropy_classes", {logits, label}, {{"label_smoothing", 0.1}});
  }
  NodeId squared_error(NodeId y, NodeId target) {
    const NodeId e = b_.sub(y, target);
    std::vector<int64_t> axes;
    for (size_t i = 0; i < b_.type(e).shape.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    return b_.reduce_sum(b_.mul(e, e), axes);
  }

 private:
  GraphBuilder b_;
};

struct Recipe {
  std::string name;
  int64_t rows;
  OptimizerSpec optimizer;
  ClipSpec clip;
  std::function<NodeId(Net&)> per_sample_loss;   // one a row
};

ConformanceCase training(const Recipe& recipe) {
  ConformanceCase c{recipe.name, {}, {}, 2};
  Net net(c.graph);
  const NodeId loss = net.b().named("loss").batch_sum(recipe.per_sample_loss(net));
  c.graph.results.push_back({"loss.total", loss});
  const std::vector<ParameterGradient> gradients = differentiate(c.graph, loss);
  add_updates(c.graph, gradients, recipe.optimizer, recipe.clip);
  c.environment = made_up_environment(c.graph, recipe.rows, 7);
  for (const State& state : c.graph.states)
    c.environment.states[state.name].assign(static_cast<size_t>(element_count(state.type.shape)), state.initial);
  return c;
}

// Two layers of the given widths and an activation between them.
Recipe two_layers(int64_t rows, int64_t in, int64_t hidden, int64_t out, const std::string& activation) {
  const std::string name = "dense_" + std::to_string(in) + "_" + std::to_string(hidden) + "_" + std::to_string(out) + "_" + activation;
  return {name, rows, {"sgd", {{"lr", 0.05}}, {}}, {}, [=](Net& net) {
            const NodeId h = net.activate(activation, net.dense("fc1", net.features("x", {in}), hidden));
            const NodeId y = net.dense("fc2", h, out);
            if (out == 1) return net.squared_error(y, net.features("target", {1}));
            return net.cross_entropy(y, net.ids("label", {}, out));
          }};
}

// The net of the seed in small: raw bytes, dropout, two hidden layers.
NodeId image_net(Net& net) {
  const NodeId raw = net.b().input("image", {DType::u8, {4, 5, 1}, true, 0});
  NodeId x = net.b().mul(net.b().op("cast", {raw}, {{"dtype", std::string("f32")}}), net.b().constant(1 / 255.0));
  x = net.b().op("reshape", {x}, {{"shape", std::vector<int64_t>{20}}});
  x = net.dropout(net.activate("relu", net.dense("fc1", x, 33)), 0.2, 1);
  x = net.dropout(net.activate("relu", net.dense("fc2", x, 17)), 0.2, 2);
  return net.cross_entropy(net.dense("head", x, 10), net.ids("label", {}, 10));
}

NodeId sequence_net(Net& net) {
  GraphBuilder& b = net.b();
  const NodeId words = net.ids("words", {6}, 11);
  NodeId x = b.op("gather", {net.weight("table", {11, 17}), words});
  x = net.layer_norm("norm", x);
  x = net.activate("gelu", net.dense("mix", x, 7));
  x = b.reduce_sum(x, {0});
  return net.cross_entropy(net.dense("head", x, 3), net.ids("label", {}, 3));
}

NodeId branches_net(Net& net) {
  GraphBuilder& b = net.b();
  const NodeId x = net.features("x", {3, 10});
  const NodeId left = net.activate("tanh", net.dense("left", x, 5));
  const NodeId right = net.activate("sigmoid", net.dense("right", b.op("slice", {x}, {{"axis", int64_t{1}}, {"start", int64_t{2}}, {"stop", int64_t{9}}}), 6));
  const NodeId both = b.op("concat", {left, right}, {{"axis", int64_t{1}}});
  const NodeId turned = b.op("transpose", {both}, {{"order", std::vector<int64_t>{1, 0}}});
  const NodeId flat = b.op("reshape", {turned}, {{"shape", std::vector<int64_t>{33}}});
  const NodeId y = b.op("softmax", {net.dense("head", flat, 16)});
  return net.squared_error(y, net.features("target", {16}));
}

NodeId logistic_net(Net& net) {
  const NodeId z = net.dense("fc", net.features("x", {17}), 4);
  const NodeId target = net.b().op("sigmoid", {net.features("t", {4})});
  return net.b().reduce_sum(net.b().op("binary_cross_entropy", {z, target}), {0});
}

}  // namespace

std::vector<ConformanceCase> net_cases() {
  // Dividing by the root of a vanishing square would make the sign of a rounding error a whole step.
  const std::pair<std::string, double> kEps{"eps", 0.01};
  const OptimizerSpec sgd{"sgd", {{"lr", 0.05}}, {}};
  const ClipSpec by_norm{ClipSpec::Kind::global_norm, 0.5}, by_value{ClipSpec::Kind::value, 0.01};
  const std::vector<Recipe> recipes = {
      two_layers(7, 784, 33, 10, "relu"),
      two_layers(33, 33, 1, 10, "sigmoid"),
      two_layers(17, 1, 7, 17, "tanh"),
      two_layers(16, 16, 16, 16, "gelu"),
      two_layers(5, 17, 10, 7, "silu"),
      two_layers(1, 7, 33, 1, "leaky_relu"),
      two_layers(10, 10, 16, 1, "elu"),
      two_layers(33, 16, 33, 33, "softplus"),
      {"image_sgd_nesterov", 9, {"sgd", {{"lr", 0.05}, {"momentum", 0.9}, {"nesterov", 1}}, {}}, {}, image_net},
      {"image_rmsprop", 9, {"rmsprop", {{"lr", 0.05}, {"rho", 0.9}, kEps}, {}}, {}, image_net},
      {"image_adam", 9, {"adam", {{"lr", 0.05}, kEps}, {}}, {}, image_net},
      {"image_adamw_amsgrad", 9, {"adamw", {{"lr", 0.05}, {"amsgrad", 1}, {"weight_decay", 0.1}, kEps}, {}}, {}, image_net},
      {"image_clip_norm", 9, sgd, by_norm, image_net},
      {"image_clip_value", 9, sgd, by_value, image_net},
      {"sequence", 7, sgd, {}, sequence_net},
      {"branches", 6, sgd, {}, branches_net},
      {"logistic", 10, sgd, {}, logistic_net},
  };
  std::vector<ConformanceCase> cases;
  for (const Recipe& recipe : recipes) cases.push_back(training(recipe));
  return cases;
}

}  // namespace netc::test
