// Layers that compare two vectors.
#include "compiler/layers/rows.h"

namespace netc::layers {
namespace {

bool are_equal_vectors(LayerCall& call) {
  for (size_t i = 0; i < 2; ++i)
    if (!call.is_float(i) || !call.has_rank(1, "[D]", i)) return false;
  if (call.shape(0) == call.shape(1)) return true;
  Diagnostic& d = call.error(Code::N0401, call.span, "`" + call.name() + "` needs equal shapes");
  for (size_t i = 0; i < 2 && i < call.input_spans.size(); ++i) d.label(call.input_spans[i], to_string(call.type(i)));
  d.note("axis 0: " + std::to_string(call.shape(0)[0]) + " and " + std::to_string(call.shape(1)[0]));
  return false;
}

NodeId dot_product(GraphBuilder& b, NodeId x, NodeId y) { return b.reduce_sum(b.mul(x, y), {0}); }

Nodes euclidean(LayerCall& call) {
  if (!are_equal_vectors(call)) return {};
  const NodeId difference = call.b.sub(call.in(0), call.in(1));
  const NodeId square = dot_product(call.b, difference, difference);
  return {call.b.op("sqrt", {call.b.add(square, call.b.constant(call.arguments.number("eps")))})};
}

Nodes cosine(LayerCall& call) {
  if (!are_equal_vectors(call)) return {};
  GraphBuilder& b = call.b;
  const NodeId lengths = b.mul(b.op("sqrt", {dot_product(b, call.in(0), call.in(0))}),
                               b.op("sqrt", {dot_product(b, call.in(1), call.in(1))}));
  const NodeId floor = b.constant(call.arguments.number("eps"));
  return {b.div(dot_product(b, call.in(0), call.in(1)), b.op("max", {lengths, floor}))};
}

Nodes dot(LayerCall& call) {
  if (!are_equal_vectors(call)) return {};
  return {dot_product(call.b, call.in(0), call.in(1))};
}

}  // namespace

std::vector<LayerRow> comparison_rows() {
  return {
      row("euclidean", "The distance of two vectors.", "[D], [D] -> scalar", {positive("eps", "1e-12")}, euclidean, {}, 2),
      row("cosine", "The cosine of the angle between two vectors.", "[D], [D] -> scalar", {positive("eps", "1e-8")},
          cosine, {}, 2),
      row("dot", "The dot product of two vectors.", "[D], [D] -> scalar", {}, dot, {}, 2),
  };
}

}  // namespace netc::layers
