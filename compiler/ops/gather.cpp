// Rows that use whole numbers as places: reading and adding to rows of a table, and one-hot vectors.
#include "compiler/ops/rows.h"

namespace netc {

namespace {

bool are_ids(const TensorType& type) { return type.dtype == DType::i32; }

OpRow gather_row() {
  OpRow row;
  row.name = "gather";
  row.summary = "the rows of table[V, D] (or elements of table[V]) that ids[...] name: [..., D] (or [...])";
  row.family = OpFamily::gather;
  row.arity = 2;
  row.type = [](Types inputs, const Attributes&) -> std::optional<TensorType> {
    const TensorType &table = inputs[0], &ids = inputs[1];
    if (table.batched || table.shape.empty() || table.shape.size() > 2 || !are_ids(ids)) return std::nullopt;
    TensorType type{table.dtype, ids.shape, ids.batched, 0};
    if (table.shape.size() == 2) type.shape.push_back(table.shape[1]);
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId table = b.node(y).inputs[0], ids = b.node(y).inputs[1];
    return {b.op("scatter_add", {ids, g}, {{"rows", b.type(table).shape[0]}}), kNoNode};
  };
  return row;
}

OpRow scatter_add_row() {
  OpRow row;
  row.name = "scatter_add";
  row.summary = "a table of `rows` rows, row v being the sum of g[..., D] over all places whose id is v";
  row.family = OpFamily::scatter_add;
  row.arity = 2;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    const TensorType &ids = inputs[0], &g = inputs[1];
    if (!are_ids(ids) || ids.batched != g.batched || !is_floating(g.dtype)) return std::nullopt;
    if (g.shape.size() < ids.shape.size() || g.shape.size() > ids.shape.size() + 1) return std::nullopt;
    for (size_t i = 0; i < ids.shape.size(); ++i)
      if (ids.shape[i] != g.shape[i]) return std::nullopt;
    TensorType type{g.dtype, {int_attribute(attributes, "rows")}, false, 0};
    if (g.shape.size() > ids.shape.size()) type.shape.push_back(g.shape.back());
    return type;
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId c) -> std::vector<NodeId> {
    return {kNoNode, b.op("gather", {c, b.node(y).inputs[0]})};
  };
  return row;
}

OpRow one_hot_row() {
  OpRow row;
  row.name = "one_hot";
  row.summary = "1 at the place an id names, 0 elsewhere, over `classes` places: [..., classes]";
  row.family = OpFamily::one_hot;
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    if (!are_ids(inputs[0])) return std::nullopt;
    TensorType type{DType::f32, inputs[0].shape, inputs[0].batched, 0};
    type.shape.push_back(int_attribute(attributes, "classes"));
    return type;
  };
  return row;
}

}  // namespace

void append_gather(std::vector<OpRow>& rows) {
  rows.push_back(gather_row());
  rows.push_back(scatter_add_row());
  rows.push_back(one_hot_row());
}

}  // namespace netc
