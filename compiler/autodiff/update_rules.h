// Update rules: how a weight changes given its gradient. One row per rule, built out of ordinary pointwise nodes, so
// that they fuse with the kernels that make the gradients. What users may write, with limits and help, is declared in
// compiler/layers (training_tables); defaults stand here too, for specs made in code, and a test holds the two together.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/autodiff/differentiate.h"
#include "compiler/base/experiment.h"
#include "compiler/graph/graph.h"
#include "compiler/ops/op.h"

namespace netc {

// One weight on its way through an update.
struct WeightUpdate {
  GraphBuilder& b;
  const OptimizerSpec& spec;
  NodeId weight = kNoNode;      // the parameter leaf
  NodeId gradient = kNoNode;    // of the mean loss, after clipping
  bool decays = true;           // false: l2 and weight_decay pass this weight by (one-dimensional, and not decay_all)

  double argument(const std::string& name) const;       // as given, or the rule's default
  bool flag(const std::string& name) const { return argument(name) != 0; }
  NodeId slot(const std::string& name, double initial = 0) const;   // the optimizer's memory, shaped like the weight
  void store(NodeId slot, NodeId value) const;          // the new value of a slot or of the weight
};

struct UpdateRule {
  std::string name;
  std::vector<std::pair<std::string, double>> arguments;   // beside lr, with their defaults
  std::function<void(const WeightUpdate&)> apply;
};

std::span<const UpdateRule> update_rules();
const UpdateRule* find_update_rule(const std::string& name);   // null if there is none

// Appends clipping and the update of every weight in `gradients` to the graph: new values stand in Graph::updates,
// slots in Graph::states. Reads the run-time scalars "learning_rate" (after the schedule) and "update_count" (from 1).
void add_updates(Graph& graph, std::span<const ParameterGradient> gradients, const OptimizerSpec& optimizer,
                 const ClipSpec& clip);

}  // namespace netc
