#include "compiler/layers/losses.h"

#include <numeric>

#include "compiler/layers/rows.h"

namespace netc {

NodeId mean_of_elements(GraphBuilder& b, NodeId x) {
  const Shape shape = b.type(x).shape;
  if (shape.empty()) return x;
  std::vector<int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return b.mul(b.reduce_sum(x, axes), b.constant(1 / static_cast<double>(element_count(shape))));
}

bool are_logits(LayerCall& call, const char* argument) {
  const TensorArgument& tensor = *call.arguments.as<TensorArgument>(argument);
  const Node& node = call.b.node(tensor.node);
  if (node.op != "softmax" && node.op != "log_softmax" && node.op != "sigmoid") return true;
  const std::string layer = node.op;
  const Span made_at = node.span;
  const std::string before = call.name_of(node.inputs.at(0));
  Diagnostic& d = call.error(Code::N0603, call.arguments.span(argument),
                             "`" + call.name() + "` takes logits, but `" + tensor.name + "` already went through " + layer,
                             "probabilities where logits belong");
  d.label(made_at, layer + " is here");
  if (!before.empty())
    d.fix("use the value before the " + layer, call.arguments.span(argument), before, Confidence::certain);
  else
    d.help("use the value before the " + layer + "; the " + layer + " may stay as a second output");
  return false;
}

bool prediction_and_target(LayerCall& call, const char* first, const char* second, NodeId* prediction, NodeId* target,
                           bool binary_classes) {
  *prediction = call.arguments.as<TensorArgument>(first)->node;
  *target = call.arguments.as<TensorArgument>(second)->node;
  const TensorType p = call.b.type(*prediction), t = call.b.type(*target);
  const bool class_target = binary_classes && t.classes == 2;
  if (!is_floating(p.dtype) || (!is_floating(t.dtype) && !class_target)) {
    const bool first_wrong = !is_floating(p.dtype);
    const TensorType& wrong = first_wrong ? p : t;
    call.error(Code::N0406, call.arguments.span(first_wrong ? first : second),
               "`" + call.name() + "` computes in floating point, this is " + to_string(wrong));
    return false;
  }
  if (p.shape != t.shape) {
    Diagnostic& d = call.error(Code::N0602, call.arguments.span(first),
                               "`" + call.name() + "`: " + to_string(p) + " against " + to_string(t), to_string(p));
    d.label(call.arguments.span(second), to_string(t));
    if (p.shape.size() == t.shape.size() + 1 && p.shape.back() == 1) d.help("drop the axis of size 1 with `squeeze`");
    else if (!t.shape.empty()) d.help("the last layer should give " + to_string(TensorType{p.dtype, t.shape, true, 0}));
    return false;
  }
  if (class_target) *target = call.b.op("cast", {*target}, {{"dtype", std::string("f32")}});
  return true;
}

bool logits_and_target(LayerCall& call, NodeId* logits, NodeId* target, bool distributions) {
  *logits = call.arguments.as<TensorArgument>("logits")->node;
  *target = call.arguments.as<TensorArgument>("target")->node;
  if (!are_logits(call, "logits")) return false;
  const TensorType l = call.b.type(*logits), t = call.b.type(*target);
  const Span logits_span = call.arguments.span("logits"), target_span = call.arguments.span("target");
  if (!is_floating(l.dtype)) {
    call.error(Code::N0406, logits_span, "`" + call.name() + "` computes in floating point, this is " + to_string(l));
    return false;
  }
  if (t.classes == 0 && !(distributions && is_floating(t.dtype))) {
    const bool is_loss = distributions;
    call.error(is_loss ? Code::N0602 : Code::N0612, target_span,
               is_loss ? "`" + call.name() + "`: " + to_string(l) + " against " + to_string(t)
                       : "`" + call.name() + "` is for classes, this target is " + to_string(t))
        .help(is_loss ? "declare the field as `class(N)`" : "for numbers there are `mse`, `rmse` and `mae`");
    return false;
  }
  Shape wanted = t.shape;
  if (t.classes > 0) wanted.push_back(t.classes);
  if (l.shape == wanted) return true;
  Diagnostic& d = call.error(Code::N0602, logits_span,
                             "`" + call.name() + "`: " + to_string(l) + " against " + to_string(t), to_string(l));
  d.label(target_span, to_string(t));
  const TensorType fitting{l.dtype, wanted, true, 0};
  if (!l.shape.empty() && !wanted.empty() && l.shape.size() == wanted.size() && l.shape.back() != wanted.back())
    d.help("the last layer should have " + std::to_string(wanted.back()) + " units: the value is then " + to_string(fitting));
  else
    d.help("the logits should be " + to_string(fitting));
  return false;
}

namespace {

using layers::Nodes;
using layers::not_yet;
using layers::row;

bool has_mask(LayerCall& call) { return call.row.find("mask") && call.arguments.has("mask"); }

// A loss that is known by its name and shapes only.
NodeId one_per_sample(LayerCall& call, std::vector<NodeId> operands) {
  return call.unavailable(TensorType{DType::f32, {}, true, 0}, std::move(operands));
}

Nodes cross_entropy(LayerCall& call) {
  NodeId logits = kNoNode, target = kNoNode;
  if (!logits_and_target(call, &logits, &target, true)) return {};
  if (has_mask(call) || call.arguments.has("weights")) return {one_per_sample(call, {logits, target})};
  Attributes attributes;
  const double smoothing = call.arguments.number("label_smoothing");
  if (smoothing != 0) attributes["label_smoothing"] = smoothing;
  const bool classes = call.b.type(target).classes > 0;
  const NodeId each = call.b.op(classes ? "cross_entropy_classes" : "cross_entropy", {logits, target}, attributes);
  return {mean_of_elements(call.b, each)};
}

Nodes binary_cross_entropy(LayerCall& call) {
  NodeId z = kNoNode, t = kNoNode;
  if (!are_logits(call, "logits") || !prediction_and_target(call, "logits", "target", &z, &t, true)) return {};
  if (has_mask(call)) return {one_per_sample(call, {z, t})};
  GraphBuilder& b = call.b;
  const double smoothing = call.arguments.number("label_smoothing"), weight = call.arguments.number("positive_weight");
  if (smoothing != 0) t = b.add(b.mul(t, b.constant(1 - smoothing)), b.constant(smoothing / 2));
  if (weight == 1) return {mean_of_elements(b, b.op("binary_cross_entropy", {z, t}))};
  const NodeId positive = b.mul(b.mul(t, b.constant(weight)), b.op("softplus", {b.neg(z)}));
  const NodeId negative = b.mul(b.sub(b.constant(1), t), b.op("softplus", {z}));
  return {mean_of_elements(b, b.add(positive, negative))};
}

// mse, mae, huber, log_cosh: a function of the difference.
Nodes of_difference(LayerCall& call) {
  NodeId p = kNoNode, t = kNoNode;
  if (!prediction_and_target(call, "prediction", "target", &p, &t)) return {};
  if (has_mask(call)) return {one_per_sample(call, {p, t})};
  GraphBuilder& b = call.b;
  const NodeId d = b.sub(p, t);
  if (call.name() == "mse") return {mean_of_elements(b, b.mul(d, d))};
  if (call.name() == "mae") return {mean_of_elements(b, b.op("abs", {d}))};
  if (call.name() == "log_cosh") {   // |d| + log1p(exp(-2 |d|)) - log 2
    const NodeId size = b.op("abs", {d});
    const NodeId tail = b.op("log1p", {b.op("exp", {b.mul(size, b.constant(-2))})});
    return {mean_of_elements(b, b.sub(b.add(size, tail), b.constant(0.69314718055994531)))};
  }
  // huber: with m = min(|d|, delta): m * (|d| - m / 2)
  const NodeId size = b.op("abs", {d});
  const NodeId inner = b.op("min", {size, b.constant(call.arguments.number("delta"))});
  return {mean_of_elements(b, b.mul(inner, b.sub(size, b.mul(inner, b.constant(0.5)))))};
}

// Two values of equal shape, without an op yet.
Nodes two_equal(LayerCall& call) {
  NodeId p = kNoNode, t = kNoNode;
  const std::string first = call.row.parameters[0].name, second = call.row.parameters[1].name;
  if (!prediction_and_target(call, first.c_str(), second.c_str(), &p, &t, true)) return {};
  return {one_per_sample(call, {p, t})};
}

Nodes any_shapes(LayerCall& call) {
  std::vector<NodeId> operands;
  for (const ParameterRow& parameter : call.row.parameters)
    if (const auto* tensor = call.arguments.as<TensorArgument>(parameter.name)) operands.push_back(tensor->node);
  return {one_per_sample(call, std::move(operands))};
}

Nodes logits_only(LayerCall& call) {
  NodeId logits = kNoNode, target = kNoNode;
  if (!logits_and_target(call, &logits, &target, true)) return {};
  return {one_per_sample(call, {logits, target})};
}

ParameterRow tensor(std::string name) { return required(other(std::move(name), ParameterKind::tensor)); }

LayerRow loss(std::string name, std::string summary, std::vector<ParameterRow> parameters, Nodes (*build)(LayerCall&)) {
  return row(std::move(name), std::move(summary), "one value a sample", std::move(parameters), build, {}, 0);
}

std::vector<LayerRow> make_losses() {
  const ParameterRow logits = tensor("logits"), target = tensor("target"), prediction = tensor("prediction");
  const ParameterRow mask = other("mask", ParameterKind::tensor, "none");
  const ParameterRow smoothing = share_below_one("label_smoothing", "0.0");
  return {
      loss("cross_entropy", "Of logits against class(C) or a distribution f32[C]; the first argument is LOGITS, always.",
           {logits, target, smoothing, other("weights", ParameterKind::numbers, "none"), mask}, cross_entropy),
      loss("binary_cross_entropy", "Of logits of any shape against 0 and 1.",
           {logits, target, smoothing, positive("positive_weight", "1.0"), mask}, binary_cross_entropy),
      not_yet(loss("focal", "Cross-entropy with less weight on easy samples.",
                   {logits, target, not_negative("gamma", "2.0"), number_in("alpha", "0.25", 0, 1)}, logits_only)),
      loss("mse", "The mean square of the difference.", {prediction, target, mask}, of_difference),
      loss("mae", "The mean absolute difference.", {prediction, target, mask}, of_difference),
      loss("huber", "Square up to delta, linear beyond.", {prediction, target, positive("delta", "1.0"), mask},
           of_difference),
      loss("log_cosh", "The logarithm of cosh of the difference.", {prediction, target}, of_difference),
      not_yet(loss("poisson", "Of the log of a rate against counts.", {tensor("log_rate"), target}, two_equal)),
      not_yet(loss("gaussian_nll", "Of a mean and a log variance.", {tensor("mean"), tensor("log_variance"), target},
                   any_shapes)),
      not_yet(loss("hinge", "Of scores against class(2) or -1 and +1.", {tensor("score"), target}, two_equal)),
      not_yet(loss("kl_divergence", "KL(target || softmax(logits)).", {logits, target}, logits_only)),
      not_yet(loss("kl_normal", "Of a normal distribution against N(0, 1).", {tensor("mean"), tensor("log_variance")},
                   two_equal)),
      not_yet(loss("contrastive", "Pulls equal pairs together; target 1 = same.",
                   {tensor("distance"), target, positive("margin", "1.0")}, two_equal)),
      not_yet(loss("triplet", "An anchor nearer to the positive than to the negative.",
                   {tensor("anchor"), tensor("positive"), tensor("negative"), positive("margin", "1.0")}, any_shapes)),
      not_yet(loss("cosine_distance", "1 - cosine.", {tensor("a"), tensor("b")}, two_equal)),
      not_yet(loss("dice", "The overlap of masks.", {logits, target, positive("smooth", "1.0")}, two_equal)),
      not_yet(loss("ctc", "Of sequences without alignment.", {logits, target, integer("blank", "0", 0)}, any_shapes)),
  };
}

const LayerRow* find_in(const std::vector<LayerRow>& table, const std::string& name) {
  for (const LayerRow& candidate : table)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

}  // namespace

const std::vector<LayerRow>& loss_table() {
  static const std::vector<LayerRow> table = make_losses();
  return table;
}

const LayerRow* find_loss(const std::string& name) { return find_in(loss_table(), name); }
const LayerRow* find_metric(const std::string& name) { return find_in(metric_table(), name); }

}  // namespace netc
