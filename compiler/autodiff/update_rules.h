// Update rules: how a weight changes given its gradient. One row per rule, built out of ordinary pointwise nodes, so
// that they fuse with the kernels that make the gradients. docs and sema read names, arguments and defaults from here.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/autodiff/differentiate.h"
#include "compiler/base/experiment.h"
#include "compiler/graph/graph.h"
#include "compiler/ops/op.h"

namespace netc {

enum class ArgumentKind : uint8_t { number, flag };

// One argument of an update rule, as written in `optimizer: adam(lr: 1e-3, amsgrad: true)`. Valid values of a number
// lie in [low, high), or in (low, high) if low_open.
struct UpdateArgument {
  std::string name;
  std::optional<double> fallback;                // empty: required
  ArgumentKind kind = ArgumentKind::number;
  double low = 0, high = 1;
  bool low_open = false;
  std::string summary;
};

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
  std::string summary;
  std::vector<UpdateArgument> arguments;
  std::function<void(const WeightUpdate&)> apply;
};

std::span<const UpdateRule> update_rules();
const UpdateRule* find_update_rule(const std::string& name);   // null if there is none

// Appends clipping and the update of every weight in `gradients` to the graph: new values stand in Graph::updates,
// slots in Graph::states. Reads the run-time scalars "learning_rate" (after the schedule) and "update_count" (from 1).
void add_updates(Graph& graph, std::span<const ParameterGradient> gradients, const OptimizerSpec& optimizer,
                 const ClipSpec& clip);

}  // namespace netc
