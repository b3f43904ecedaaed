#include "compiler/autodiff/differentiate.h"

#include <unordered_map>

#include "compiler/base/errors.h"
#include "compiler/ops/op.h"

namespace netc {

namespace {

// For each node: does it depend on a trainable parameter (by differentiable steps or not)?
std::vector<bool> nodes_with_weights(const Graph& graph) {
  std::unordered_map<std::string, bool> trainable;
  for (const Parameter& parameter : graph.parameters) trainable.emplace(parameter.path, parameter.trainable);
  std::vector<bool> depends(graph.nodes.size());
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (node.op == "parameter") depends[id] = trainable[node.name];
    for (NodeId input : node.inputs)
      if (depends[static_cast<size_t>(input)]) depends[id] = true;
  }
  return depends;
}

void check_cotangent(const Graph& graph, NodeId node, NodeId cotangent) {
  const TensorType &of = graph[node].type, &is = graph[cotangent].type;
  if (of.shape != is.shape || of.batched != is.batched || of.dtype != is.dtype) {
    throw InternalError("the cotangent of " + graph[node].op + " " + to_string(of) + " has type " + to_string(is));
  }
}

}  // namespace

std::vector<ParameterGradient> differentiate(Graph& graph, NodeId loss) {
  const TensorType& type = graph[loss].type;
  if (type.batched || !type.shape.empty()) throw InternalError("a loss must be one number, not " + to_string(type));

  GraphBuilder b(graph);
  const std::vector<bool> depends = nodes_with_weights(graph);
  std::vector<NodeId> cotangents(static_cast<size_t>(loss) + 1, kNoNode);
  cotangents.back() = b.scalar("inverse_batch");

  for (NodeId id = loss; id >= 0; --id) {
    const NodeId cotangent = cotangents[static_cast<size_t>(id)];
    if (cotangent == kNoNode || !depends[static_cast<size_t>(id)] || is_leaf(graph[id])) continue;
    const OpRow& row = op_row(graph[id]);
    if (!row.gradient) continue;
    b.at(graph[id].span).named(graph[id].name);
    const std::vector<NodeId> of_inputs = row.gradient(b, id, cotangent);
    const std::vector<NodeId> inputs = graph[id].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (of_inputs[i] == kNoNode || !depends[static_cast<size_t>(inputs[i])]) continue;
      check_cotangent(graph, inputs[i], of_inputs[i]);
      NodeId& sum = cotangents[static_cast<size_t>(inputs[i])];
      sum = sum == kNoNode ? of_inputs[i] : b.add(sum, of_inputs[i]);
    }
  }

  std::unordered_map<std::string, NodeId> leaves;
  for (NodeId id = 0; id <= loss; ++id)
    if (graph[id].op == "parameter") leaves.emplace(graph[id].name, id);
  std::vector<ParameterGradient> gradients;
  for (const Parameter& parameter : graph.parameters) {
    const auto leaf = leaves.find(parameter.path);
    if (!parameter.trainable || leaf == leaves.end()) continue;
    const NodeId gradient = cotangents[static_cast<size_t>(leaf->second)];
    if (gradient != kNoNode) gradients.push_back({leaf->second, gradient});
  }
  return gradients;
}

}  // namespace netc
