#include <algorithm>
#include <numeric>

#include "compiler/base/errors.h"
#include "compiler/ops/op.h"

namespace netc {

namespace {

// What a call looked like, for the internal error when it does not fit.
std::string describe_call(const std::string& op, std::span<const TensorType> inputs) {
  std::string text = op + "(";
  for (size_t i = 0; i < inputs.size(); ++i) text += (i > 0 ? ", " : "") + to_string(inputs[i]);
  return text + ")";
}

}  // namespace

NodeId GraphBuilder::op(const std::string& name, std::vector<NodeId> inputs, Attributes attributes) {
  const OpRow* row = find_op(name);
  if (row == nullptr) throw InternalError("there is no op `" + name + "`");
  std::vector<TensorType> types;
  types.reserve(inputs.size());
  for (NodeId input : inputs) types.push_back(graph_[input].type);
  const bool arity_fits = row->arity < 0 ? !inputs.empty() : static_cast<size_t>(row->arity) == inputs.size();
  std::optional<TensorType> type;
  if (arity_fits) type = row->type(types, attributes);
  if (!type) throw InternalError("inputs do not fit: " + describe_call(name, types) + (name_.empty() ? "" : " in " + name_));
  return graph_.add({name, std::move(inputs), std::move(attributes), std::move(*type), name_, span_});
}

NodeId GraphBuilder::leaf(const std::string& op, const std::string& name) {
  for (; indexed_ < graph_.nodes.size(); ++indexed_) {
    const Node& node = graph_.nodes[indexed_];
    if (is_leaf(node) && node.op != "constant")
      leaves_.emplace(node.op + ":" + node.name, static_cast<NodeId>(indexed_));
  }
  const auto found = leaves_.find(op + ":" + name);
  return found == leaves_.end() ? kNoNode : found->second;
}

NodeId GraphBuilder::input(const std::string& name, TensorType type) {
  if (const NodeId known = leaf("input", name); known != kNoNode) {
    if (graph_[known].type != type) throw InternalError("input `" + name + "` has two types");
    return known;
  }
  return graph_.add({"input", {}, {}, std::move(type), name, span_});
}

NodeId GraphBuilder::parameter(const std::string& path, TensorType type, Initializer init) {
  if (const NodeId known = leaf("parameter", path); known != kNoNode) {
    if (graph_[known].type != type) throw InternalError("parameter `" + path + "` has two types");
    return known;
  }
  graph_.parameters.push_back({path, type, init, true, span_});
  return graph_.add({"parameter", {}, {}, std::move(type), path, span_});
}

NodeId GraphBuilder::state(const std::string& name, TensorType type, double initial) {
  if (const NodeId known = leaf("state", name); known != kNoNode) {
    if (graph_[known].type != type) throw InternalError("state `" + name + "` has two types");
    return known;
  }
  graph_.states.push_back({name, type, initial});
  return graph_.add({"state", {}, {}, std::move(type), name, span_});
}

NodeId GraphBuilder::scalar(const std::string& name) {
  if (const NodeId known = leaf("scalar", name); known != kNoNode) return known;
  return graph_.add({"scalar", {}, {}, TensorType{}, name, Span{}});
}

NodeId GraphBuilder::constant(double value) {
  return graph_.add({"constant", {}, {{"value", value}}, TensorType{}, "", Span{}});
}

NodeId GraphBuilder::expand_like(NodeId a, NodeId like, std::vector<int64_t> axes) {
  const TensorType& target = type(like);
  return op("expand", {a}, {{"axes", std::move(axes)}, {"shape", target.shape}, {"batched", target.batched}});
}

NodeId GraphBuilder::reduce_sum(NodeId a, std::vector<int64_t> axes, bool batch) {
  return op("reduce_sum", {a}, {{"axes", std::move(axes)}, {"batch", batch}});
}

NodeId GraphBuilder::batch_sum(NodeId a) {
  std::vector<int64_t> axes(type(a).shape.size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return reduce_sum(a, std::move(axes), type(a).batched);
}

}  // namespace netc
