// Rows that fold axes away: sums and maxima over axes of the sample and, with `batch`, over the rows of the batch.
#include <algorithm>

#include "compiler/ops/rows.h"

namespace netc {

namespace {

std::optional<TensorType> reduced_type(Types inputs, const Attributes& attributes) {
  const TensorType& input = inputs[0];
  const auto& axes = ints_attribute(attributes, "axes");
  const bool batch = bool_attribute(attributes, "batch", false);
  if (!is_floating(input.dtype) || (batch && !input.batched)) return std::nullopt;
  TensorType type = input;
  type.batched = input.batched && !batch;
  type.shape.clear();
  size_t next = 0;
  for (size_t axis = 0; axis < input.shape.size(); ++axis) {
    if (next < axes.size() && axes[next] == static_cast<int64_t>(axis)) {
      ++next;
    } else {
      type.shape.push_back(input.shape[axis]);
    }
  }
  if (next != axes.size()) return std::nullopt;   // not ascending, or no such axis
  return type;
}

// Gives a value that lacks the folded axes back to every element of the input.
NodeId give_back(GraphBuilder& b, NodeId reduction, NodeId value) {
  const Node& node = b.node(reduction);
  const NodeId x = node.inputs[0];
  const auto& folded = ints_attribute(node.attributes, "axes");
  std::vector<int64_t> kept;
  for (int64_t axis = 0; axis < static_cast<int64_t>(b.type(x).shape.size()); ++axis)
    if (!std::binary_search(folded.begin(), folded.end(), axis)) kept.push_back(axis);
  return b.expand_like(value, x, std::move(kept));
}

OpRow reduce_row(const char* name, const char* summary, Combine combine) {
  OpRow row;
  row.name = name;
  row.summary = summary;
  row.family = OpFamily::reduce;
  row.type = reduced_type;
  row.combine = combine;
  return row;
}

}  // namespace

void append_reduce(std::vector<OpRow>& rows) {
  OpRow sum = reduce_row("reduce_sum", "the sum over `axes` and, with `batch`, over the rows", Combine::sum);
  sum.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> { return {give_back(b, y, g)}; };
  rows.push_back(std::move(sum));

  // Elements that share the maximum share its cotangent.
  OpRow max = reduce_row("reduce_max", "the largest over `axes` and, with `batch`, over the rows", Combine::max);
  max.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId x = b.node(y).inputs[0];
    const Attributes attributes = b.node(y).attributes;
    const NodeId largest = b.op("eq", {x, give_back(b, y, y)});
    const NodeId sharers = b.op("reduce_sum", {b.op("cast", {largest}, {{"dtype", std::string(dtype_name(b.type(x).dtype))}})}, attributes);
    const NodeId share = give_back(b, y, b.div(g, sharers));
    return {b.op("select", {largest, share, b.constant(0)})};
  };
  rows.push_back(std::move(max));
}

}  // namespace netc
