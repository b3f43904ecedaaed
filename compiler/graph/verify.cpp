#include <set>

#include "compiler/graph/graph.h"

namespace netc {

namespace {

// Collects faults, each led by the node it is about.
class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {
    for (const Parameter& parameter : graph.parameters) declared_.insert({"parameter", parameter.path});
    for (const State& state : graph.states) declared_.insert({"state", state.name});
  }

  std::vector<std::string> run() {
    for (size_t id = 0; id < graph_.nodes.size(); ++id) check_node(static_cast<NodeId>(id));
    for (const Result& result : graph_.results)
      if (!exists(result.node)) faults_.push_back("result " + result.name + " names no node");
    std::set<NodeId> targets;
    for (const Update& update : graph_.updates) check_update(update, targets);
    return std::move(faults_);
  }

 private:
  bool exists(NodeId id) const { return id >= 0 && static_cast<size_t>(id) < graph_.nodes.size(); }

  void fault(NodeId id, const std::string& what) {
    faults_.push_back("%" + std::to_string(id) + " " + graph_[id].op + ": " + what);
  }

  void check_node(NodeId id) {
    const Node& node = graph_[id];
    for (NodeId input : node.inputs)
      if (input < 0 || input >= id) fault(id, "input %" + std::to_string(input) + " does not come before it");
    for (int64_t size : node.type.shape)
      if (size <= 0) fault(id, "type " + to_string(node.type) + " is empty");
    if (is_leaf(node)) check_leaf(id);
  }

  void check_leaf(NodeId id) {
    const Node& node = graph_[id];
    if (!node.inputs.empty()) fault(id, "a leaf has inputs");
    if (node.op == "constant") {
      if (!node.attributes.contains("value")) fault(id, "no value");
    } else {
      if (node.name.empty()) fault(id, "no name");
      if (!leaves_.insert({node.op, node.name}).second) fault(id, "a second leaf named " + node.name);
    }
    const bool is_stored = node.op == "parameter" || node.op == "state";
    if (is_stored && !declared_.contains({node.op, node.name})) fault(id, node.name + " is not declared");
    if (node.type.batched != (node.op == "input")) fault(id, "the batch flag does not fit this kind of leaf");
  }

  void check_update(const Update& update, std::set<NodeId>& targets) {
    if (!exists(update.target) || !exists(update.value)) {
      faults_.push_back("an update names no node");
      return;
    }
    const Node& target = graph_[update.target];
    if (target.op != "parameter" && target.op != "state") fault(update.target, "only parameters and states are updated");
    if (target.type != graph_[update.value].type) {
      fault(update.value, "updates " + target.name + " of type " + to_string(target.type) + " with " +
                              to_string(graph_[update.value].type));
    }
    if (!targets.insert(update.target).second) fault(update.target, "updated twice");
  }

  const Graph& graph_;
  std::set<std::pair<std::string, std::string>> declared_, leaves_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace netc
