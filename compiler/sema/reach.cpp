#include "compiler/sema/reach.h"

#include "compiler/ops/op.h"

namespace netc::sema {
namespace {

bool passes_gradient(const Node& node) {
  if (node.op == "unavailable") return true;   // nothing is known against it
  const OpRow* row = find_op(node.op);
  return row && row->gradient;
}

std::vector<bool> walk(const Graph& graph, const std::vector<NodeId>& from, bool gradient_only) {
  std::vector<bool> seen(graph.nodes.size());
  for (NodeId id : from)
    if (id != kNoNode) seen[static_cast<size_t>(id)] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {   // inputs come before uses
    if (!seen[i] || (gradient_only && !passes_gradient(graph.nodes[i]))) continue;
    for (NodeId input : graph.nodes[i].inputs) seen[static_cast<size_t>(input)] = true;
  }
  return seen;
}

}  // namespace

std::vector<bool> reached(const Graph& graph, const std::vector<NodeId>& from) { return walk(graph, from, false); }
std::vector<bool> reached_by_gradient(const Graph& graph, const std::vector<NodeId>& from) { return walk(graph, from, true); }

}  // namespace netc::sema
