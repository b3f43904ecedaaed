// Windows that keep the largest or the mean, and reductions of whole axes.
#include <numeric>

#include "compiler/layers/rows.h"
#include "compiler/layers/window.h"

namespace netc::layers {
namespace {

Nodes pool(LayerCall& call, size_t spatial, const char* axes) {
  if (!call.is_float() || !call.has_rank(spatial + 1, axes)) return {};
  const auto window = window_of(call, spatial, "size");
  if (!window) return {};
  Shape out = window->out;
  out.push_back(call.shape().back());
  if (!call.fits(out)) return {};
  return {call.unavailable(batched(call.type().dtype, out), {call.in()})};
}

Nodes pool1d(LayerCall& call) { return pool(call, 1, "[T, C]"); }
Nodes pool2d(LayerCall& call) { return pool(call, 2, "[H, W, C]"); }

NodeId reduce(GraphBuilder& b, const std::string& op, NodeId x, std::vector<int64_t> axes) {
  return b.op(op, {x}, {{"axes", std::move(axes)}, {"batch", false}});
}

Nodes global_pool(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(2, "[..., C]")) return {};
  const Shape in = call.shape();
  std::vector<int64_t> axes(in.size() - 1);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (call.name() == "global_max_pool") return {reduce(call.b, "reduce_max", call.in(), axes)};
  const double count = static_cast<double>(element_count(in) / in.back());
  return {call.b.mul(call.b.reduce_sum(call.in(), axes), call.b.constant(1 / count))};
}

// The tensor `mask:` gives, as 0 and 1 in the shape of the input; kNoNode without one. False after an error.
bool read_mask(LayerCall& call, int64_t axis, NodeId* result) {
  *result = kNoNode;
  const auto* mask = call.arguments.as<TensorArgument>("mask");
  if (!mask) return true;
  const TensorType type = call.b.type(mask->node);
  const int64_t size = call.shape()[static_cast<size_t>(axis)];
  if (type.dtype != DType::boolean || type.shape != Shape{size}) {
    const TensorType wanted{DType::boolean, {size}, true, 0};
    call.error_at(Code::N0401, "mask",
                  "`mask` wants " + to_string(wanted) + ", got " + to_string(type));
    return false;
  }
  const NodeId kept = call.b.op("cast", {mask->node}, {{"dtype", std::string("f32")}});
  *result = call.b.expand_like(kept, call.in(), {axis});
  return true;
}

// mean, sum and max over one axis.
Nodes over_axis(LayerCall& call) {
  if (!call.is_float()) return {};
  const auto axis = call.axis();
  if (!axis) return {};
  GraphBuilder& b = call.b;
  NodeId result = kNoNode;
  if (call.name() == "max") {
    result = reduce(b, "reduce_max", call.in(), {*axis});
  } else {
    NodeId mask = kNoNode;
    if (!read_mask(call, *axis, &mask)) return {};
    const bool mean = call.name() == "mean";
    result = b.reduce_sum(mask == kNoNode ? call.in() : b.mul(call.in(), mask), {*axis});
    if (mean && mask == kNoNode) {
      result = b.mul(result, b.constant(1 / static_cast<double>(call.shape()[static_cast<size_t>(*axis)])));
    } else if (mean) {   // over the places that count; nothing of nothing is 0
      result = b.div(result, b.op("max", {b.reduce_sum(mask, {*axis}), b.constant(1)}));
    }
  }
  if (call.arguments.flag("keep")) {
    Shape shape = call.shape();
    shape[static_cast<size_t>(*axis)] = 1;
    result = b.op("reshape", {result}, {{"shape", shape}});
  }
  return {result};
}

Nodes last(LayerCall& call) {
  const auto axis = call.axis();
  if (!axis) return {};
  Shape shape = call.shape();
  const int64_t size = shape[static_cast<size_t>(*axis)];
  const NodeId end = call.b.op("slice", {call.in()}, {{"axis", *axis}, {"start", size - 1}, {"stop", size}});
  shape.erase(shape.begin() + *axis);
  return {call.b.op("reshape", {end}, {{"shape", shape}})};
}

}  // namespace

std::vector<LayerRow> pooling_rows() {
  ParameterRow padding = other("padding", ParameterKind::padding, "valid");
  padding.words = {"valid", "same"};
  const ParameterRow size = required(sizes("size")), stride = sizes("stride", "size");
  const ParameterRow ceil = documented(flag("ceil", "false"), "round up: only for models that come from Caffe");
  const ParameterRow axis = integer("axis", "-1"), keep = flag("keep", "false");
  const ParameterRow mask = documented(other("mask", ParameterKind::tensor, "none"), "true where a place counts");
  return {
      not_yet(row("max_pool1d", "The largest in each window.", "[T, C] -> [T', C]", {size, stride, padding, ceil},
                  pool1d, {"size"})),
      not_yet(row("max_pool2d", "The largest in each window; padding counts as minus infinity.",
                  "[H, W, C] -> [H', W', C]", {size, stride, padding, ceil}, pool2d, {"size"})),
      not_yet(row("avg_pool2d", "The mean of each window; padding is left out of it.", "[H, W, C] -> [H', W', C]",
                  {size, stride, padding, ceil, flag("count_padding", "false")}, pool2d, {"size"})),
      row("global_avg_pool", "The mean over every axis but the last.", "[..., C] -> [C]", {}, global_pool),
      row("global_max_pool", "The largest over every axis but the last.", "[..., C] -> [C]", {}, global_pool),
      row("mean", "The mean over an axis.", "drops the axis", {axis, mask, keep}, over_axis),
      row("sum", "The sum over an axis.", "drops the axis", {axis, mask, keep}, over_axis),
      row("max", "The largest over an axis.", "drops the axis", {axis, keep}, over_axis),
      row("last", "The last place of a sequence.", "drops the axis", {integer("axis", "0")}, last),
  };
}

}  // namespace netc::layers
