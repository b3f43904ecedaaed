// Windows that slide over the axes of a sample: sizes, strides, padding and the shape they leave. Shared by
// convolutions and pooling.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/layers/layer.h"

namespace netc::layers {

struct Window {
  std::vector<int64_t> size, stride, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;   // before and after, per axis
  Shape out;                                          // of the spatial axes
};

// A parameter of kind `sizes`, entries from `low`.
ParameterRow sizes(std::string name, std::string fallback = {}, int64_t low = 1);

// Reads the arguments `size_argument`, stride, padding, dilation (if the row has it) and ceil (if it has it) against the
// first input. nullopt after an error (N0310, N0403).
std::optional<Window> window_of(LayerCall& call, size_t spatial, const std::string& size_argument);

// The window of conv2d_transpose: H' = (H - 1) * stride - 2 * padding + kernel + output_padding, as in PyTorch;
// `same` gives H' = H * stride.
std::optional<Window> transposed_window(LayerCall& call, size_t spatial);

}  // namespace netc::layers
