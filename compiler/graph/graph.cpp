#include "compiler/graph/graph.h"

#include <charconv>
#include <set>

namespace netc {

namespace {

// The shortest text that reads back as the same number.
std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

template <class T>
std::string list_text(const std::vector<T>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    if constexpr (std::is_same_v<T, double>) {
      text += number_text(values[i]);
    } else {
      text += std::to_string(values[i]);
    }
  }
  return text + "]";
}

struct AttributeText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return '"' + value + '"'; }
  std::string operator()(const std::vector<int64_t>& value) const { return list_text(value); }
  std::string operator()(const std::vector<double>& value) const { return list_text(value); }
};

// How a node is named where it is used: leaves by name, constants by value, the rest by number.
std::string reference(const Graph& graph, NodeId id) {
  if (id < 0 || static_cast<size_t>(id) >= graph.nodes.size()) return "%?";
  const Node& node = graph[id];
  if (node.op == "constant") {
    const auto value = node.attributes.find("value");
    if (value != node.attributes.end()) return std::visit(AttributeText{}, value->second);
  }
  if (is_leaf(node) && !node.name.empty()) return node.name;
  return "%" + std::to_string(id);
}

std::string initializer_text(const Initializer& init) {
  switch (init.kind) {
    case Initializer::Kind::zeros: return "zeros";
    case Initializer::Kind::ones: return "ones";
    case Initializer::Kind::constant: return "constant(" + number_text(init.a) + ")";
    case Initializer::Kind::uniform: return "uniform(" + number_text(init.a) + ", " + number_text(init.b) + ")";
    case Initializer::Kind::normal:
      return std::string(init.truncated ? "truncated_normal(" : "normal(") + number_text(init.a) + ", " +
             number_text(init.b) + ")";
  }
  return "?";
}

std::string node_line(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  std::string text = "%" + std::to_string(id) + " = " + node.op + "(";
  const char* separator = "";
  for (NodeId input : node.inputs) {
    text += separator + reference(graph, input);
    separator = ", ";
  }
  for (const auto& [name, value] : node.attributes) {
    text += separator + name + ": " + std::visit(AttributeText{}, value);
    separator = ", ";
  }
  text += ") : " + to_string(node.type);
  if (!node.name.empty()) text += "  // " + node.name;
  return text;
}

std::string leaf_line(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  std::string text = node.op + " " + node.name + " : " + to_string(node.type);
  if (node.op == "parameter") {
    for (const Parameter& parameter : graph.parameters)
      if (parameter.path == node.name)
        text += " = " + initializer_text(parameter.init) + (parameter.trainable ? "" : "  // frozen");
  } else if (node.op == "state") {
    for (const State& state : graph.states)
      if (state.name == node.name) text += " = " + number_text(state.initial);
  }
  return text;
}

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

bool is_leaf(const Node& node) {
  return node.op == "input" || node.op == "parameter" || node.op == "state" || node.op == "scalar" ||
         node.op == "constant";
}

NodeId find_leaf(const Graph& graph, const std::string& op, const std::string& name) {
  for (size_t id = 0; id < graph.nodes.size(); ++id)
    if (graph.nodes[id].op == op && graph.nodes[id].name == name) return static_cast<NodeId>(id);
  return kNoNode;
}

std::string to_string(const Graph& graph) {
  std::string text;
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (node.op == "constant") continue;   // shown where used
    text += (is_leaf(node) ? leaf_line(graph, static_cast<NodeId>(id)) : node_line(graph, static_cast<NodeId>(id))) + "\n";
  }
  for (const Result& result : graph.results) text += "result " + result.name + " = " + reference(graph, result.node) + "\n";
  for (const Update& update : graph.updates)
    text += "update " + reference(graph, update.target) + " = " + reference(graph, update.value) + "\n";
  return text;
}

std::vector<std::string> verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace netc
