// Rows that move elements without computing: expand, reshape, transpose, concat, slice.
#include <algorithm>
#include <numeric>

#include "compiler/ops/rows.h"

namespace netc {

namespace {

OpRow expand_row() {
  OpRow row;
  row.name = "expand";
  row.summary = "copies along new axes: axis i of the input is axis `axes[i]` of `shape`";
  row.family = OpFamily::expand;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const TensorType& input = inputs[0];
    const auto& axes = ints_attribute(attributes, "axes");
    TensorType type = input;
    type.shape = ints_attribute(attributes, "shape");
    type.batched = bool_attribute(attributes, "batched", false);
    if (axes.size() != input.shape.size() || (input.batched && !type.batched)) return std::nullopt;
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool ascends = i == 0 || axes[i] > axes[i - 1];
      if (!ascends || axes[i] < 0 || axes[i] >= static_cast<int64_t>(type.shape.size())) return std::nullopt;
      if (type.shape[static_cast<size_t>(axes[i])] != input.shape[i]) return std::nullopt;
    }
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const Node node = b.node(y);
    const NodeId x = node.inputs[0];
    return {operand_cotangent(b, x, [&] {
      const auto& kept = ints_attribute(node.attributes, "axes");
      std::vector<int64_t> summed;
      for (int64_t axis = 0; axis < static_cast<int64_t>(node.type.shape.size()); ++axis)
        if (!std::binary_search(kept.begin(), kept.end(), axis)) summed.push_back(axis);
      const bool batch = node.type.batched && !b.type(x).batched;
      return summed.empty() && !batch ? g : b.reduce_sum(g, std::move(summed), batch);
    })};
  };
  return row;
}

OpRow reshape_row() {
  OpRow row;
  row.name = "reshape";
  row.summary = "the same elements in row-major order under another `shape`";
  row.family = OpFamily::reshape;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    TensorType type = inputs[0];
    type.shape = ints_attribute(attributes, "shape");
    if (element_count(type.shape) != element_count(inputs[0].shape)) return std::nullopt;
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    return {b.op("reshape", {g}, {{"shape", b.type(b.node(y).inputs[0]).shape}})};
  };
  return row;
}

OpRow transpose_row() {
  OpRow row;
  row.name = "transpose";
  row.summary = "axis i of the result is axis `order[i]` of the input";
  row.family = OpFamily::transpose;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const auto& order = ints_attribute(attributes, "order");
    const Shape& from = inputs[0].shape;
    if (order.size() != from.size()) return std::nullopt;
    TensorType type = inputs[0];
    std::vector<bool> taken(from.size());
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] < 0 || order[i] >= static_cast<int64_t>(from.size())) return std::nullopt;
      const auto axis = static_cast<size_t>(order[i]);
      if (taken[axis]) return std::nullopt;
      taken[axis] = true;
      type.shape[i] = from[axis];
    }
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const auto& order = ints_attribute(b.node(y).attributes, "order");
    std::vector<int64_t> back(order.size());
    for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return {b.op("transpose", {g}, {{"order", std::move(back)}})};
  };
  return row;
}

OpRow concat_row() {
  OpRow row;
  row.name = "concat";
  row.summary = "joins along `axis`";
  row.family = OpFamily::concat;
  row.arity = -1;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const auto axis = static_cast<size_t>(int_attribute(attributes, "axis"));
    TensorType type = inputs[0];
    if (axis >= type.shape.size()) return std::nullopt;
    type.shape[axis] = 0;
    for (const TensorType& input : inputs) {
      if (input.shape.size() != type.shape.size()) return std::nullopt;
      const int64_t size = input.shape[axis];
      TensorType rest = input;
      rest.shape[axis] = type.shape[axis];
      if (rest != type) return std::nullopt;
      type.shape[axis] += size;
    }
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const std::vector<NodeId> inputs = b.node(y).inputs;
    const int64_t axis = int_attribute(b.node(y).attributes, "axis");
    std::vector<NodeId> cotangents;
    int64_t start = 0;
    for (NodeId input : inputs) {
      const int64_t stop = start + b.type(input).shape[static_cast<size_t>(axis)];
      cotangents.push_back(b.op("slice", {g}, {{"axis", axis}, {"start", start}, {"stop", stop}}));
      start = stop;
    }
    return cotangents;
  };
  return row;
}

// Zeros with the type of `like`, but `size` long on `axis`.
NodeId zeros(GraphBuilder& b, const TensorType& like, size_t axis, int64_t size) {
  Shape shape = like.shape;
  shape[axis] = size;
  const std::vector<int64_t> no_axes;
  return b.op("expand", {b.constant(0)}, {{"axes", no_axes}, {"shape", std::move(shape)}, {"batched", like.batched}});
}

OpRow slice_row() {
  OpRow row;
  row.name = "slice";
  row.summary = "elements `start` up to but not including `stop` of `axis`";
  row.family = OpFamily::slice;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const auto axis = static_cast<size_t>(int_attribute(attributes, "axis"));
    const int64_t start = int_attribute(attributes, "start"), stop = int_attribute(attributes, "stop");
    TensorType type = inputs[0];
    if (axis >= type.shape.size() || start < 0 || stop <= start || stop > type.shape[axis]) return std::nullopt;
    type.shape[axis] = stop - start;
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const Node node = b.node(y);
    const TensorType input = b.type(node.inputs[0]);
    const int64_t axis = int_attribute(node.attributes, "axis");
    const int64_t start = int_attribute(node.attributes, "start"), stop = int_attribute(node.attributes, "stop");
    const int64_t size = input.shape[static_cast<size_t>(axis)];
    std::vector<NodeId> parts;
    if (start > 0) parts.push_back(zeros(b, input, static_cast<size_t>(axis), start));
    parts.push_back(g);
    if (stop < size) parts.push_back(zeros(b, input, static_cast<size_t>(axis), size - stop));
    return {parts.size() == 1 ? g : b.op("concat", std::move(parts), {{"axis", axis}})};
  };
  return row;
}

}  // namespace

void append_shape(std::vector<OpRow>& rows) {
  rows.push_back(expand_row());
  rows.push_back(reshape_row());
  rows.push_back(transpose_row());
  rows.push_back(concat_row());
  rows.push_back(slice_row());
}

}  // namespace netc
