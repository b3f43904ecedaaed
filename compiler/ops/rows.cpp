#include "compiler/ops/rows.h"

#include <algorithm>
#include <numeric>

namespace netc {

bool is_scalar(const TensorType& type) { return !type.batched && type.shape.empty(); }

std::optional<TensorType> common_type(Types inputs) {
  TensorType common = inputs.front();
  common.classes = 0;
  for (const TensorType& type : inputs) {
    if (is_scalar(type)) continue;
    if (is_scalar(common)) {
      common.shape = type.shape;
      common.batched = type.batched;
    } else if (type.shape != common.shape || type.batched != common.batched) {
      return std::nullopt;
    }
  }
  return common;
}

std::optional<TensorType> arithmetic_type(Types inputs, const Attributes&) {
  for (const TensorType& type : inputs)
    if (!is_floating(type.dtype) || type.dtype != inputs.front().dtype) return std::nullopt;
  return common_type(inputs);
}

std::optional<TensorType> same_type(Types inputs, const Attributes&) { return inputs.front(); }

NodeId operand_cotangent(GraphBuilder& b, NodeId operand, const std::function<NodeId()>& make) {
  const std::string& op = b.node(operand).op;
  if (op == "constant" || op == "scalar") return kNoNode;
  const NodeId full = make();
  const bool fits = b.type(full).shape == b.type(operand).shape && b.type(full).batched == b.type(operand).batched;
  return fits ? full : b.batch_sum(full);
}

NodeId spread(GraphBuilder& b, NodeId a, NodeId like) {
  std::vector<int64_t> axes(b.type(like).shape.size() - 1);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return b.expand_like(a, like, std::move(axes));
}

NodeId spread_sum(GraphBuilder& b, NodeId x) {
  const auto last = static_cast<int64_t>(b.type(x).shape.size()) - 1;
  return spread(b, b.reduce_sum(x, {last}), x);
}

NodeId spread_mean(GraphBuilder& b, NodeId x) {
  const auto last = static_cast<int64_t>(b.type(x).shape.size()) - 1;
  const double share = 1.0 / static_cast<double>(b.type(x).shape.back());
  return spread(b, b.mul(b.reduce_sum(x, {last}), b.constant(share)), x);
}

}  // namespace netc
