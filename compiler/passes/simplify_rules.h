// The rules of simplify, and what they see. Private to compiler/passes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ops/op.h"

namespace netc {

class Simplifier;

// What stands in the node's place, or kNoNode if the rule does not apply. The node's inputs are simplified already.
using SimplifyRule = NodeId (*)(Simplifier&, const Node&);

NodeId drop_identity(Simplifier&, const Node&);           // simplify_identities.cpp
NodeId merge_shape_changes(Simplifier&, const Node&);     // simplify_shapes.cpp
NodeId hoist_reshape(Simplifier&, const Node&);
NodeId fold_constants(Simplifier&, const Node&);          // simplify_scalars.cpp
NodeId keep_scalars_scalar(Simplifier&, const Node&);
NodeId reuse_dropped_output(Simplifier&, const Node&);    // simplify_dropout.cpp

// One round over a graph.
class Simplifier {
 public:
  // Appends a node, simplified, to the graph under construction.
  NodeId make(const std::string& op, std::vector<NodeId> inputs, Attributes attributes = {});

  const Node& node(NodeId id) const { return builder_->node(id); }
  const TensorType& type(NodeId id) const { return builder_->type(id); }
  NodeId constant(double value) { return builder_->constant(value); }

  // True if nothing but the node under the rule's eyes uses this one.
  bool has_one_use(NodeId id) const;
  // The product of y and a dropout mask of this stream, if the graph has made it before; else kNoNode.
  NodeId dropped(NodeId y, int64_t stream) const;

  bool round(Graph& graph);   // true if a rule fired

 private:
  NodeId replacement(const Node& node);
  void remember(NodeId id);

  GraphBuilder* builder_ = nullptr;
  std::vector<int> uses_;                               // by node of the new graph; 2 where not known
  std::map<std::pair<NodeId, int64_t>, NodeId> dropped_;
  bool fired_ = false;
};

// The pieces of a dropped value: mul(value, mul(random, scale)).
struct Dropped {
  NodeId value = kNoNode;
  NodeId scale = kNoNode;
  int64_t stream = 0;
};
bool match_dropped(const Simplifier& s, const Node& node, Dropped* dropped);

// A pointwise node with one operand that is not a scalar: which one; -1 otherwise.
int single_tensor_operand(const Simplifier& s, const Node& node);

}  // namespace netc
