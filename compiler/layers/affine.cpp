// Layers that multiply by a weight: dense, embedding.
#include "compiler/layers/rows.h"

namespace netc::layers {
namespace {

Nodes dense(LayerCall& call) {
  if (!call.is_float() || !call.has_rank_at_least(1, "[..., D]")) return {};
  const int64_t units = call.arguments.integer("units");
  const Shape in = call.shape();
  const int64_t width = in.back();
  Shape out = in;
  out.back() = units;
  if (!call.fits(out) || !call.fits({width, units})) return {};
  bool transposed = false;
  const NodeId weight = call.tied_weight({width, units}, call.initializer("init", width, units), &transposed);
  if (weight == kNoNode) return {};
  Attributes attributes;
  if (transposed) attributes["transpose_weight"] = true;
  NodeId y = call.b.op("matmul", {call.in(), weight}, attributes);
  if (call.arguments.flag("bias")) {
    const NodeId bias = call.weight("bias", {units}, call.initializer("bias_init", width, units));
    if (bias == kNoNode) return {};
    y = call.b.add(y, call.b.expand_like(bias, y, {static_cast<int64_t>(out.size()) - 1}));
  }
  return {y};
}

Nodes embedding(LayerCall& call) {
  const TensorType ids = call.type();
  const int64_t vocab = call.arguments.integer("vocab");
  if (ids.classes == 0) {
    Diagnostic& d = call.error(Code::N0407, call.span, "`embedding` wants class(N), got " + to_string(ids));
    if (!call.input_spans.empty()) d.label(call.input_spans[0], "this value");
    d.help("declare the input, and the field it is fed from, as `class(" + std::to_string(vocab) + ")`");
    return {};
  }
  if (ids.classes > vocab) {
    call.error_at(Code::N0408, "vocab",
                  "the table has " + std::to_string(vocab) + " rows, ids go up to " + std::to_string(ids.classes - 1))
        .note("the ids are " + to_string(ids))
        .help("use one `const` for both");
    return {};
  }
  if (ids.classes < vocab)
    call.warning(Code::W1103, call.arguments.span("vocab"),
                 "the table has " + std::to_string(vocab) + " rows, only " + std::to_string(ids.classes) + " can be used");
  const int64_t dim = call.arguments.integer("dim");
  Shape out = ids.shape;
  out.push_back(dim);
  if (!call.fits(out) || !call.fits({vocab, dim})) return {};
  const NodeId table = call.weight("weight", {vocab, dim}, call.initializer("init", vocab, dim));
  if (table == kNoNode) return {};
  if (call.arguments.has("padding_id")) return {call.unavailable(batched(DType::f32, out), {call.in(), table})};
  return {call.b.op("gather", {table, call.in()})};
}

}  // namespace

std::vector<LayerRow> affine_rows() {
  return {
      row("dense", "A weight for every pair of input and output of the last axis, and a bias.",
          "[..., D] -> [..., units]",
          {required(integer("units", "", 1)), flag("bias", "true"),
           other("init", ParameterKind::initializer, "glorot_uniform"),
           other("bias_init", ParameterKind::initializer, "zeros"),
           documented(other("weight", ParameterKind::weight, "none"),
                      "another layer's parameter, or `transpose(...)` of it, instead of an own weight")},
          dense, {"units"}),
      row("embedding", "A table of vectors, looked up by id.", "class(vocab)[...] -> f32[..., dim]",
          {required(integer("vocab", "", 1)), required(integer("dim", "", 1)),
           other("init", ParameterKind::initializer, "uniform(-0.05, 0.05)"),
           documented(integer("padding_id", "none", 0), "an id whose vector stays zero")},
          embedding, {"vocab", "dim"}),
  };
}

}  // namespace netc::layers
