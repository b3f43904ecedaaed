#include "compiler/passes/share.h"

#include <cstring>
#include <unordered_map>

#include "compiler/passes/rewrite.h"

namespace netc {

namespace {

void mix(size_t& hash, size_t value) { hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2); }

struct AttributeHash {
  size_t operator()(bool value) const { return value ? 1 : 2; }
  size_t operator()(int64_t value) const { return std::hash<int64_t>{}(value); }
  size_t operator()(double value) const { return std::hash<double>{}(value); }
  size_t operator()(const std::string& value) const { return std::hash<std::string>{}(value); }
  template <class T>
  size_t operator()(const std::vector<T>& values) const {
    size_t hash = values.size();
    for (const T& value : values) mix(hash, std::hash<T>{}(value));
    return hash;
  }
};

size_t hash_of(const Node& node) {
  size_t hash = std::hash<std::string>{}(node.op);
  for (NodeId input : node.inputs) mix(hash, static_cast<size_t>(input));
  for (const auto& [name, value] : node.attributes) {
    mix(hash, std::hash<std::string>{}(name));
    mix(hash, std::visit(AttributeHash{}, value));
  }
  if (is_leaf(node)) mix(hash, std::hash<std::string>{}(node.name));
  return hash;
}

// 0 and -0 compare equal but are not the same constant.
bool same_constant(const Node& a, const Node& b) {
  const double x = float_attribute(a.attributes, "value"), y = float_attribute(b.attributes, "value");
  return std::memcmp(&x, &y, sizeof x) == 0;
}

bool compute_the_same(const Node& a, const Node& b) {
  if (a.op != b.op || a.inputs != b.inputs || a.type != b.type) return false;
  if (a.op == "constant") return same_constant(a, b);
  return a.attributes == b.attributes && (!is_leaf(a) || a.name == b.name);
}

}  // namespace

Graph share(Graph graph) {
  std::unordered_multimap<size_t, NodeId> seen;
  seen.reserve(graph.nodes.size());
  Graph shared = rewrite(std::move(graph), [&seen](GraphBuilder& b, Node& node) -> NodeId {
    const size_t hash = hash_of(node);
    const auto [first, last] = seen.equal_range(hash);
    for (auto entry = first; entry != last; ++entry)
      if (compute_the_same(b.node(entry->second), node)) return entry->second;
    seen.emplace(hash, static_cast<NodeId>(b.graph().nodes.size()));
    return kNoNode;
  });
  return shared;
}

}  // namespace netc
