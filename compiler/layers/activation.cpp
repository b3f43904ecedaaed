// Activations: element by element, softmax over the last axis, and the gated ones that halve an axis.
#include "compiler/layers/rows.h"

namespace netc::layers {
namespace {

// A layer that is one pointwise op of the same name.
Nodes pointwise(LayerCall& call) {
  if (!call.is_float()) return {};
  return {call.b.op(call.name(), {call.in()})};
}

Nodes leaky_relu(LayerCall& call) {
  if (!call.is_float()) return {};
  return {call.b.op("leaky_relu", {call.in()}, {{"slope", call.arguments.number("slope")}})};
}

Nodes elu(LayerCall& call) {
  if (!call.is_float()) return {};
  return {call.b.op("elu", {call.in()}, {{"alpha", call.arguments.number("alpha")}})};
}

Nodes gelu(LayerCall& call) {
  if (!call.is_float()) return {};
  return {call.b.op(call.arguments.flag("approximate") ? "gelu_tanh" : "gelu", {call.in()})};
}

// max(x, 0) + slope * min(x, 0), one slope per channel.
Nodes prelu(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., C]")) return {};
  const Shape shape = call.shape();
  const Initializer init{Initializer::Kind::constant, call.arguments.number("init"), 0, false};
  const NodeId weight = call.weight("weight", {shape.back()}, init);
  if (weight == kNoNode) return {};
  GraphBuilder& b = call.b;
  const NodeId slope = b.expand_like(weight, call.in(), {static_cast<int64_t>(shape.size()) - 1});
  const NodeId below = b.op("min", {call.in(), b.constant(0)});
  return {b.add(b.op("relu", {call.in()}), b.mul(slope, below))};
}

// softmax and log_softmax: the op works on the last axis; another axis is brought there and back.
Nodes softmax_like(LayerCall& call) {
  if (!call.is_float()) return {};
  if (!call.has_rank_at_least(1, "[..., C]")) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  const int64_t rank = static_cast<int64_t>(call.shape().size());
  if (call.name() == "softmax" && call.shape()[static_cast<size_t>(*axis)] == 1)
    call.warning(Code::W1111, call.span, "softmax over one value is always 1").help("`sigmoid` makes a share of one value");
  if (*axis == rank - 1) return {call.b.op(call.name(), {call.in()})};
  std::vector<int64_t> order;   // swapping two axes is its own inverse
  for (int64_t i = 0; i < rank; ++i) order.push_back(i == *axis ? rank - 1 : i == rank - 1 ? *axis : i);
  const NodeId turned = call.b.op("transpose", {call.in()}, {{"order", order}});
  return {call.b.op("transpose", {call.b.op(call.name(), {turned})}, {{"order", order}})};
}

// glu: a * sigmoid(b); swiglu: silu(a) * b, where a and b are the halves of the axis.
Nodes gated(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., C]")) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  const int64_t size = call.shape()[static_cast<size_t>(*axis)];
  if (size % 2 != 0) {
    const bool is_last = *axis + 1 == static_cast<int64_t>(call.shape().size());
    call.error(Code::N0411, call.span,
               (is_last ? std::string("the last axis") : "axis " + std::to_string(*axis)) + " is " +
                   std::to_string(size) + ", `" + call.name() + "` halves it")
        .help("make it even in the layer above, " + std::to_string(size + 1) + " or " + std::to_string(size - 1));
    return {};
  }
  GraphBuilder& b = call.b;
  const auto half = [&](int64_t start) {
    return b.op("slice", {call.in()}, {{"axis", *axis}, {"start", start}, {"stop", start + size / 2}});
  };
  const NodeId first = half(0), second = half(size / 2);
  return {call.name() == "glu" ? b.mul(first, b.op("sigmoid", {second})) : b.mul(b.op("silu", {first}), second)};
}

LayerRow plain(std::string name, std::string summary) {
  return row(std::move(name), std::move(summary), "same", {}, pointwise);
}

}  // namespace

std::vector<LayerRow> activation_rows() {
  const ParameterRow axis = integer("axis", "-1");
  return {
      plain("relu", "max(x, 0)"),
      plain("relu6", "min(max(x, 0), 6)"),
      row("leaky_relu", "x where positive, slope * x elsewhere; 0.3 or 0.2 in Keras, 0.01 in PyTorch", "same",
          {required(number("slope"))}, leaky_relu, {"slope"}),
      row("prelu", "leaky_relu with one learned slope per channel", "same", {number("init", "0.25")}, prelu),
      row("elu", "x where positive, alpha * (exp(x) - 1) elsewhere", "same", {number("alpha", "1.0")}, elu),
      plain("selu", "elu scaled so that activations keep mean 0 and variance 1"),
      row("gelu", "x times the normal distribution function of x", "same",
          {documented(flag("approximate", "false"), "the tanh form instead of the exact one")}, gelu),
      plain("silu", "x * sigmoid(x), also called swish"),
      plain("mish", "x * tanh(softplus(x))"),
      plain("softplus", "log(1 + exp(x))"),
      plain("softsign", "x / (1 + |x|)"),
      plain("sigmoid", "1 / (1 + exp(-x))"),
      plain("tanh", "the hyperbolic tangent"),
      plain("hard_sigmoid", "relu6(x + 3) / 6"),
      plain("hard_silu", "x * hard_sigmoid(x)"),
      plain("exp", "e to the power of x"),
      plain("log", "the natural logarithm"),
      plain("sqrt", "the square root"),
      plain("abs", "the absolute value"),
      row("softmax", "shares that are positive and add up to 1 along an axis", "same", {axis}, softmax_like),
      row("log_softmax", "the logarithm of softmax, exact for small shares", "same", {axis}, softmax_like),
      row("glu", "halves an axis: a * sigmoid(b)", "[..., 2 C] -> [..., C]", {axis}, gated),
      row("swiglu", "halves an axis: silu(a) * b", "[..., 2 C] -> [..., C]", {axis}, gated),
  };
}

}  // namespace netc::layers
