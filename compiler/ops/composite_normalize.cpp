// Normalisation over the last axis, without scale and shift: layers multiply and add those as ordinary pointwise ops.
#include "compiler/ops/composite.h"

namespace netc {

namespace {

// 1 / sqrt(mean of squares over the last axis + eps), spread over that axis.
NodeId inverse_root_mean_square(GraphBuilder& b, NodeId x, double eps) {
  const auto last = static_cast<int64_t>(b.type(x).shape.size()) - 1;
  const double share = 1.0 / static_cast<double>(b.type(x).shape.back());
  const NodeId mean = b.mul(b.reduce_sum(b.mul(x, x), {last}), b.constant(share));
  return spread(b, b.op("rsqrt", {b.add(mean, b.constant(eps))}), x);
}

std::optional<TensorType> normalized_type(Types inputs, const Attributes& attributes) {
  if (!(float_attribute(attributes, "eps") >= 0)) return std::nullopt;
  return last_axis_type(inputs, attributes);
}

}  // namespace

void append_normalize(std::vector<OpRow>& rows) {
  OpRow normalize;
  normalize.name = "normalize";
  normalize.summary = "mean 0 and variance 1 over the last axis; attribute `eps` is added to the variance";
  normalize.family = OpFamily::composite;
  normalize.type = normalized_type;
  normalize.expand = [](GraphBuilder& b, NodeId node) {
    const double eps = float_attribute(b.node(node).attributes, "eps");
    const NodeId x = b.node(node).inputs[0];
    const NodeId centered = b.sub(x, spread_mean(b, x));
    return b.mul(centered, inverse_root_mean_square(b, centered, eps));
  };
  normalize.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const double eps = float_attribute(b.node(y).attributes, "eps");
    const NodeId x = b.node(y).inputs[0];
    const NodeId scale = inverse_root_mean_square(b, b.sub(x, spread_mean(b, x)), eps);
    const NodeId along_y = b.mul(y, spread_mean(b, b.mul(g, y)));
    return {b.mul(scale, b.sub(b.sub(g, spread_mean(b, g)), along_y))};
  };
  rows.push_back(std::move(normalize));

  OpRow rms;
  rms.name = "rms_normalize";
  rms.summary = "mean of squares 1 over the last axis; attribute `eps` is added to it";
  rms.family = OpFamily::composite;
  rms.type = normalized_type;
  rms.expand = [](GraphBuilder& b, NodeId node) {
    const double eps = float_attribute(b.node(node).attributes, "eps");
    const NodeId x = b.node(node).inputs[0];
    return b.mul(x, inverse_root_mean_square(b, x, eps));
  };
  rms.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const double eps = float_attribute(b.node(y).attributes, "eps");
    const NodeId x = b.node(y).inputs[0];
    const NodeId scale = inverse_root_mean_square(b, x, eps);
    return {b.mul(scale, b.sub(g, b.mul(y, spread_mean(b, b.mul(g, y)))))};
  };
  rows.push_back(std::move(rms));
}

}  // namespace netc
