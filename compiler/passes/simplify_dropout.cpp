// The backward pass of relu followed by dropout, from the output alone.
#include "compiler/passes/simplify_rules.h"

namespace netc {

bool match_dropped(const Simplifier& s, const Node& node, Dropped* dropped) {
  if (node.op != "mul") return false;
  const Node& mask = s.node(node.inputs[1]);
  if (mask.op != "mul") return false;
  const Node& draw = s.node(mask.inputs[0]);
  if (draw.op != "random" || s.node(mask.inputs[1]).op != "constant") return false;
  *dropped = {node.inputs[0], mask.inputs[1], int_attribute(draw.attributes, "stream")};
  return true;
}

NodeId reuse_dropped_output(Simplifier& s, const Node& node) {
  if (node.op != "relu_grad") return kNoNode;
  const NodeId y = node.inputs[0];
  Dropped cotangent;
  if (!match_dropped(s, s.node(node.inputs[1]), &cotangent)) return kNoNode;
  const NodeId output = s.dropped(y, cotangent.stream);
  if (output == kNoNode) return kNoNode;
  return s.make("relu_grad", {output, s.make("mul", {cotangent.value, cotangent.scale})});
}

}  // namespace netc
