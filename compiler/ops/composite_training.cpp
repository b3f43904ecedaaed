// Rows that mean something only while training: dropout and stop_gradient. In evaluation both are the identity.
#include "compiler/ops/rows.h"

namespace netc {

void append_training(std::vector<OpRow>& rows) {
  // Linear and its own transpose: the gradient is the same dropout, with the same draws, of the cotangent. Dropped
  // elements are multiplied by 0, so that NaN passes through.
  OpRow dropout;
  dropout.name = "dropout";
  dropout.summary = "drops a share of `rate`, drawn from `stream`, and scales the rest by 1 / (1 - rate)";
  dropout.family = OpFamily::composite;
  dropout.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const double rate = float_attribute(attributes, "rate");
    if (!(rate >= 0 && rate < 1) || int_attribute(attributes, "stream") < 0) return std::nullopt;
    return arithmetic_type(inputs, attributes);
  };
  dropout.expand = [](GraphBuilder& b, NodeId node) {
    const Node drop = b.node(node);
    const double rate = float_attribute(drop.attributes, "rate");
    if (rate == 0) return drop.inputs[0];
    Attributes draw = drop.attributes;
    draw["shape"] = drop.type.shape;
    draw["batched"] = drop.type.batched;
    const NodeId kept = b.op("random", {}, std::move(draw));
    return b.mul(drop.inputs[0], b.mul(kept, b.constant(1 / (1 - rate))));
  };
  dropout.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    return {b.op("dropout", {g}, Attributes(b.node(y).attributes))};
  };
  rows.push_back(std::move(dropout));

  OpRow stop;
  stop.name = "stop_gradient";
  stop.summary = "the input, which gets no gradient";
  stop.family = OpFamily::composite;
  stop.type = same_type;
  stop.expand = [](GraphBuilder& b, NodeId node) { return b.node(node).inputs[0]; };
  rows.push_back(std::move(stop));
}

}  // namespace netc
