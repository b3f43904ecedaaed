#include "compiler/layers/window.h"

#include <algorithm>

namespace netc::layers {
namespace {

// One entry per axis; a single int counts for all. nullopt after an error.
std::optional<std::vector<int64_t>> per_axis(LayerCall& call, const std::string& argument, size_t spatial) {
  const auto* given = call.arguments.as<Integers>(argument);
  if (given->size() == spatial) return *given;
  if (given->size() == 1) return std::vector<int64_t>(spatial, (*given)[0]);
  call.error_at(Code::N0303, argument,
                "`" + argument + "` wants one whole number or " + std::to_string(spatial) + ", got " +
                    std::to_string(given->size()));
  return std::nullopt;
}

using Pads = std::vector<std::pair<int64_t, int64_t>>;

// Explicit padding: an int, one per axis, or pairs. nullopt after an error.
std::optional<Pads> explicit_padding(LayerCall& call, const Integers& given, size_t spatial) {
  Pads pads(spatial);
  for (size_t i = 0; i < spatial; ++i) {
    if (given.size() == 1) pads[i] = {given[0], given[0]};
    else if (given.size() == spatial) pads[i] = {given[i], given[i]};
    else if (given.size() == 2 * spatial) pads[i] = {given[2 * i], given[2 * i + 1]};
    else {
      call.error_at(Code::N0303, "padding",
                    "`padding` wants a word, a whole number, " + std::to_string(spatial) +
                        " whole numbers, or as many pairs [before, after]");
      return std::nullopt;
    }
  }
  return pads;
}

void warn_of_same(LayerCall& call, const Window& window) {
  for (size_t i = 0; i < window.size.size(); ++i) {
    const auto [before, after] = window.padding[i];
    if (window.stride[i] < 2 || before == after) continue;
    const int64_t symmetric = (window.dilation[i] * (window.size[i] - 1)) / 2;
    call.warning(Code::W1106, call.arguments.span("padding"),
                 "`same` with stride " + std::to_string(window.stride[i]) + " pads " + std::to_string(before) +
                     " before and " + std::to_string(after) + " after",
                 "PyTorch's padding=" + std::to_string(symmetric) + " pads " + std::to_string(symmetric) +
                     " before and " + std::to_string(symmetric) + " after")
        .note("the shapes may agree, the values differ; it matters for weights trained elsewhere")
        .help("`padding: " + std::to_string(symmetric) + "`, or silence with `// netc: allow W1106`");
    return;
  }
}

}  // namespace

ParameterRow sizes(std::string name, std::string fallback, int64_t low) {
  ParameterRow row = other(std::move(name), ParameterKind::sizes, std::move(fallback));
  row.low = static_cast<double>(low);
  return row;
}

std::optional<Window> window_of(LayerCall& call, size_t spatial, const std::string& size_argument) {
  const Shape in = call.shape();
  Window window;
  const auto size = per_axis(call, size_argument, spatial);
  if (!size) return std::nullopt;
  window.size = *size;
  window.stride = *size;   // pooling: the stride is the size unless given
  if (call.arguments.has("stride")) {
    const auto stride = per_axis(call, "stride", spatial);
    if (!stride) return std::nullopt;
    window.stride = *stride;
  }
  window.dilation.assign(spatial, 1);
  if (call.row.find("dilation")) {
    const auto dilation = per_axis(call, "dilation", spatial);
    if (!dilation) return std::nullopt;
    window.dilation = *dilation;
  }
  const bool round_up = call.row.find("ceil") && call.arguments.flag("ceil");
  const auto* word = call.arguments.as<std::string>("padding");
  window.padding.assign(spatial, {0, 0});
  if (!word) {
    const auto pads = explicit_padding(call, call.arguments.integers("padding"), spatial);
    if (!pads) return std::nullopt;
    window.padding = *pads;
  }
  for (size_t i = 0; i < spatial; ++i) {
    int64_t span = 0;
    if (__builtin_mul_overflow(window.dilation[i], window.size[i] - 1, &span) || span > (int64_t{1} << 40)) span = int64_t{1} << 40;
    span += 1;
    auto& [before, after] = window.padding[i];
    if (word && *word == "same") {
      const int64_t out = (in[i] + window.stride[i] - 1) / window.stride[i];
      const int64_t total = std::max<int64_t>((out - 1) * window.stride[i] + span - in[i], 0);
      before = total / 2;
      after = total - before;
      window.out.push_back(out);
      continue;
    }
    if (word && *word == "causal") before = span - 1;
    int64_t padded = 0;
    if (__builtin_add_overflow(in[i], before, &padded) || __builtin_add_overflow(padded, after, &padded)) padded = 0;
    if (span > padded) {
      Diagnostic& d = call.error(Code::N0403, call.span,
                                 "a window of " + std::to_string(span) + " does not fit into " + std::to_string(padded) +
                                     " values");
      d.note("axis " + std::to_string(i) + " of " + to_string(call.type()) +
             (padded != in[i] ? " with padding" : "") + " has " + std::to_string(padded) + " values");
      d.help("`padding: same`, a smaller window, or fewer layers above that make the value smaller");
      return std::nullopt;
    }
    const int64_t steps = padded - span + (round_up ? window.stride[i] - 1 : 0);
    window.out.push_back(steps / window.stride[i] + 1);
  }
  if (word && *word == "same") warn_of_same(call, window);
  return window;
}

std::optional<Window> transposed_window(LayerCall& call, size_t spatial) {
  const Shape in = call.shape();
  const auto size = per_axis(call, "kernel", spatial), stride = per_axis(call, "stride", spatial),
             extra = per_axis(call, "output_padding", spatial);
  if (!size || !stride || !extra) return std::nullopt;
  Window window;
  window.size = *size;
  window.stride = *stride;
  window.dilation.assign(spatial, 1);
  window.padding.assign(spatial, {0, 0});
  const auto* word = call.arguments.as<std::string>("padding");
  if (!word) {
    const auto pads = explicit_padding(call, call.arguments.integers("padding"), spatial);
    if (!pads) return std::nullopt;
    window.padding = *pads;
  }
  for (size_t i = 0; i < spatial; ++i) {
    if (!call.fits({in[i], window.stride[i]})) return std::nullopt;
    const auto [before, after] = window.padding[i];
    const bool same = word && *word == "same";
    const int64_t out = same ? in[i] * window.stride[i]
                             : (in[i] - 1) * window.stride[i] - before - after + window.size[i] + (*extra)[i];
    if (out < 1) {
      call.error_at(Code::N0403, "padding", "padding of " + std::to_string(before + after) + " leaves nothing of axis " +
                                                std::to_string(i) + " of " + to_string(call.type()));
      return std::nullopt;
    }
    window.out.push_back(out);
  }
  return window;
}

}  // namespace netc::layers
