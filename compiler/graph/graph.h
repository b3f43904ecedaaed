// The typed dataflow graph: what is computed, with no word of where or in which order of memory.
//
// A Graph is a plain value: nodes are indices into a vector, in an order where inputs come before uses. One node makes
// one tensor. After differentiation the same structure holds a whole training step: its `results` are what a step
// reports (losses, metrics, outputs) and its `updates` say which new value each weight and optimizer slot takes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/initializer.h"
#include "compiler/base/source.h"
#include "compiler/base/tensor_type.h"

namespace netc {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// Attributes of a node: compile-time values, compared and hashed as part of the node.
using AttributeValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;
using Attributes = std::map<std::string, AttributeValue>;

// Leaves are the ops "input", "parameter", "state", "scalar" and "constant":
//   input      a field of the batch; `name` is the net's input or the target's field        (batched)
//   parameter  a weight; `name` is its path, "fc1.weight"                                    (not batched)
//   state      a slot of the optimizer; `name` is "fc1.weight/square_average"                (not batched)
//   scalar     an f32 known at run time, the same for all rows: "learning_rate", "inverse_batch", "update_count"
//   constant   attribute `value`, a scalar
// Every other op is a row of the op table (compiler/ops).
struct Node {
  std::string op;
  std::vector<NodeId> inputs;
  Attributes attributes;
  TensorType type;
  std::string name;   // leaves: see above; others: the path of the layer that made it, "fc1", for people to read
  Span span;          // the .net stage it came from

  friend bool operator==(const Node&, const Node&) = default;
};

struct Parameter {
  std::string path;       // "fc1.weight", "body.0.dense1.bias"
  TensorType type;
  Initializer init;
  bool trainable = true;
  Span span;              // the stage that owns it

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct State {
  std::string name;       // "fc1.weight/momentum"
  TensorType type;
  double initial = 0;

  friend bool operator==(const State&, const State&) = default;
};

// A value a step reports. Batched results (outputs, for predict) give one tensor a row; the others are sums over the
// rows of the batch (`loss.<name>`, `metric.<name>`), to be divided by the number of rows by whoever reports them.
struct Result {
  std::string name;
  NodeId node = kNoNode;

  friend bool operator==(const Result&, const Result&) = default;
};

struct Update {
  NodeId target = kNoNode;   // a parameter or state leaf
  NodeId value = kNoNode;    // same type

  friend bool operator==(const Update&, const Update&) = default;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Parameter> parameters;
  std::vector<State> states;
  std::vector<Result> results;
  std::vector<Update> updates;

  NodeId add(Node node) {
    nodes.push_back(std::move(node));
    return static_cast<NodeId>(nodes.size() - 1);
  }
  const Node& operator[](NodeId id) const { return nodes[static_cast<size_t>(id)]; }
  Node& operator[](NodeId id) { return nodes[static_cast<size_t>(id)]; }

  friend bool operator==(const Graph&, const Graph&) = default;
};

bool is_leaf(const Node& node);
NodeId find_leaf(const Graph& graph, const std::string& op, const std::string& name);  // kNoNode if absent

std::string to_string(const Graph& graph);                 // one line a node, stable, for goldens
std::vector<std::string> verify(const Graph& graph);       // structural faults in words; empty when sound

}  // namespace netc
