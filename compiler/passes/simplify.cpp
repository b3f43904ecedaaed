#include "compiler/passes/simplify.h"

#include "compiler/passes/remove_dead.h"
#include "compiler/passes/rewrite.h"
#include "compiler/passes/simplify_rules.h"

namespace netc {

namespace {

constexpr SimplifyRule kRules[] = {
    drop_identity, merge_shape_changes, fold_constants, keep_scalars_scalar, hoist_reshape, reuse_dropped_output,
};
constexpr int kManyUses = 2;

std::vector<int> count_uses(const Graph& graph) {
  std::vector<int> uses(graph.nodes.size());
  const auto use = [&](NodeId id) { ++uses[static_cast<size_t>(id)]; };
  for (const Node& node : graph.nodes)
    for (NodeId input : node.inputs) use(input);
  for (const Result& result : graph.results) use(result.node);
  for (const Update& update : graph.updates) use(update.value);
  return uses;
}

}  // namespace

NodeId Simplifier::replacement(const Node& node) {
  if (is_leaf(node)) return kNoNode;
  for (SimplifyRule rule : kRules) {
    const NodeId instead = rule(*this, node);
    if (instead == kNoNode) continue;
    fired_ = true;
    return instead;
  }
  return kNoNode;
}

NodeId Simplifier::make(const std::string& op, std::vector<NodeId> inputs, Attributes attributes) {
  const NodeId id = builder_->op(op, std::move(inputs), std::move(attributes));
  const Node made = node(id);   // a copy: rules append nodes
  const NodeId instead = replacement(made);
  if (instead != kNoNode) return instead;
  remember(id);
  return id;
}

bool Simplifier::has_one_use(NodeId id) const {
  return static_cast<size_t>(id) < uses_.size() && uses_[static_cast<size_t>(id)] == 1;
}

NodeId Simplifier::dropped(NodeId y, int64_t stream) const {
  const auto found = dropped_.find({y, stream});
  return found == dropped_.end() ? kNoNode : found->second;
}

void Simplifier::remember(NodeId id) {
  Dropped parts;
  if (match_dropped(*this, node(id), &parts)) dropped_.emplace(std::pair(parts.value, parts.stream), id);
}

bool Simplifier::round(Graph& graph) {
  const std::vector<int> old_uses = count_uses(graph);
  size_t old_id = 0;
  graph = rewrite(std::move(graph), [&](GraphBuilder& b, Node& node) -> NodeId {
    builder_ = &b;
    const int uses = old_uses[old_id++];
    const NodeId instead = replacement(node);
    if (instead != kNoNode) return instead;
    const NodeId id = b.graph().add(std::move(node));
    uses_.resize(static_cast<size_t>(id) + 1, kManyUses);
    uses_.back() = uses;
    remember(id);
    return id;
  });
  graph = remove_dead(std::move(graph));
  return fired_;
}

Graph simplify(Graph graph) {
  graph = remove_dead(std::move(graph));
  while (Simplifier().round(graph)) {
  }
  return graph;
}

}  // namespace netc
