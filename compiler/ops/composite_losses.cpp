// Losses that need care to be stable, one value a sample (or an element). Sums over the batch are explicit nodes.
#include "compiler/ops/body.h"
#include "compiler/ops/composite.h"

namespace netc {

namespace {

double label_smoothing(const Node& node) {
  return node.attributes.contains("label_smoothing") ? float_attribute(node.attributes, "label_smoothing") : 0.0;
}

// The type of a loss over the last axis of logits.
std::optional<TensorType> per_position(const TensorType& logits) {
  if (logits.shape.empty() || !is_floating(logits.dtype)) return std::nullopt;
  TensorType type = logits;
  type.shape.pop_back();
  return type;
}

// t mixed with the uniform distribution: t * (1 - smoothing) + smoothing / classes.
NodeId smoothed(GraphBuilder& b, NodeId target, double smoothing) {
  if (smoothing == 0) return target;
  const auto classes = static_cast<double>(b.type(target).shape.back());
  return b.add(b.mul(target, b.constant(1 - smoothing)), b.constant(smoothing / classes));
}

NodeId one_hot_like(GraphBuilder& b, NodeId ids, NodeId logits) {
  return b.op("one_hot", {ids}, {{"classes", b.type(logits).shape.back()}});
}

// Against a distribution. A share of 0 adds nothing even where the logit is minus infinity.
OpRow cross_entropy_row() {
  OpRow row;
  row.name = "cross_entropy";
  row.summary = "-sum of target * log_softmax(logits) over the last axis; attribute `label_smoothing`";
  row.family = OpFamily::composite;
  row.arity = 2;
  row.domain = {SampleDomain{}, SampleDomain{0.05, 1, {}}};
  row.type = [](Types inputs, const Attributes&) -> std::optional<TensorType> {
    if (inputs[0] != inputs[1]) return std::nullopt;
    return per_position(inputs[0]);
  };
  row.expand = [](GraphBuilder& b, NodeId node) {
    const NodeId logits = b.node(node).inputs[0];
    const NodeId target = smoothed(b, b.node(node).inputs[1], label_smoothing(b.node(node)));
    const NodeId shifted = shifted_logits(b, logits);
    const NodeId log_share = b.sub(shifted, spread(b, log_of_sum(b, shifted), shifted));
    const NodeId absent = b.op("eq", {target, b.constant(0)});
    const NodeId terms = b.op("select", {absent, b.constant(0), b.mul(target, log_share)});
    const auto last = static_cast<int64_t>(b.type(logits).shape.size()) - 1;
    return b.neg(b.reduce_sum(terms, {last}));
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId logits = b.node(y).inputs[0], target = b.node(y).inputs[1];
    const double smoothing = label_smoothing(b.node(y));
    const NodeId mixed = smoothed(b, target, smoothing);
    const NodeId each = spread(b, g, logits);
    const NodeId excess = b.sub(b.mul(b.op("softmax", {logits}), spread_sum(b, mixed)), mixed);
    const NodeId surprise = b.mul(b.op("log_softmax", {logits}), b.constant(smoothing - 1));
    return {b.mul(excess, each), b.mul(surprise, each)};
  };
  return row;
}

// Logits against class numbers, one for each line.
std::optional<TensorType> class_type(Types inputs, const Attributes&) {
  const std::optional<TensorType> type = per_position(inputs[0]);
  if (!type || inputs[1].dtype != DType::i32) return std::nullopt;
  if (inputs[1].shape != type->shape || inputs[1].batched != type->batched) return std::nullopt;
  return type;
}

OpRow cross_entropy_classes_row() {
  OpRow row;
  row.name = "cross_entropy_classes";
  row.summary = "-log_softmax(logits) at the class that ids name; attribute `label_smoothing`";
  row.family = OpFamily::composite;
  row.arity = 2;
  row.type = class_type;
  // With s the shifted logits: log(sum exp s) - s[id]. Picking by select, not by multiplication with the one-hot
  // vector, keeps a logit of minus infinity at another class harmless.
  row.expand = [](GraphBuilder& b, NodeId node) {
    const NodeId logits = b.node(node).inputs[0], ids = b.node(node).inputs[1];
    const double smoothing = label_smoothing(b.node(node));
    const auto last = static_cast<int64_t>(b.type(logits).shape.size()) - 1;
    const auto classes = static_cast<double>(b.type(logits).shape.back());
    const NodeId shifted = shifted_logits(b, logits);
    const NodeId named = b.op("eq", {one_hot_like(b, ids, logits), b.constant(1)});
    NodeId picked = b.reduce_sum(b.op("select", {named, shifted, b.constant(0)}), {last});
    if (smoothing != 0) {
      const NodeId uniform = b.mul(b.reduce_sum(shifted, {last}), b.constant(smoothing / classes));
      picked = b.add(b.mul(picked, b.constant(1 - smoothing)), uniform);
    }
    return b.sub(log_of_sum(b, shifted), picked);
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId logits = b.node(y).inputs[0], ids = b.node(y).inputs[1];
    const NodeId target = smoothed(b, one_hot_like(b, ids, logits), label_smoothing(b.node(y)));
    const NodeId excess = b.sub(b.op("softmax", {logits}), target);
    return {b.mul(excess, spread(b, g, logits)), kNoNode};
  };
  return row;
}

// Pointwise, of one logit: max(z, 0) - z t + log1p(exp(-|z|)) overflows for no z.
OpRow binary_cross_entropy_row() {
  OpRow row;
  row.name = "binary_cross_entropy";
  row.summary = "-t log sigmoid(z) - (1 - t) log sigmoid(-z) of a logit z and a target t in 0 .. 1";
  row.arity = 2;
  row.type = arithmetic_type;
  row.domain = {SampleDomain{-3, 3, {}}, SampleDomain{0, 1, {}}};
  row.body = [](Kernel& kernel, std::span<const ExprId> arguments, const Attributes&) {
    const body::Value z{&kernel, arguments[0]}, t{&kernel, arguments[1]};
    return (body::max(z, 0) - z * t + body::log1p(body::exp(-body::abs(z)))).id;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId z = b.node(y).inputs[0], t = b.node(y).inputs[1];
    const NodeId to_z = operand_cotangent(b, z, [&] { return b.mul(g, b.sub(b.op("sigmoid", {z}), t)); });
    const NodeId to_t = operand_cotangent(b, t, [&] { return b.neg(b.mul(g, z)); });
    return {to_z, to_t};
  };
  return row;
}

// The metric behind accuracy (k = 1) and top_k. Ties at the border share the places that are left, so that a net whose
// outputs are all equal scores k / classes and not 1. A NaN among the logits is never a hit.
OpRow top_k_hit_row() {
  OpRow row;
  row.name = "top_k_hit";
  row.summary = "1 if the class that ids name is among the `k` largest logits, else 0; ties share what is left";
  row.family = OpFamily::composite;
  row.arity = 2;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    return int_attribute(attributes, "k") > 0 ? class_type(inputs, attributes) : std::nullopt;
  };
  row.expand = [](GraphBuilder& b, NodeId node) {
    const NodeId logits = b.node(node).inputs[0], ids = b.node(node).inputs[1];
    const auto k = static_cast<double>(int_attribute(b.node(node).attributes, "k"));
    const auto last = static_cast<int64_t>(b.type(logits).shape.size()) - 1;
    const auto count = [&](NodeId condition) {
      return b.reduce_sum(b.op("select", {condition, b.constant(1), b.constant(0)}), {last});
    };
    const NodeId named = b.op("eq", {one_hot_like(b, ids, logits), b.constant(1)});
    const NodeId own = spread(b, b.reduce_sum(b.op("select", {named, logits, b.constant(0)}), {last}), logits);
    const NodeId not_above = b.op("le", {logits, own});
    const NodeId above = count(b.op("logical_not", {not_above}));
    const NodeId level = count(b.op("eq", {logits, own}));
    const NodeId places = b.div(b.sub(b.constant(k), above), b.op("max", {level, b.constant(1)}));
    return b.op("min", {b.op("max", {places, b.constant(0)}), b.constant(1)});
  };
  return row;
}

}  // namespace

void append_losses(std::vector<OpRow>& rows) {
  rows.push_back(cross_entropy_row());
  rows.push_back(cross_entropy_classes_row());
  rows.push_back(binary_cross_entropy_row());
  rows.push_back(top_k_hit_row());
}

}  // namespace netc
