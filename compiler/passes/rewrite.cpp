#include "compiler/passes/rewrite.h"

namespace netc {

Graph rewrite(Graph graph, const RewriteRule& rule) {
  std::vector<Node> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  graph.nodes.reserve(nodes.size());
  GraphBuilder b(graph);
  std::vector<NodeId> place(nodes.size(), kNoNode);
  for (size_t id = 0; id < nodes.size(); ++id) {
    Node& node = nodes[id];
    for (NodeId& input : node.inputs) input = place[static_cast<size_t>(input)];
    b.at(node.span).named(is_leaf(node) ? std::string() : node.name);
    const NodeId instead = rule(b, node);
    place[id] = instead == kNoNode ? graph.add(std::move(node)) : instead;
  }
  for (Result& result : graph.results) result.node = place[static_cast<size_t>(result.node)];
  for (Update& update : graph.updates) {
    update.target = place[static_cast<size_t>(update.target)];
    update.value = place[static_cast<size_t>(update.value)];
  }
  return graph;
}

}  // namespace netc
