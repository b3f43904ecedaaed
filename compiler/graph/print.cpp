// Graphs as text: one line a node, leaves by name, constants where they are used.
#include <charconv>
#include <unordered_map>

#include "compiler/graph/graph.h"

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

// Where parameters and states are declared, by name.
struct Declarations {
  std::unordered_map<std::string, const Parameter*> parameters;
  std::unordered_map<std::string, const State*> states;

  explicit Declarations(const Graph& graph) {
    for (const Parameter& parameter : graph.parameters) parameters.emplace(parameter.path, &parameter);
    for (const State& state : graph.states) states.emplace(state.name, &state);
  }
};

std::string leaf_line(const Declarations& declared, const Node& node) {
  std::string text = node.op + " " + node.name + " : " + to_string(node.type);
  if (const auto found = declared.parameters.find(node.name); node.op == "parameter" && found != declared.parameters.end())
    text += " = " + initializer_text(found->second->init) + (found->second->trainable ? "" : "  // frozen");
  if (const auto found = declared.states.find(node.name); node.op == "state" && found != declared.states.end())
    text += " = " + number_text(found->second->initial);
  return text;
}

}  // namespace

std::string to_string(const Graph& graph) {
  const Declarations declared(graph);
  std::string text;
  for (size_t id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (node.op == "constant") continue;   // shown where used
    text += (is_leaf(node) ? leaf_line(declared, node) : node_line(graph, static_cast<NodeId>(id))) + "\n";
  }
  for (const Result& result : graph.results) text += "result " + result.name + " = " + reference(graph, result.node) + "\n";
  for (const Update& update : graph.updates)
    text += "update " + reference(graph, update.target) + " = " + reference(graph, update.value) + "\n";
  return text;
}

}  // namespace netc
