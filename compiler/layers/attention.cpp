// Attention and positions: shapes and weights.
#include <algorithm>

#include "compiler/layers/initializers.h"
#include "compiler/layers/rows.h"

namespace netc::layers {
namespace {

// Checks `heads` against the width; the width of one head, or nullopt after N0412.
std::optional<int64_t> key_width(LayerCall& call, int64_t width) {
  const int64_t heads = call.arguments.integer("heads");
  if (const auto* given = call.arguments.as<int64_t>("key_dim")) return *given;
  if (width % heads == 0) return width / heads;
  std::string fitting;
  for (int64_t h = 1; h <= width && h <= 64; ++h)
    if (width % h == 0) fitting += (fitting.empty() ? "" : ", ") + std::to_string(h);
  call.error_at(Code::N0412, "heads",
                "width " + std::to_string(width) + " does not divide by " + std::to_string(heads) + " heads")
      .note("heads that fit: " + fitting)
      .help("another number of heads, or say the width of one with `key_dim:`");
  return std::nullopt;
}

// A mask: bool[T] over the places that answer.
bool check_mask(LayerCall& call, int64_t length) {
  const auto* mask = call.arguments.as<TensorArgument>("mask");
  if (!mask) return true;
  const TensorType type = call.b.type(mask->node);
  if (type.dtype == DType::boolean && type.shape == Shape{length}) return true;
  const TensorType wanted{DType::boolean, {length}, true, 0};
  call.error_at(Code::N0401, "mask", "`mask` wants " + to_string(wanted) + ", got " + to_string(type))
      .help("true = attend; a comparison makes a mask: `tokens != 0`");
  return false;
}

// The projections q, k, v and out.
bool projections(LayerCall& call, int64_t width, int64_t answer_width, int64_t inner, std::vector<NodeId>* operands) {
  struct Projection {
    const char* name;
    int64_t from, to;
  };
  for (const Projection& p : {Projection{"q", width, inner}, Projection{"k", answer_width, inner},
                              Projection{"v", answer_width, inner}, Projection{"out", inner, width}}) {
    const Initializer init = make_initializer({"glorot_uniform", {}}, p.from, p.to);
    operands->push_back(call.weight(std::string(p.name) + ".weight", {p.from, p.to}, init));
    if (call.arguments.flag("bias"))
      operands->push_back(call.weight(std::string(p.name) + ".bias", {p.to}, {Initializer::Kind::zeros, 0, 0, false}));
  }
  return std::count(operands->begin(), operands->end(), kNoNode) == 0;
}

Nodes multi_head(LayerCall& call) {
  const bool crosses = call.inputs.size() == 2;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (!call.is_float(i) || !call.has_rank(2, "[T, D]", i)) return {};
  const Shape asks = call.shape(0), answers = call.shape(crosses ? 1 : 0);
  const auto width = key_width(call, asks[1]);
  if (!width || !check_mask(call, answers[0])) return {};
  if (!call.fits({*width, call.arguments.integer("heads"), asks[1] + answers[1]})) return {};
  std::vector<NodeId> operands = call.inputs;
  if (!projections(call, asks[1], answers[1], *width * call.arguments.integer("heads"), &operands)) return {};
  if (const auto* mask = call.arguments.as<TensorArgument>("mask")) operands.push_back(mask->node);
  return {call.unavailable(batched(DType::f32, asks), std::move(operands))};
}

Nodes attention(LayerCall& call) {
  for (size_t i = 0; i < 3; ++i)
    if (!call.is_float(i) || !call.has_rank(2, "[T, D]", i)) return {};
  if (call.shape(0)[1] != call.shape(1)[1] || call.shape(1)[0] != call.shape(2)[0]) {
    Diagnostic& d = call.error(Code::N0401, call.span, "`attention` needs [T, D], [S, D], [S, V]");
    for (size_t i = 0; i < 3 && i < call.input_spans.size(); ++i) d.label(call.input_spans[i], to_string(call.type(i)));
    return {};
  }
  if (!check_mask(call, call.shape(1)[0])) return {};
  std::vector<NodeId> operands = call.inputs;
  if (const auto* mask = call.arguments.as<TensorArgument>("mask")) operands.push_back(mask->node);
  return {call.unavailable(batched(DType::f32, {call.shape(0)[0], call.shape(2)[1]}), std::move(operands))};
}

// Learned positions are a table added to every sample; nothing needs to be looked up.
Nodes add_positions(LayerCall& call) {
  if (!call.is_float() || !call.has_rank(2, "[T, D]")) return {};
  const Shape in = call.shape();
  const int64_t length = call.arguments.has("max") ? call.arguments.integer("max") : in[0];
  if (length < in[0]) {
    call.error_at(Code::N0408, "max",
                  "the table has " + std::to_string(length) + " rows, positions go up to " + std::to_string(in[0] - 1));
    return {};
  }
  if (call.arguments.word("kind") == "sinusoidal") return {call.unavailable(call.type(), {call.in()})};
  if (!call.fits({length, in[1]})) return {};
  NodeId table = call.weight("weight", {length, in[1]}, {Initializer::Kind::normal, 0, 0.02, false});
  if (table == kNoNode) return {};
  if (length > in[0])
    table = call.b.op("slice", {table}, {{"axis", int64_t{0}}, {"start", int64_t{0}}, {"stop", in[0]}});
  return {call.b.add(call.in(), call.b.expand_like(table, call.in(), {0, 1}))};
}

}  // namespace

std::vector<LayerRow> attention_rows() {
  const ParameterRow heads = required(integer("heads", "", 1)), causal = flag("causal", "false");
  const ParameterRow mask = documented(other("mask", ParameterKind::tensor, "none"), "bool[T], true = attend");
  const ParameterRow dropout = share_below_one("dropout", "0.0"), bias = flag("bias", "true");
  const ParameterRow key_dim = integer("key_dim", "width/heads", 1);
  return {
      not_yet(row("self_attention", "Every place of a sequence asks every other.", "[T, D] -> [T, D]",
                  {heads, causal, mask, dropout, key_dim, bias, flag("rope", "false")}, multi_head, {"heads"})),
      not_yet(row("cross_attention", "The first sequence asks, the second answers.", "[T, D], [S, E] -> [T, D]",
                  {heads, mask, dropout, key_dim, bias}, multi_head, {"heads"}, 2)),
      not_yet(row("attention", "Plain scaled dot product, without parameters.", "[T, D], [S, D], [S, V] -> [T, V]",
                  {causal, mask, dropout}, attention, {}, 3)),
      row("add_positions", "Adds a vector that depends on the place.", "[T, D] -> [T, D]",
          {required(word("kind", {"learned", "sinusoidal"})), integer("max", "length", 1)}, add_positions, {"kind"}),
  };
}

}  // namespace netc::layers
