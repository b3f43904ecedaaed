// Layers that move values without changing them.
#include <algorithm>

#include "compiler/layers/rows.h"

namespace netc::layers {
namespace {

NodeId reshaped(LayerCall& call, Shape shape) { return call.b.op("reshape", {call.in()}, {{"shape", std::move(shape)}}); }

Nodes flatten(LayerCall& call) { return {reshaped(call, {element_count(call.shape())})}; }

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Nodes reshape(LayerCall& call) {
  Shape wanted = call.arguments.integers("shape");
  const int64_t count = element_count(call.shape());
  int64_t known = 1, free_axes = 0;
  bool overflow = false;
  for (int64_t size : wanted) {
    if (size == -1) {
      ++free_axes;
      continue;
    }
    if (size < 1) {
      call.error_at(Code::N0310, "shape", "sizes of `shape` must lie in 1 .., got " + std::to_string(size))
          .help("one entry may be -1: what is left");
      return {};
    }
    overflow |= __builtin_mul_overflow(known, size, &known);
  }
  const bool fits = !overflow && known > 0 && (free_axes == 0 ? known == count : free_axes == 1 && count % known == 0);
  if (!fits) {
    Diagnostic& d = call.error_at(Code::N0413, "shape",
                                  "cannot reshape " + std::to_string(count) + " values into " + shape_text(wanted));
    d.note("the value is " + to_string(call.type()) +
           (free_axes == 0 && !overflow ? "; the shape asks for " + std::to_string(known) + " values" : ""));
    if (free_axes > 1) d.help("only one entry may be -1");
    for (size_t i = wanted.size(); free_axes == 0 && !overflow && i-- > 0;) {
      const int64_t rest = known / wanted[i];
      if (count % rest != 0) continue;
      wanted[i] = -1;
      d.fix("let one entry be what is left", call.arguments.span("shape"), shape_text(wanted), Confidence::guess);
      break;
    }
    return {};
  }
  for (int64_t& size : wanted)
    if (size == -1) size = count / known;
  return {reshaped(call, std::move(wanted))};
}

Nodes squeeze(LayerCall& call) {
  const auto axis = call.axis();
  if (!axis) return {};
  Shape shape = call.shape();
  const int64_t size = shape[static_cast<size_t>(*axis)];
  if (size != 1) {
    Diagnostic& d = call.error_at(Code::N0414, "axis",
                                  "`squeeze`: axis " + std::to_string(*axis) + " has size " + std::to_string(size));
    d.note("the value is " + to_string(call.type()));
    const auto one = std::find(shape.begin(), shape.end(), 1);
    if (one != shape.end()) d.help("`axis: " + std::to_string(one - shape.begin()) + "` has size 1");
    return {};
  }
  shape.erase(shape.begin() + *axis);
  return {reshaped(call, std::move(shape))};
}

Nodes unsqueeze(LayerCall& call) {
  const auto axis = call.axis("axis", 0, 1);
  if (!axis) return {};
  Shape shape = call.shape();
  shape.insert(shape.begin() + *axis, 1);
  return {reshaped(call, std::move(shape))};
}

Nodes transpose_axes(LayerCall& call) {
  Integers order = call.arguments.integers("order");
  const int64_t rank = static_cast<int64_t>(call.shape().size());
  std::vector<bool> seen(static_cast<size_t>(rank));
  bool sound = static_cast<int64_t>(order.size()) == rank;
  for (int64_t& axis : order) {
    if (axis < -rank || axis >= rank) {
      call.error_at(Code::N0409, "order", "axis " + std::to_string(axis) + " does not exist in " + to_string(call.type()))
          .note("the batch has no number, -1 is the last");
      return {};
    }
    if (axis < 0) axis += rank;
    sound = sound && !seen[static_cast<size_t>(axis)];
    seen[static_cast<size_t>(axis)] = true;
  }
  if (!sound) {
    call.error_at(Code::N0310, "order",
                  "`order` must name each of the " + std::to_string(rank) + " axes of " + to_string(call.type()) + " once");
    return {};
  }
  return {call.b.op("transpose", {call.in()}, {{"order", order}})};
}

Nodes concat(LayerCall& call) {
  const auto axis = call.axis();
  if (!axis) return {};
  const TensorType first = call.type(0);
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    const TensorType t = call.type(i);
    if (t.dtype != first.dtype || t.classes != first.classes) {
      call.error(Code::N0405, call.span, "element types differ: " + to_string(first) + ", " + to_string(t))
          .label(call.input_spans[0], to_string(first))
          .label(call.input_spans[i], to_string(t))
          .help("`to_float` in the data, or `one_hot`");
      return {};
    }
    bool equal = t.shape.size() == first.shape.size();
    for (size_t a = 0; equal && a < t.shape.size(); ++a)
      equal = t.shape[a] == first.shape[a] || static_cast<int64_t>(a) == *axis;
    if (equal) continue;
    Diagnostic& d = call.error(Code::N0415, call.span, "`concat`: shapes differ outside the joined axis");
    for (size_t k = 0; k < call.inputs.size(); ++k) d.label(call.input_spans[k], to_string(call.type(k)));
    d.note("joined along axis " + std::to_string(*axis) + "; the other axes must agree");
    for (int64_t other = 0; t.shape.size() == first.shape.size() && other < static_cast<int64_t>(t.shape.size()); ++other) {
      bool would_fit = other != *axis;
      for (size_t k = 1; would_fit && k < call.inputs.size(); ++k)
        for (size_t a = 0; would_fit && a < first.shape.size(); ++a)
          would_fit = call.shape(k).size() == first.shape.size() &&
                      (static_cast<int64_t>(a) == other || call.shape(k)[a] == first.shape[a]);
      if (would_fit) d.help("`axis: " + std::to_string(other) + "` fits");
    }
    return {};
  }
  if (call.inputs.size() == 1) return {call.in()};
  return {call.b.op("concat", call.inputs, {{"axis", *axis}})};
}

Nodes split(LayerCall& call) {
  const auto axis = call.axis();
  if (!axis) return {};
  const int64_t parts = call.arguments.integer("parts"), size = call.shape()[static_cast<size_t>(*axis)];
  if (size % parts != 0) {
    call.error_at(Code::N0410, "parts",
                  "axis " + std::to_string(*axis) + " has size " + std::to_string(size) + ", which does not divide into " +
                      std::to_string(parts) + " parts")
        .note(divisors_note(size));
    return {};
  }
  Nodes results;
  for (int64_t i = 0; i < parts; ++i)
    results.push_back(call.b.op("slice", {call.in()},
                                {{"axis", *axis}, {"start", i * (size / parts)}, {"stop", (i + 1) * (size / parts)}}));
  return results;
}

Nodes slice(LayerCall& call) {
  const auto axis = call.axis();
  if (!axis) return {};
  const int64_t size = call.shape()[static_cast<size_t>(*axis)];
  int64_t start = call.arguments.integer("start"), stop = call.arguments.integer("stop");
  if (start < 0) start += size;
  if (stop < 0) stop += size;
  if (start < 0 || start >= size || stop <= start || stop > size) {
    call.error(Code::N0310, call.span,
               "`start` and `stop` must lie in 0 .. " + std::to_string(size) + " and rise, got " +
                   std::to_string(call.arguments.integer("start")) + " and " +
                   std::to_string(call.arguments.integer("stop")))
        .note("axis " + std::to_string(*axis) + " of " + to_string(call.type()) + " has size " + std::to_string(size));
    return {};
  }
  const int64_t step = call.arguments.integer("step");
  if (step == 1) return {call.b.op("slice", {call.in()}, {{"axis", *axis}, {"start", start}, {"stop", stop}})};
  std::vector<NodeId> taken;   // every step-th element: single slices joined
  for (int64_t at = start; at < stop; at += step)
    taken.push_back(call.b.op("slice", {call.in()}, {{"axis", *axis}, {"start", at}, {"stop", at + 1}}));
  return {taken.size() == 1 ? taken[0] : call.b.op("concat", taken, {{"axis", *axis}})};
}

Nodes pad2d(LayerCall& call) {
  if (!call.has_rank(3, "[H, W, C]")) return {};
  const Integers& amount = call.arguments.integers("amount");
  Integers pads = amount.size() == 4   ? amount
                  : amount.size() == 2 ? Integers{amount[0], amount[0], amount[1], amount[1]}
                                       : Integers{amount[0], amount[0], amount[0], amount[0]};
  TensorType out = call.type();
  out.shape[0] += pads[0] + pads[1];
  out.shape[1] += pads[2] + pads[3];
  if (!call.fits(out.shape)) return {};
  return {call.unavailable(out, {call.in()})};
}

Nodes upsample2d(LayerCall& call) {
  if (!call.is_float() || !call.has_rank(3, "[H, W, C]")) return {};
  const int64_t factor = call.arguments.integer("factor");
  TensorType out = call.type();
  if (!call.fits({out.shape[0], factor, out.shape[1], factor, out.shape[2]})) return {};
  out.shape[0] *= factor;
  out.shape[1] *= factor;
  return {call.unavailable(out, {call.in()})};
}

Nodes space_to_depth(LayerCall& call) {
  if (!call.has_rank(3, "[H, W, C]")) return {};
  const int64_t f = call.arguments.integer("factor");
  const Shape in = call.shape();
  if (in[0] % f != 0 || in[1] % f != 0) {
    call.error_at(Code::N0410, "factor",
                  std::to_string(in[0]) + " x " + std::to_string(in[1]) + " does not divide into squares of " +
                      std::to_string(f));
    return {};
  }
  if (!call.fits({in[0] / f, in[1] / f, in[2], f, f})) return {};
  const NodeId cut = reshaped(call, {in[0] / f, f, in[1] / f, f, in[2]});
  const NodeId turned = call.b.op("transpose", {cut}, {{"order", std::vector<int64_t>{0, 2, 1, 3, 4}}});
  return {call.b.op("reshape", {turned}, {{"shape", std::vector<int64_t>{in[0] / f, in[1] / f, f * f * in[2]}}})};
}

Nodes one_hot(LayerCall& call) {
  const TensorType t = call.type();
  if (t.classes == 0) {
    call.error(Code::N0407, call.span, "`one_hot` wants class(N), got " + to_string(t))
        .help("declare the input, and the field it is fed from, as `class(N)`");
    return {};
  }
  Shape out = t.shape;
  out.push_back(t.classes);
  if (!call.fits(out)) return {};
  return {call.b.op("one_hot", {call.in()}, {{"classes", t.classes}})};
}

Nodes scale_channels(LayerCall& call) {
  if (!call.is_float(0) || !call.is_float(1)) return {};
  if (!call.has_rank_at_least(1, "[..., C]", 0) || !call.has_rank(1, "[C]", 1)) return {};
  if (call.shape(0).back() != call.shape(1)[0]) {
    Diagnostic& d = call.error(Code::N0401, call.span, "`scale_channels` needs one factor per channel");
    for (size_t i = 0; i < 2 && i < call.input_spans.size(); ++i) d.label(call.input_spans[i], to_string(call.type(i)));
    d.note("channels: " + std::to_string(call.shape(0).back()) + ";  factors: " + std::to_string(call.shape(1)[0]));
    return {};
  }
  const int64_t last = static_cast<int64_t>(call.shape(0).size()) - 1;
  return {call.b.mul(call.in(0), call.b.expand_like(call.in(1), call.in(0), {last}))};
}

Nodes identity(LayerCall& call) { return {call.in()}; }

Nodes stop_gradient(LayerCall& call) { return {call.b.op("stop_gradient", {call.in()})}; }

}  // namespace

std::vector<LayerRow> shape_rows() {
  const ParameterRow axis = integer("axis", "-1");
  return {
      row("flatten", "All axes into one, row-major in channels-last order.", "[...] -> [product]", {}, flatten),
      row("reshape", "The same values in another shape; one entry may be -1.", "[...] -> shape",
          {required(other("shape", ParameterKind::shape))}, reshape, {"shape"}),
      row("transpose_axes", "Axes in another order.", "axis i of the result is axis order[i]",
          {required(other("order", ParameterKind::shape))}, transpose_axes, {"order"}),
      row("squeeze", "Drops an axis of size 1.", "drops a 1", {axis}, squeeze),
      row("unsqueeze", "Adds an axis of size 1.", "adds a 1", {axis}, unsqueeze),
      row("concat", "Joins values along an axis.", "several -> one", {axis}, concat, {}, -1),
      row("split", "Cuts an axis into equal parts.", "one -> a tuple", {required(integer("parts", "", 1)), axis}, split,
          {"parts"}),
      row("slice", "Part of an axis, from start up to but not including stop.", "shortens an axis",
          {required(integer("axis")), required(integer("start")), required(integer("stop")), integer("step", "1", 1)},
          slice, {"axis", "start", "stop"}),
      not_yet(row("pad2d", "Adds a border.", "[H, W, C] -> [H', W', C]",
                  {required(other("amount", ParameterKind::padding)), number("value", "0.0")}, pad2d, {"amount"})),
      not_yet(row("upsample2d", "Enlarges pictures.", "[H, W, C] -> [H f, W f, C]",
                  {required(integer("factor", "", 1)), word("method", {"nearest", "bilinear"}, "nearest")}, upsample2d,
                  {"factor"})),
      row("space_to_depth", "Squares of pixels become channels.", "[H, W, C] -> [H/f, W/f, C f f]",
          {required(integer("factor", "", 1))}, space_to_depth, {"factor"}),
      row("one_hot", "1 at the place of the id, 0 elsewhere.", "class(N)[...] -> f32[..., N]", {}, one_hot),
      row("scale_channels", "Multiplies every channel by its own factor: the one product of different shapes.",
          "[..., C], [C] -> [..., C]", {}, scale_channels, {}, 2),
      row("identity", "The value itself; useful as a default `layer` argument.", "same", {}, identity),
      row("stop_gradient", "The value itself, but no gradient passes.", "same", {}, stop_gradient),
  };
}

}  // namespace netc::layers
