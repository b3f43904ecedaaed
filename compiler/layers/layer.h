// The layer table: the user's vocabulary, one row per layer. A row says what it takes, checks the shapes, makes its
// weights and builds ops; a layer added here is parsed, checked, printed, documented and trained with no other file
// touched.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/graph/graph.h"
#include "compiler/layers/arguments.h"
#include "compiler/layers/signature.h"
#include "compiler/ops/op.h"

namespace netc {

// What the caller of a row provides besides the graph: names of weights, and where messages go.
class LayerHost {
 public:
  virtual ~LayerHost() = default;
  // The leaf of the weight `name` of the layer being built; made at its first use. kNoNode after an error (a second
  // use of a shared layer with another shape).
  virtual NodeId weight(const std::string& name, TensorType type, Initializer init, bool trainable) = 0;
  // An error with the call chain of the layer being built.
  virtual Diagnostic& error(Code code, Span span, std::string summary, std::string label) = 0;
  virtual Diagnostic& warning(Code code, Span span, std::string summary, std::string label) = 0;
  // What the author can call a node by where the row is used; empty if it has no name there.
  virtual std::string name_of(NodeId node) const = 0;
};

struct LayerRow;

// One use of a layer, as the caller found it.
struct LayerUse {
  const LayerRow& row;
  const Arguments& arguments;
  std::vector<NodeId> inputs;
  std::vector<Span> input_spans;   // where each input is written, for labels
  Span span;                       // the stage
  int64_t stream = 0;              // of random numbers, not negative: a hash of the layer's path and of the use
};

// What a row builds with.
class LayerCall : public LayerUse {
 public:
  LayerCall(LayerUse use, GraphBuilder& builder, LayerHost& host) : LayerUse(std::move(use)), b(builder), host_(host) {}

  GraphBuilder& b;

  const std::string& name() const;
  NodeId in(size_t i = 0) const { return inputs.at(i); }
  // By value: a row adds nodes while it looks at its inputs.
  TensorType type(size_t i = 0) const { return b.type(inputs.at(i)); }
  Shape shape(size_t i = 0) const { return b.type(inputs.at(i)).shape; }

  NodeId weight(const std::string& weight_name, Shape of, Initializer init, bool trainable = true);
  // The initialiser chosen by argument `name`, for a weight with that many inputs and outputs.
  Initializer initializer(const std::string& argument, int64_t fan_in, int64_t fan_out) const;
  // A weight the argument `weight:` may replace by another layer's. kNoNode after an error; transposed says how to use it.
  NodeId tied_weight(Shape wanted, Initializer init, bool* transposed);

  Diagnostic& error(Code code, Span where, std::string summary, std::string label = {});
  Diagnostic& warning(Code code, Span where, std::string summary, std::string label = {});
  Diagnostic& error_at(Code code, const std::string& argument, std::string summary, std::string label = {});

  std::string name_of(NodeId node) const { return host_.name_of(node); }

  // Checks many rows need. False after an error.
  bool is_float(size_t input = 0);                                          // N0406
  bool has_rank(size_t rank, const std::string& axes, size_t input = 0);    // N0402; axes: "[H, W, C]"
  bool has_rank_at_least(size_t rank, const std::string& axes, size_t input = 0);
  // The axis that argument names, counted from the front of a sample; nullopt after N0409.
  std::optional<int64_t> axis(const std::string& argument = "axis", size_t input = 0, int64_t extra = 0);
  bool fits(const Shape& result);                                           // N0418: the number of values fits

  // A node for a layer without an implementation: typed, and refused when it would run.
  NodeId unavailable(TensorType result, std::vector<NodeId> operands);

 private:
  LayerHost& host_;
};

struct LayerRow : Signature {
  std::string shape_rule;         // "[..., D] -> [..., units]"
  int inputs = 1;                 // -1: one or more
  // The results, one per value; empty after an error.
  std::vector<NodeId> (*build)(LayerCall&) = nullptr;
  std::vector<std::string> shown = {};   // parameters whose values stand in the table of shapes: {"units"}
};

const std::vector<LayerRow>& layer_table();       // in the order of the reference
const LayerRow* find_layer(const std::string& name);

TensorType batched(DType dtype, Shape shape);     // of one sample

}  // namespace netc
