// Arithmetic on constants, and arithmetic on scalars that was written on whole tensors.
#include <optional>

#include "compiler/kernel/scalar_op.h"
#include "compiler/passes/simplify_rules.h"

namespace netc {

namespace {

// The value of a pointwise row for constant operands; nullopt where the body converts types.
std::optional<double> evaluate(const OpRow& row, const Attributes& attributes, const std::vector<double>& operands) {
  Kernel kernel;
  std::vector<ExprId> arguments;
  for (double value : operands) {
    Expr e;
    e.value = value;
    arguments.push_back(kernel.add(e));
  }
  const ExprId result = row.body(kernel, arguments, attributes);
  std::vector<double> values;
  for (const Expr& e : kernel.exprs) {
    if (e.op == ExprOp::cast) return std::nullopt;
    if (e.op == ExprOp::constant) {
      values.push_back(e.value);
      continue;
    }
    double args[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
      if (e.args[i] != kNone) args[i] = values[static_cast<size_t>(e.args[i])];
    values.push_back(apply<double>(e.op, args[0], args[1], args[2]));
  }
  return values[static_cast<size_t>(result)];
}

bool expands_scalar(const Simplifier& s, NodeId id) {
  const Node& node = s.node(id);
  return node.op == "expand" && is_scalar(s.type(node.inputs[0]));
}

}  // namespace

NodeId fold_constants(Simplifier& s, const Node& node) {
  const OpRow& row = op_row(node);
  if (row.family != OpFamily::pointwise || node.type != TensorType{}) return kNoNode;
  std::vector<double> operands;
  for (NodeId input : node.inputs) {
    if (s.node(input).op != "constant") return kNoNode;
    operands.push_back(float_attribute(s.node(input).attributes, "value"));
  }
  const std::optional<double> value = evaluate(row, node.attributes, operands);
  return value ? s.constant(*value) : kNoNode;
}

NodeId keep_scalars_scalar(Simplifier& s, const Node& node) {
  if (op_row(node).family != OpFamily::pointwise) return kNoNode;
  std::vector<NodeId> inputs = node.inputs;
  bool found = false;
  for (NodeId& input : inputs) {
    if (!expands_scalar(s, input)) continue;
    input = s.node(input).inputs[0];
    found = true;
  }
  if (!found) return kNoNode;
  const NodeId value = s.make(node.op, std::move(inputs), node.attributes);
  if (s.type(value) == node.type) return value;
  const std::vector<int64_t> no_axes;   // all operands were scalars
  return s.make("expand", {value}, {{"axes", no_axes}, {"shape", node.type.shape}, {"batched", node.type.batched}});
}

}  // namespace netc
