#include "compiler/autodiff/clip.h"

namespace netc {

namespace {

// Summed axis by axis from the last, so that long sums are sums of row sums: less rounding, and work to share out.
NodeId sum_of_squares(GraphBuilder& b, NodeId gradient) {
  NodeId sum = b.mul(gradient, gradient);
  while (!b.type(sum).shape.empty()) sum = b.reduce_sum(sum, {static_cast<int64_t>(b.type(sum).shape.size()) - 1});
  return sum;
}

NodeId global_norm_factor(GraphBuilder& b, std::span<const ParameterGradient> gradients, double limit) {
  NodeId total = kNoNode;
  for (const ParameterGradient& entry : gradients) {
    const NodeId sum = sum_of_squares(b, entry.gradient);
    total = total == kNoNode ? sum : b.add(total, sum);
  }
  const NodeId norm = b.op("sqrt", {total});
  return b.op("min", {b.div(b.constant(limit), b.add(norm, b.constant(1e-6))), b.constant(1)});
}

}  // namespace

std::vector<ParameterGradient> clipped(GraphBuilder& b, std::span<const ParameterGradient> gradients,
                                       const ClipSpec& clip) {
  std::vector<ParameterGradient> result(gradients.begin(), gradients.end());
  if (clip.kind == ClipSpec::Kind::none || gradients.empty()) return result;
  b.named("clip");
  if (clip.kind == ClipSpec::Kind::global_norm) {
    const NodeId factor = global_norm_factor(b, gradients, clip.limit);
    for (ParameterGradient& entry : result) entry.gradient = b.mul(entry.gradient, factor);
  } else {
    for (ParameterGradient& entry : result) {
      const NodeId below = b.op("min", {entry.gradient, b.constant(clip.limit)});
      entry.gradient = b.op("max", {below, b.constant(-clip.limit)});
    }
  }
  return result;
}

}  // namespace netc
