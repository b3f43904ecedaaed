// For the files that hold rows of the layer table: how a row is written, and the families the table is joined from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/layers/layer.h"

namespace netc::layers {

using Nodes = std::vector<NodeId>;

inline LayerRow row(std::string name, std::string summary, std::string shape_rule, std::vector<ParameterRow> parameters,
                    Nodes (*build)(LayerCall&), std::vector<std::string> shown = {}, int inputs = 1) {
  LayerRow layer;
  layer.name = std::move(name);
  layer.summary = std::move(summary);
  layer.shape_rule = std::move(shape_rule);
  layer.parameters = std::move(parameters);
  layer.build = build;
  layer.shown = std::move(shown);
  layer.inputs = inputs;
  return layer;
}

// Known, with its shapes and weights, but without ops in this version.
inline LayerRow not_yet(LayerRow layer) {
  layer.available = false;
  return layer;
}

// "1, 2, 4 and 8 divide 8", for messages.
std::string divisors_note(int64_t size);

std::vector<LayerRow> affine_rows();         // dense, embedding
std::vector<LayerRow> convolution_rows();
std::vector<LayerRow> normalization_rows();  // also dropout and noise
std::vector<LayerRow> pooling_rows();        // also reductions over an axis
std::vector<LayerRow> attention_rows();
std::vector<LayerRow> shape_rows();
std::vector<LayerRow> activation_rows();
std::vector<LayerRow> comparison_rows();     // of two tensors

}  // namespace netc::layers
