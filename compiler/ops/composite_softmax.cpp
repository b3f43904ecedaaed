// softmax and log_softmax over the last axis, and the pieces of them that the losses use too. The pieces are built the
// same way everywhere, so that share() finds forward and backward computing the same thing.
#include "compiler/ops/composite.h"

namespace netc {

NodeId shifted_logits(GraphBuilder& b, NodeId logits) {
  const auto last = static_cast<int64_t>(b.type(logits).shape.size()) - 1;
  const NodeId largest = b.op("reduce_max", {logits}, {{"axes", std::vector<int64_t>{last}}, {"batch", false}});
  return b.sub(logits, spread(b, largest, logits));
}

NodeId log_of_sum(GraphBuilder& b, NodeId shifted) {
  const auto last = static_cast<int64_t>(b.type(shifted).shape.size()) - 1;
  return b.op("log", {b.reduce_sum(b.op("exp", {shifted}), {last})});
}

std::optional<TensorType> last_axis_type(Types inputs, const Attributes&) {
  if (inputs[0].shape.empty() || !is_floating(inputs[0].dtype)) return std::nullopt;
  return inputs[0];
}

void append_softmax(std::vector<OpRow>& rows) {
  OpRow softmax;
  softmax.name = "softmax";
  softmax.summary = "exp(x) as shares of its sum over the last axis";
  softmax.family = OpFamily::composite;
  softmax.type = last_axis_type;
  softmax.expand = [](GraphBuilder& b, NodeId node) {
    const NodeId shifted = shifted_logits(b, b.node(node).inputs[0]);
    const NodeId raised = b.op("exp", {shifted});
    const auto last = static_cast<int64_t>(b.type(shifted).shape.size()) - 1;
    return b.mul(raised, spread(b, b.op("reciprocal", {b.reduce_sum(raised, {last})}), shifted));
  };
  softmax.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    return {b.mul(y, b.sub(g, spread_sum(b, b.mul(g, y))))};
  };
  rows.push_back(std::move(softmax));

  OpRow log_softmax;
  log_softmax.name = "log_softmax";
  log_softmax.summary = "the logarithm of softmax over the last axis";
  log_softmax.family = OpFamily::composite;
  log_softmax.type = last_axis_type;
  log_softmax.expand = [](GraphBuilder& b, NodeId node) {
    const NodeId shifted = shifted_logits(b, b.node(node).inputs[0]);
    return b.sub(shifted, spread(b, log_of_sum(b, shifted), shifted));
  };
  log_softmax.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId x = b.node(y).inputs[0];
    return {b.sub(g, b.mul(b.op("softmax", {x}), spread_sum(b, g)))};
  };
  rows.push_back(std::move(log_softmax));
}

}  // namespace netc
