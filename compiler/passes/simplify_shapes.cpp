// Shape changes of shape changes, and reshapes of the raw input.
#include "compiler/passes/simplify_rules.h"

namespace netc {

namespace {

NodeId merge_reshape(Simplifier& s, const Node& node) {
  const Node inner = s.node(node.inputs[0]);
  if (inner.op == "reshape") return s.make("reshape", {inner.inputs[0]}, node.attributes);
  if (inner.op == "expand" && is_scalar(s.type(inner.inputs[0]))) {
    Attributes attributes = inner.attributes;
    attributes["shape"] = node.type.shape;
    return s.make("expand", {inner.inputs[0]}, std::move(attributes));
  }
  return kNoNode;
}

NodeId merge_transpose(Simplifier& s, const Node& node) {
  const Node inner = s.node(node.inputs[0]);
  if (inner.op != "transpose") return kNoNode;
  const auto& first = ints_attribute(inner.attributes, "order");
  std::vector<int64_t> order = ints_attribute(node.attributes, "order");
  for (int64_t& axis : order) axis = first[static_cast<size_t>(axis)];
  return s.make("transpose", {inner.inputs[0]}, {{"order", std::move(order)}});
}

NodeId merge_expand(Simplifier& s, const Node& node) {
  const Node inner = s.node(node.inputs[0]);
  if (inner.op != "expand") return kNoNode;
  const auto& outer_axes = ints_attribute(node.attributes, "axes");
  Attributes attributes = node.attributes;
  std::vector<int64_t> axes = ints_attribute(inner.attributes, "axes");
  for (int64_t& axis : axes) axis = outer_axes[static_cast<size_t>(axis)];
  attributes["axes"] = std::move(axes);
  return s.make("expand", {inner.inputs[0]}, std::move(attributes));
}

// Is this value made from an input of the net by pointwise steps that nothing else needs?
bool stems_from_input(const Simplifier& s, NodeId id) {
  for (;;) {
    const Node& node = s.node(id);
    if (node.op == "input") return true;
    const int operand = single_tensor_operand(s, node);
    if (operand < 0 || !s.has_one_use(id)) return false;
    id = node.inputs[static_cast<size_t>(operand)];
  }
}

}  // namespace

int single_tensor_operand(const Simplifier& s, const Node& node) {
  if (is_leaf(node) || op_row(node).family != OpFamily::pointwise) return -1;
  int tensor = -1;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (is_scalar(s.type(node.inputs[i]))) continue;
    if (tensor >= 0) return -1;
    tensor = static_cast<int>(i);
  }
  return tensor;
}

NodeId merge_shape_changes(Simplifier& s, const Node& node) {
  if (node.op == "reshape") return merge_reshape(s, node);
  if (node.op == "transpose") return merge_transpose(s, node);
  if (node.op == "expand") return merge_expand(s, node);
  return kNoNode;
}

NodeId hoist_reshape(Simplifier& s, const Node& node) {
  if (node.op != "reshape") return kNoNode;
  const Node inner = s.node(node.inputs[0]);
  const int operand = single_tensor_operand(s, inner);
  if (operand < 0 || !stems_from_input(s, node.inputs[0])) return kNoNode;
  std::vector<NodeId> inputs = inner.inputs;
  NodeId& tensor = inputs[static_cast<size_t>(operand)];
  tensor = s.make("reshape", {tensor}, node.attributes);
  return s.make(inner.op, std::move(inputs), inner.attributes);
}

}  // namespace netc
