#include "compiler/base/errors.h"
#include "compiler/ops/op.h"

namespace netc {

namespace {

// What is wrong with one node that is not a leaf; empty if nothing is.
std::string fault_of(const Graph& graph, const Node& node) {
  const OpRow* row = find_op(node.op);
  if (row == nullptr) return "there is no op `" + node.op + "`";
  if (row->arity >= 0 && static_cast<size_t>(row->arity) != node.inputs.size()) return "wrong number of inputs";
  std::vector<TensorType> inputs;
  for (NodeId input : node.inputs) inputs.push_back(graph[input].type);
  try {
    const std::optional<TensorType> type = row->type(inputs, node.attributes);
    if (!type) return "the inputs do not fit";
    if (*type != node.type) return "has type " + to_string(node.type) + ", its row makes " + to_string(*type);
  } catch (const InternalError& missing_attribute) {
    return missing_attribute.what();
  }
  return {};
}

}  // namespace

std::vector<std::string> verify_types(const Graph& graph) {
  std::vector<std::string> faults;
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (is_leaf(node)) continue;
    const std::string fault = fault_of(graph, node);
    if (!fault.empty()) faults.push_back("%" + std::to_string(id) + " " + node.op + ": " + fault);
  }
  return faults;
}

}  // namespace netc
