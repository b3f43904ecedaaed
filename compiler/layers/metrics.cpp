#include "compiler/layers/losses.h"
#include "compiler/layers/rows.h"

namespace netc {
namespace {

using layers::Nodes;
using layers::not_yet;
using layers::row;

NodeId as_number(GraphBuilder& b, NodeId condition) { return b.op("cast", {condition}, {{"dtype", std::string("f32")}}); }

NodeId not_built(LayerCall& call, std::vector<NodeId> operands) {
  return call.unavailable(TensorType{DType::f32, {}, true, 0}, std::move(operands));
}

bool has_mask(LayerCall& call) { return call.row.find("mask") && call.arguments.has("mask"); }

// One logit against class(2) or 0 and 1: right if both say yes or both say no. A NaN is wrong.
Nodes binary_accuracy(LayerCall& call) {
  NodeId z = kNoNode, t = kNoNode;
  if (!prediction_and_target(call, "logits", "target", &z, &t, true)) return {};
  GraphBuilder& b = call.b;
  const NodeId yes = b.op("gt", {t, b.constant(0.5)});
  const NodeId right = b.op("select", {yes, as_number(b, b.op("gt", {z, b.constant(0)})),
                                       as_number(b, b.op("le", {z, b.constant(0)}))});
  return {mean_of_elements(b, right)};
}

Nodes accuracy(LayerCall& call) {
  const TensorType logits_type = call.b.type(call.arguments.as<TensorArgument>("logits")->node);
  const TensorType target_type = call.b.type(call.arguments.as<TensorArgument>("target")->node);
  const bool one_logit = logits_type.shape == target_type.shape && (target_type.classes == 2 || target_type.classes == 0);
  NodeId logits = call.arguments.as<TensorArgument>("logits")->node, target = kNoNode;
  if (one_logit && is_floating(logits_type.dtype)) {
    if (has_mask(call)) return {not_built(call, {logits})};
    return binary_accuracy(call);
  }
  // Probabilities have the same largest class as their logits, so softmax before accuracy is no mistake.
  target = call.arguments.as<TensorArgument>("target")->node;
  if (call.b.node(logits).op == "softmax") logits = call.b.node(logits).inputs[0];
  else if (!logits_and_target(call, &logits, &target, false)) return {};
  if (has_mask(call)) return {not_built(call, {logits, target})};
  return {mean_of_elements(call.b, call.b.op("top_k_hit", {logits, target}, {{"k", int64_t{1}}}))};
}

Nodes top_k(LayerCall& call) {
  NodeId logits = kNoNode, target = kNoNode;
  if (!logits_and_target(call, &logits, &target, false)) return {};
  return {mean_of_elements(call.b, call.b.op("top_k_hit", {logits, target}, {{"k", call.arguments.integer("k")}}))};
}

// The sum behind exp(mean): the token loss.
Nodes perplexity(LayerCall& call) {
  NodeId logits = kNoNode, target = kNoNode;
  if (!logits_and_target(call, &logits, &target, false)) return {};
  if (has_mask(call)) return {not_built(call, {logits, target})};
  return {mean_of_elements(call.b, call.b.op("cross_entropy_classes", {logits, target}))};
}

// mse and mae; rmse is the root of the mean of mse over the split, taken where it is reported.
Nodes of_difference(LayerCall& call) {
  NodeId p = kNoNode, t = kNoNode;
  if (!prediction_and_target(call, "prediction", "target", &p, &t)) return {};
  const NodeId d = call.b.sub(p, t);
  return {mean_of_elements(call.b, call.name() == "mae" ? call.b.op("abs", {d}) : call.b.mul(d, d))};
}

Nodes known_only(LayerCall& call) {
  std::vector<NodeId> operands;
  for (const ParameterRow& parameter : call.row.parameters)
    if (const auto* tensor = call.arguments.as<TensorArgument>(parameter.name)) operands.push_back(tensor->node);
  return {not_built(call, std::move(operands))};
}

ParameterRow tensor(std::string name) { return required(other(std::move(name), ParameterKind::tensor)); }

LayerRow metric(std::string name, std::string summary, std::vector<ParameterRow> parameters,
                Nodes (*build)(LayerCall&)) {
  return row(std::move(name), std::move(summary), "one value a sample", std::move(parameters), build, {}, 0);
}

std::vector<LayerRow> make_metrics() {
  const ParameterRow logits = tensor("logits"), target = tensor("target"), prediction = tensor("prediction");
  const ParameterRow mask = other("mask", ParameterKind::tensor, "none");
  const ParameterRow average = word("average", {"macro", "micro", "weighted"}, "macro");
  return {
      metric("accuracy", "The share of samples whose largest logit is the target; > 0 for a single logit.",
             {logits, target, mask}, accuracy),
      metric("top_k", "The share of samples whose target is among the k largest logits.",
             {logits, target, integer("k", "5", 1)}, top_k),
      not_yet(metric("threshold_accuracy", "The share on the right side of a threshold.",
                     {tensor("value"), target, number("below", "none"), number("above", "none")}, known_only)),
      not_yet(metric("precision", "Of what was called a class, the share that is.", {logits, target, average}, known_only)),
      not_yet(metric("recall", "Of what is a class, the share that was called it.", {logits, target, average}, known_only)),
      not_yet(metric("f1", "The harmonic mean of precision and recall.", {logits, target, average}, known_only)),
      not_yet(metric("auc", "The area under the ROC curve, exact.", {logits, target}, known_only)),
      metric("perplexity", "exp of the mean token loss.", {logits, target, mask}, perplexity),
      metric("mse", "The mean square of the difference.", {prediction, target}, of_difference),
      metric("rmse", "The root of the mean square of the difference.", {prediction, target}, of_difference),
      metric("mae", "The mean absolute difference.", {prediction, target}, of_difference),
      not_yet(metric("r2", "The share of the variance that is explained.", {prediction, target}, known_only)),
      not_yet(metric("mape", "The mean absolute difference in percent of the target.", {prediction, target}, known_only)),
      not_yet(metric("mean_iou", "The overlap of segments, mean over classes.", {logits, target}, known_only)),
      not_yet(metric("confusion", "Counts of called against true classes.", {logits, target}, known_only)),
  };
}

}  // namespace

const std::vector<LayerRow>& metric_table() {
  static const std::vector<LayerRow> table = make_metrics();
  return table;
}

}  // namespace netc
