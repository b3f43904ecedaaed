// Convolutions over [T, C], [H, W, C] and [D, H, W, C]: shapes and weights.
#include <algorithm>

#include "compiler/layers/rows.h"
#include "compiler/layers/window.h"

namespace netc::layers {
namespace {

// conv1d, conv2d, conv3d, conv2d_transpose, by the number of spatial axes.
Nodes convolution(LayerCall& call, size_t spatial, bool transposed) {
  static const char* const kAxes[] = {"", "[T, C]", "[H, W, C]", "[D, H, W, C]"};
  if (!call.is_float() || !call.has_rank(spatial + 1, kAxes[spatial])) return {};
  const Shape in = call.shape();
  const int64_t channels = in.back(), filters = call.arguments.integer("filters");
  const int64_t groups = call.arguments.integer("groups");
  if (channels % groups != 0 || filters % groups != 0) {
    const int64_t uneven = channels % groups != 0 ? channels : filters;
    call.error_at(Code::N0410, "groups",
                  std::to_string(uneven) + (uneven == channels ? " channels" : " filters") + " do not divide into " +
                      std::to_string(groups) + " groups")
        .note(divisors_note(uneven));
    return {};
  }
  const auto window = transposed ? transposed_window(call, spatial) : window_of(call, spatial, "kernel");
  if (!window) return {};
  Shape out = window->out;
  out.push_back(filters);
  Shape kernel = window->size;
  int64_t taps = 1;
  for (int64_t size : kernel) taps *= size;
  kernel.push_back(channels / groups);
  kernel.push_back(filters);
  if (!call.fits(out) || !call.fits(kernel)) return {};
  const int64_t fan_in = taps * (channels / groups), fan_out = taps * (filters / groups);
  const Initializer init = call.initializer("init", fan_in, fan_out);
  bool turned = false;
  const NodeId weight =
      call.row.find("weight") ? call.tied_weight(kernel, init, &turned) : call.weight("weight", kernel, init);
  if (weight == kNoNode) return {};
  std::vector<NodeId> operands{call.in(), weight};
  if (call.arguments.flag("bias")) {
    const NodeId bias = call.weight("bias", {filters}, call.initializer("bias_init", fan_in, fan_out));
    if (bias == kNoNode) return {};
    operands.push_back(bias);
  }
  return {call.unavailable(batched(DType::f32, out), std::move(operands))};
}

Nodes conv1d(LayerCall& call) { return convolution(call, 1, false); }
Nodes conv2d(LayerCall& call) { return convolution(call, 2, false); }
Nodes conv3d(LayerCall& call) { return convolution(call, 3, false); }
Nodes conv2d_transpose(LayerCall& call) { return convolution(call, 2, true); }

// depthwise_conv2d, and separable_conv2d, which adds a 1x1 convolution.
Nodes depthwise(LayerCall& call) {
  if (!call.is_float() || !call.has_rank(3, "[H, W, C]")) return {};
  const int64_t channels = call.shape().back(), multiplier = call.arguments.integer("multiplier");
  const auto window = window_of(call, 2, "kernel");
  if (!window || !call.fits({channels, multiplier})) return {};
  const int64_t taps = window->size[0] * window->size[1];
  const bool separable = call.row.find("filters") != nullptr;
  const int64_t inner = channels * multiplier;
  Shape out = window->out;
  out.push_back(separable ? call.arguments.integer("filters") : inner);
  const Shape kernel{window->size[0], window->size[1], channels, multiplier};
  if (!call.fits(out) || !call.fits(kernel) || !call.fits({inner, out.back()})) return {};
  std::vector<NodeId> operands{call.in()};
  operands.push_back(call.weight("weight", kernel, call.initializer("init", taps, taps * multiplier)));
  if (separable)
    operands.push_back(call.weight("pointwise", {1, 1, inner, out.back()}, call.initializer("init", inner, out.back())));
  if (call.arguments.flag("bias"))
    operands.push_back(call.weight("bias", {out.back()}, {Initializer::Kind::zeros, 0, 0, false}));
  if (std::count(operands.begin(), operands.end(), kNoNode)) return {};
  return {call.unavailable(batched(DType::f32, out), std::move(operands))};
}

LayerRow convolution_row(std::string name, std::string summary, std::string rule, Nodes (*build)(LayerCall&),
                         std::vector<std::string> padding_words) {
  ParameterRow padding = other("padding", ParameterKind::padding, "valid");
  padding.words = std::move(padding_words);
  return not_yet(row(std::move(name), std::move(summary), std::move(rule),
                     {required(integer("filters", "", 1)), required(sizes("kernel")), sizes("stride", "1"), padding,
                      sizes("dilation", "1"), integer("groups", "1", 1), flag("bias", "true"),
                      other("init", ParameterKind::initializer, "glorot_uniform"),
                      other("bias_init", ParameterKind::initializer, "zeros"),
                      other("weight", ParameterKind::weight, "none")},
                     build, {"filters", "kernel"}));
}

}  // namespace

std::vector<LayerRow> convolution_rows() {
  ParameterRow padding = other("padding", ParameterKind::padding, "valid");
  padding.words = {"valid", "same"};
  const ParameterRow bias = flag("bias", "true");
  const ParameterRow init = other("init", ParameterKind::initializer, "glorot_uniform");
  return {
      convolution_row("conv1d", "A window slides along time; `padding: causal` pads on the left only.",
                      "[T, C] -> [T', filters]", conv1d, {"valid", "same", "causal"}),
      convolution_row("conv2d", "A window slides over a picture; weight is [kh, kw, C/groups, filters].",
                      "[H, W, C] -> [H', W', filters]", conv2d, {"valid", "same"}),
      convolution_row("conv3d", "A window slides through a volume.", "[D, H, W, C] -> [D', H', W', filters]", conv3d,
                      {"valid", "same"}),
      not_yet(row("conv2d_transpose", "The way back of conv2d: makes pictures larger.", "[H, W, C] -> [H', W', filters]",
                  {required(integer("filters", "", 1)), required(sizes("kernel")), sizes("stride", "1"), padding,
                   sizes("output_padding", "0", 0), integer("groups", "1", 1), bias, init,
                   other("bias_init", ParameterKind::initializer, "zeros")},
                  conv2d_transpose, {"filters", "kernel"})),
      not_yet(row("depthwise_conv2d", "A window of its own for every channel.", "[H, W, C] -> [H', W', C multiplier]",
                  {required(sizes("kernel")), integer("multiplier", "1", 1), sizes("stride", "1"), padding,
                   sizes("dilation", "1"), bias, init},
                  depthwise, {"kernel"})),
      not_yet(row("separable_conv2d", "depthwise_conv2d, then a 1x1 convolution.", "[H, W, C] -> [H', W', filters]",
                  {required(integer("filters", "", 1)), required(sizes("kernel")), integer("multiplier", "1", 1),
                   sizes("stride", "1"), padding, sizes("dilation", "1"), bias, init},
                  depthwise, {"filters", "kernel"})),
  };
}

}  // namespace netc::layers
