#include "compiler/graph/graph.h"

namespace netc {

bool is_leaf(const Node& node) {
  return node.op == "input" || node.op == "parameter" || node.op == "state" || node.op == "scalar" ||
         node.op == "constant";
}

NodeId find_leaf(const Graph& graph, const std::string& op, const std::string& name) {
  for (size_t id = 0; id < graph.nodes.size(); ++id)
    if (graph.nodes[id].op == op && graph.nodes[id].name == name) return static_cast<NodeId>(id);
  return kNoNode;
}

}  // namespace netc
