// Weights and optimizer slots on their way between a backend, files and their start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/initializer.h"
#include "compiler/base/tensor_type.h"
#include "runtime/backend.h"
#include "runtime/data/dataset.h"
#include "runtime/record/safetensors.h"

namespace netc {

// A weight of the net: Graph::parameters as plain data. Names that the dataset has a DataConstant for take its values.
struct WeightSlot {
  std::string path;              // "fc1.weight"
  Shape shape;
  Initializer init;
  bool trainable = true;
};

// A slot of the optimizer: Graph::states as plain data.
struct StateSlot {
  std::string name;              // "fc1.weight/square_average"
  Shape shape;
  double initial = 0;
};

// Every slot drawn from the seed; data constants from the data.
void draw_weights(Parameters& parameters, const std::vector<WeightSlot>& weights, const std::vector<StateSlot>& states,
                  uint64_t seed, const std::vector<DataConstant>& constants);

std::vector<TensorOutline> outline(const std::vector<WeightSlot>& weights);
std::vector<TensorOutline> outline(const std::vector<StateSlot>& states);

std::vector<StoredTensor> read_weights(const Parameters& parameters, const std::vector<WeightSlot>& weights);
void write_tensors(Parameters& parameters, const std::vector<StoredTensor>& tensors);

// How the tensors of a file compare with the weights of a net, by path and shape.
struct WeightFit {
  std::vector<std::string> missing;       // in the net, not in the file
  std::vector<std::string> other_shape;   // "fc1.weight: the net has [784, 512], the file [784, 1024]"
  std::vector<std::string> left_over;     // in the file, not in the net
  std::vector<std::string> renamed;       // "fc1.weight may be first.weight of the file: equal shapes", when unambiguous

  bool exact() const { return missing.empty() && other_shape.empty() && left_over.empty(); }
};
WeightFit compare_weights(const std::vector<WeightSlot>& weights, const std::vector<StoredTensor>& tensors);

}  // namespace netc
