#include "compiler/passes/expand_composites.h"

#include "compiler/passes/remove_dead.h"
#include "compiler/passes/rewrite.h"

namespace netc {

Graph expand_composites(Graph graph) {
  Graph expanded = rewrite(std::move(graph), [](GraphBuilder& b, Node& node) -> NodeId {
    if (is_leaf(node)) return kNoNode;
    const OpRow& row = op_row(node);
    if (row.family != OpFamily::composite) return kNoNode;
    return row.expand(b, b.graph().add(std::move(node)));
  });
  return remove_dead(std::move(expanded));   // the composites themselves are still there, unused
}

}  // namespace netc
