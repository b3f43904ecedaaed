// Layers that bring values to one scale, and those that disturb them in training.
#include <cstdio>

#include "compiler/layers/rows.h"

namespace netc::layers {
namespace {

constexpr Initializer kOnes{Initializer::Kind::ones, 0, 0, false};
constexpr Initializer kZeros{Initializer::Kind::zeros, 0, 0, false};

// Multiplies by a weight and adds a bias along the last axis, each if asked for.
NodeId scale_and_shift(LayerCall& call, NodeId x, bool scale, bool shift) {
  const Shape shape = call.b.type(x).shape;
  const int64_t last = static_cast<int64_t>(shape.size()) - 1;
  if (scale) {
    const NodeId weight = call.weight("weight", {shape.back()}, kOnes);
    if (weight == kNoNode) return kNoNode;
    x = call.b.mul(x, call.b.expand_like(weight, x, {last}));
  }
  if (shift) {
    const NodeId bias = call.weight("bias", {shape.back()}, kZeros);
    if (bias == kNoNode) return kNoNode;
    x = call.b.add(x, call.b.expand_like(bias, x, {last}));
  }
  return x;
}

// The order that swaps `axis` with the last one; its own inverse. Empty if it is the last one.
std::vector<int64_t> to_last(int64_t axis, int64_t rank) {
  std::vector<int64_t> order;
  if (axis == rank - 1) return order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i == axis ? rank - 1 : i == rank - 1 ? axis : i);
  return order;
}

NodeId turn(GraphBuilder& b, NodeId x, const std::vector<int64_t>& order) {
  return order.empty() ? x : b.op("transpose", {x}, {{"order", order}});
}

// x / sqrt(sum of squares over the last axis + eps)
NodeId divide_by_length(GraphBuilder& b, NodeId x, double eps) {
  const int64_t rank = static_cast<int64_t>(b.type(x).shape.size());
  const NodeId squares = b.reduce_sum(b.mul(x, x), {rank - 1});
  const NodeId factor = b.op("rsqrt", {b.add(squares, b.constant(eps))});
  std::vector<int64_t> kept;
  for (int64_t i = 0; i + 1 < rank; ++i) kept.push_back(i);
  return b.mul(x, b.expand_like(factor, x, kept));
}

Nodes layer_norm(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., C]")) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  const auto order = to_last(*axis, static_cast<int64_t>(call.shape().size()));
  const NodeId x = call.b.op("normalize", {turn(call.b, call.in(), order)}, {{"eps", call.arguments.number("eps")}});
  const NodeId y = scale_and_shift(call, x, call.arguments.flag("scale"), call.arguments.flag("shift"));
  return y == kNoNode ? Nodes{} : Nodes{turn(call.b, y, order)};
}

Nodes rms_norm(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., C]")) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  const auto order = to_last(*axis, static_cast<int64_t>(call.shape().size()));
  const NodeId x = call.b.op("rms_normalize", {turn(call.b, call.in(), order)}, {{"eps", call.arguments.number("eps")}});
  const NodeId y = scale_and_shift(call, x, call.arguments.flag("scale"), false);
  return y == kNoNode ? Nodes{} : Nodes{turn(call.b, y, order)};
}

Nodes l2_normalize(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., D]")) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  const auto order = to_last(*axis, static_cast<int64_t>(call.shape().size()));
  const NodeId x = divide_by_length(call.b, turn(call.b, call.in(), order), call.arguments.number("eps"));
  return {turn(call.b, x, order)};
}

Nodes batch_norm(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., C]")) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  const double momentum = call.arguments.number("momentum");
  if (momentum < 0.5 && call.arguments.given("momentum")) {
    char kept[32], other[32];
    std::snprintf(kept, sizeof kept, "%g", momentum);
    std::snprintf(other, sizeof other, "%g", 1 - momentum);
    call.warning(Code::W1105, call.arguments.span("momentum"),
                 std::string("momentum ") + kept + " keeps " + kept + " of the old value; PyTorch's " + kept +
                     " means " + other + " here")
        .fix("the same speed as there", call.arguments.span("momentum"), other, Confidence::guess);
  }
  const int64_t channels = call.shape()[static_cast<size_t>(*axis)];
  std::vector<NodeId> operands{call.in()};
  if (call.arguments.flag("scale")) operands.push_back(call.weight("weight", {channels}, kOnes));
  if (call.arguments.flag("shift")) operands.push_back(call.weight("bias", {channels}, kZeros));
  operands.push_back(call.weight("running_mean", {channels}, kZeros, false));
  operands.push_back(call.weight("running_var", {channels}, kOnes, false));
  for (NodeId operand : operands)
    if (operand == kNoNode) return {};
  return {call.unavailable(call.type(), std::move(operands))};
}

Nodes group_norm(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., C]")) return {};
  const int64_t channels = call.shape().back(), groups = call.arguments.integer("groups");
  if (channels % groups != 0) {
    Diagnostic& d = call.error_at(Code::N0410, "groups",
                                  std::to_string(channels) + " channels do not divide into " + std::to_string(groups) +
                                      " groups");
    d.note(divisors_note(channels));
    return {};
  }
  std::vector<NodeId> operands{call.in()};
  if (call.arguments.flag("scale")) operands.push_back(call.weight("weight", {channels}, kOnes));
  if (call.arguments.flag("shift")) operands.push_back(call.weight("bias", {channels}, kZeros));
  for (NodeId operand : operands)
    if (operand == kNoNode) return {};
  return {call.unavailable(call.type(), std::move(operands))};
}

Nodes dropout(LayerCall& call) {
  if (!call.is_float()) return {};
  const double rate = call.arguments.number("rate");
  if (rate > 0.5) {
    char percent[32];
    std::snprintf(percent, sizeof percent, "%g%%", rate * 100);
    call.warning(Code::W1112, call.arguments.span("rate"), std::string(percent) + " of the values are dropped")
        .help("the rate is the share that is dropped, not the share to keep");
  }
  return {call.b.op("dropout", {call.in()}, {{"rate", rate}, {"stream", call.stream}})};
}

Nodes noise(LayerCall& call) {
  if (!call.is_float()) return {};
  return {call.unavailable(call.type(), {call.in()})};
}

}  // namespace

std::vector<LayerRow> normalization_rows() {
  const ParameterRow axis = integer("axis", "-1"), scale = flag("scale", "true"), shift = flag("shift", "true");
  return {
      not_yet(row("batch_norm", "To mean 0 and variance 1 over the batch, with running values for evaluation.", "same",
                  {documented(number_in("momentum", "0.9", 0, 1), "share of the OLD running value that is kept"),
                   positive("eps", "1e-5"), scale, shift, axis},
                  batch_norm)),
      row("layer_norm", "To mean 0 and variance 1 along an axis of each sample.", "same",
          {positive("eps", "1e-5"), scale, shift, axis}, layer_norm),
      not_yet(row("group_norm", "To mean 0 and variance 1 in groups of channels.", "same",
                  {required(integer("groups", "", 1)), positive("eps", "1e-5"), scale, shift}, group_norm, {"groups"})),
      row("rms_norm", "Divides by the root mean square along an axis.", "same", {positive("eps", "1e-6"), scale, axis},
          rms_norm),
      row("l2_normalize", "To length 1 along an axis.", "same", {axis, positive("eps", "1e-12")}, l2_normalize),
      row("dropout", "In training sets a share of the values to 0 and scales the rest up; nothing in evaluation.",
          "same", {required(share_below_one("rate"))}, dropout, {"rate"}),
      not_yet(row("spatial_dropout", "dropout of whole channels", "same", {required(share_below_one("rate"))}, noise,
                  {"rate"})),
      not_yet(row("gaussian_noise", "In training adds normal noise.", "same", {required(not_negative("std"))}, noise,
                  {"std"})),
  };
}

}  // namespace netc::layers
