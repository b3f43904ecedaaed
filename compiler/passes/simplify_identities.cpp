// Nodes that give one of their inputs back.
#include "compiler/passes/simplify_rules.h"

namespace netc {

namespace {

bool is_constant(const Simplifier& s, NodeId id, double value) {
  return s.node(id).op == "constant" && float_attribute(s.node(id).attributes, "value") == value;
}

bool is_zero(const Simplifier& s, NodeId id) { return is_constant(s, id, 0); }
bool is_one(const Simplifier& s, NodeId id) { return is_constant(s, id, 1); }

// The input that the node's value is by arithmetic; kNoNode if there is none.
NodeId arithmetic_identity(const Simplifier& s, const Node& node) {
  const auto& in = node.inputs;
  if (node.op == "add") return is_zero(s, in[1]) ? in[0] : is_zero(s, in[0]) ? in[1] : kNoNode;
  if (node.op == "sub") return is_zero(s, in[1]) ? in[0] : kNoNode;
  if (node.op == "mul") return is_one(s, in[1]) ? in[0] : is_one(s, in[0]) ? in[1] : kNoNode;
  if (node.op == "div" || node.op == "pow") return is_one(s, in[1]) ? in[0] : kNoNode;
  if (node.op == "neg" && s.node(in[0]).op == "neg") return s.node(in[0]).inputs[0];
  return kNoNode;
}

bool ascends_from_zero(const std::vector<int64_t>& order) {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int64_t>(i)) return false;
  return true;
}

// Rows that change nothing when the type stays the same.
bool changes_only_the_type(const Node& node) {
  if (node.op == "transpose") return ascends_from_zero(ints_attribute(node.attributes, "order"));
  if (node.op == "concat") return node.inputs.size() == 1;
  return node.op == "cast" || node.op == "reshape" || node.op == "expand" || node.op == "slice" ||
         node.op == "reduce_sum" || node.op == "reduce_max";
}

}  // namespace

NodeId drop_identity(Simplifier& s, const Node& node) {
  const NodeId same = arithmetic_identity(s, node);
  if (same != kNoNode && s.type(same) == node.type) return same;
  if (!node.inputs.empty() && s.type(node.inputs[0]) == node.type && changes_only_the_type(node)) return node.inputs[0];
  return kNoNode;
}

}  // namespace netc
