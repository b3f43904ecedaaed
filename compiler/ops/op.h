// The op table: the only place an op of the graph is declared. One row says everything about one op; a row added here
// is typed, differentiated, lowered, fused, interpreted, compiled and tested with no other file touched.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/kernel/kernel.h"

namespace netc {

class GraphBuilder;

// How a row becomes loops. compiler/program/lower knows these families and never a single op.
//   pointwise   out[i] = body(in0[i], in1[i], ...). Inputs have the output's shape, or are unbatched scalars.
//   expand      copies along new axes: attributes `axes` (which output axes the input's axes are), `shape`, `batched`
//   reduce      attributes `axes` (of the sample, ascending), `batch` (also over the batch: the result is unbatched);
//               axes are dropped
//   reshape     attribute `shape`; same elements in row-major order
//   transpose   attribute `order`
//   concat      attribute `axis`; slice: attributes `axis`, `start`, `stop`
//   matmul      x[..., D] * w[D, U] -> [..., U]; attribute `transpose_weight`: x[..., U] * w[D, U]^T -> [..., D]
//   matmul_tn   x[..., D], g[..., U] -> sum over batch and leading axes of x^T g: [D, U], unbatched (weight gradient)
//   gather      table[V, D], ids[...] -> [..., D];  gather_1 of a table[V] gives [...]
//   scatter_add ids[...], g[..., D], attribute `rows` V -> sum over batch and positions: [V, D], unbatched
//   one_hot     ids[...], attribute `classes` N -> f32 [..., N]
//   random      attributes `shape`, `batched`, `stream`, `rate`: 1 where kept, 0 where dropped, as f32 (see random.h)
//   composite   `expand` rewrites it into the families above after differentiation (softmax, layer_norm, dropout)
enum class OpFamily : uint8_t {
  leaf, pointwise, expand, reduce, reshape, transpose, concat, slice, matmul, matmul_tn, gather, scatter_add, one_hot,
  random, composite,
};

// Where a row may be tested: inputs drawn from [low, high], kinks (where no derivative exists) kept `kink_margin` away.
struct SampleDomain {
  double low = -2, high = 2;
  std::vector<double> kinks;
};

struct OpRow {
  std::string name;
  std::string summary;
  OpFamily family = OpFamily::pointwise;
  int arity = 1;                                   // -1: one or more

  // The type of the result, or nullopt if the inputs do not fit (sema has said so in the user's words before; here it
  // is an internal error).
  std::function<std::optional<TensorType>(std::span<const TensorType> inputs, const Attributes&)> type;

  // Cotangents of the inputs given that of the output; kNoNode where an input has none (ids, masks).
  // `node` is the id of the forward node. Null: not differentiable, a cotangent reaching it is dropped.
  std::function<std::vector<NodeId>(GraphBuilder&, NodeId node, NodeId cotangent)> gradient;

  // pointwise: appends the scalar body to `kernel.exprs` and returns its value.
  std::function<ExprId(Kernel& kernel, std::span<const ExprId> arguments, const Attributes&)> body;

  // composite: the same value out of simpler rows.
  std::function<NodeId(GraphBuilder&, NodeId node)> expand;

  // reduce: how elements are combined.
  Combine combine = Combine::sum;

  std::vector<SampleDomain> domain;                // one per input; empty: the default for all
};

std::span<const OpRow> op_table();
const OpRow* find_op(const std::string& name);     // null if there is none
const OpRow& op_row(const Node& node);             // throws InternalError if there is none

// Appends typed nodes to a graph. `at` and `named` set what following nodes carry for diagnostics and readers.
class GraphBuilder {
 public:
  explicit GraphBuilder(Graph& graph) : graph_(graph) {}

  GraphBuilder& at(Span span) { span_ = span; return *this; }
  GraphBuilder& named(std::string name) { name_ = std::move(name); return *this; }
  Span span() const { return span_; }
  const std::string& name() const { return name_; }

  NodeId op(const std::string& name, std::vector<NodeId> inputs, Attributes attributes = {});
  NodeId input(const std::string& name, TensorType type);
  NodeId parameter(const std::string& path, TensorType type, Initializer init);   // adds it to graph.parameters once
  NodeId state(const std::string& name, TensorType type, double initial);         // adds it to graph.states once
  NodeId scalar(const std::string& name);          // "learning_rate", "inverse_batch", "update_count"
  NodeId constant(double value);

  // Shorthands used all over layers and gradients. Scalars (unbatched, shape []) fit any pointwise operand.
  NodeId add(NodeId a, NodeId b) { return op("add", {a, b}); }
  NodeId sub(NodeId a, NodeId b) { return op("sub", {a, b}); }
  NodeId mul(NodeId a, NodeId b) { return op("mul", {a, b}); }
  NodeId div(NodeId a, NodeId b) { return op("div", {a, b}); }
  NodeId neg(NodeId a) { return op("neg", {a}); }
  // Copies `a` so that it has the type of `like`; axes[i] is the axis of `like` that axis i of `a` becomes.
  NodeId expand_like(NodeId a, NodeId like, std::vector<int64_t> axes);
  NodeId reduce_sum(NodeId a, std::vector<int64_t> axes, bool batch = false);
  NodeId batch_sum(NodeId a);                      // over the batch and all axes: an unbatched scalar

  const TensorType& type(NodeId id) const { return graph_[id].type; }
  const Node& node(NodeId id) const { return graph_[id]; }
  Graph& graph() { return graph_; }

 private:
  NodeId leaf(const std::string& op, const std::string& name);   // kNoNode if the graph has none yet

  Graph& graph_;
  Span span_;
  std::string name_;
  std::unordered_map<std::string, NodeId> leaves_;   // "parameter:fc1.weight" -> node, for the first `indexed_` nodes
  size_t indexed_ = 0;
};

// One value for all rows of the batch: such operands fit any pointwise op.
bool is_scalar(const TensorType& type);

// Typed access to attributes; InternalError if absent or of another type.
int64_t int_attribute(const Attributes& attributes, const std::string& name);
double float_attribute(const Attributes& attributes, const std::string& name);
bool bool_attribute(const Attributes& attributes, const std::string& name, bool fallback);
const std::vector<int64_t>& ints_attribute(const Attributes& attributes, const std::string& name);
const std::string& text_attribute(const Attributes& attributes, const std::string& name);

// Nodes whose type is not what their row makes of their inputs, or that have no row, in words; empty when sound.
// The complement of verify(Graph), which knows no op.
std::vector<std::string> verify_types(const Graph& graph);

}  // namespace netc
