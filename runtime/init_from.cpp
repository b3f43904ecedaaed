#include "runtime/init_from.h"

#include <fmt/format.h>

#include <algorithm>

namespace netc {
namespace {

void add_list(Diagnostic& error, const char* title, const std::vector<std::string>& lines) {
  constexpr size_t kShown = 8;
  if (lines.empty()) return;
  std::string text = title;
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i) text += "\n  " + lines[i];
  if (lines.size() > kShown) text += fmt::format("\n  and {} more", lines.size() - kShown);
  error.note(text);
}

}  // namespace

void load_init_from(const TrainSpec& spec, const std::vector<WeightSlot>& weights, Parameters& parameters,
                    Diagnostics& diagnostics) {
  TensorFile content = read_safetensors(spec.init_from);
  const WeightFit fit = compare_weights(weights, content.tensors);
  const bool fits = spec.init_partial ? fit.other_shape.empty() : fit.exact();
  if (!fits) {
    auto& error = diagnostics.error(Code::N0505, spec.init_from_span,
                                    fmt::format("`{}` does not fit this net: {} missing, {} of other shape, {} left over",
                                                spec.init_from, fit.missing.size(), fit.other_shape.size(),
                                                fit.left_over.size()));
    add_list(error, "missing in the file:", fit.missing);
    add_list(error, "of other shape:", fit.other_shape);
    add_list(error, "left over:", fit.left_over);
    add_list(error, "perhaps renamed:", fit.renamed);
    if (!spec.init_partial && fit.other_shape.empty()) error.help("`partial: true` takes what fits and leaves the rest as it starts");
    return;
  }
  std::erase_if(content.tensors, [&](const StoredTensor& tensor) {
    return std::none_of(weights.begin(), weights.end(), [&](const WeightSlot& slot) { return slot.path == tensor.name; });
  });
  write_tensors(parameters, content.tensors);
}

}  // namespace netc
