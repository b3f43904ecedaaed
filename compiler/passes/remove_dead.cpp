#include "compiler/passes/remove_dead.h"

#include <vector>

namespace netc {

Graph remove_dead(Graph graph) {
  std::vector<bool> needed(graph.nodes.size());
  for (const Result& result : graph.results) needed[static_cast<size_t>(result.node)] = true;
  for (const Update& update : graph.updates) {
    needed[static_cast<size_t>(update.target)] = true;
    needed[static_cast<size_t>(update.value)] = true;
  }
  for (size_t id = graph.nodes.size(); id-- > 0;)
    if (needed[id])
      for (NodeId input : graph.nodes[id].inputs) needed[static_cast<size_t>(input)] = true;

  std::vector<NodeId> place(graph.nodes.size(), kNoNode);
  size_t kept = 0;
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    if (!needed[id]) continue;
    for (NodeId& input : graph.nodes[id].inputs) input = place[static_cast<size_t>(input)];
    place[id] = static_cast<NodeId>(kept);
    if (kept != id) graph.nodes[kept] = std::move(graph.nodes[id]);
    ++kept;
  }
  graph.nodes.resize(kept);
  for (Result& result : graph.results) result.node = place[static_cast<size_t>(result.node)];
  for (Update& update : graph.updates) {
    update.target = place[static_cast<size_t>(update.target)];
    update.value = place[static_cast<size_t>(update.value)];
  }
  return graph;
}

}  // namespace netc
