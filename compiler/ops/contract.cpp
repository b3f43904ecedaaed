// Matrix products. Every product of forward and backward is one of two forms, and each is the other's gradient.
#include "compiler/ops/rows.h"

namespace netc {

namespace {

NodeId product(GraphBuilder& b, NodeId x, NodeId weight, bool transpose_weight) {
  return b.op("matmul", {x, weight}, {{"transpose_weight", transpose_weight}});
}

OpRow matmul_row() {
  OpRow row;
  row.name = "matmul";
  row.summary = "x[..., D] times weight[D, U]; with `transpose_weight` x[..., U] times the transpose of weight[D, U]";
  row.family = OpFamily::matmul;
  row.arity = 2;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const TensorType &x = inputs[0], &weight = inputs[1];
    if (x.shape.empty() || weight.shape.size() != 2 || weight.batched) return std::nullopt;
    if (!is_floating(x.dtype) || x.dtype != weight.dtype) return std::nullopt;
    const size_t contracted = bool_attribute(attributes, "transpose_weight", false) ? 1 : 0;
    if (x.shape.back() != weight.shape[contracted]) return std::nullopt;
    TensorType type = x;
    type.shape.back() = weight.shape[1 - contracted];
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId x = b.node(y).inputs[0], weight = b.node(y).inputs[1];
    const bool transposed = bool_attribute(b.node(y).attributes, "transpose_weight", false);
    const NodeId to_x = product(b, g, weight, !transposed);
    const NodeId to_weight = transposed ? b.op("matmul_tn", {g, x}) : b.op("matmul_tn", {x, g});
    return {to_x, to_weight};
  };
  return row;
}

OpRow matmul_tn_row() {
  OpRow row;
  row.name = "matmul_tn";
  row.summary = "the sum over rows and leading axes of the outer products of x[..., D] and g[..., U]: [D, U]";
  row.family = OpFamily::matmul_tn;
  row.arity = 2;
  row.type = [](Types inputs, const Attributes&) -> std::optional<TensorType> {
    const TensorType &x = inputs[0], &g = inputs[1];
    if (x.shape.empty() || x.shape.size() != g.shape.size() || x.batched != g.batched) return std::nullopt;
    if (!is_floating(x.dtype) || x.dtype != g.dtype) return std::nullopt;
    for (size_t i = 0; i + 1 < x.shape.size(); ++i)
      if (x.shape[i] != g.shape[i]) return std::nullopt;
    return TensorType{x.dtype, {x.shape.back(), g.shape.back()}, false, 0};
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId c) -> std::vector<NodeId> {
    const NodeId x = b.node(y).inputs[0], g = b.node(y).inputs[1];
    return {product(b, g, c, true), product(b, x, c, false)};
  };
  return row;
}

}  // namespace

void append_contract(std::vector<OpRow>& rows) {
  rows.push_back(matmul_row());
  rows.push_back(matmul_tn_row());
}

}  // namespace netc
