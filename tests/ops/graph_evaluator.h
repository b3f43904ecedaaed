// Evaluates a graph in f64 by plain loops, one op at a time. Independent of kernels, lowering and backends: it is what
// they are compared with. Composite ops are computed by their textbook formula and not by their expansion.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace netc::test {

// `rows` samples one after the other (1 if not batched); truths are 0 and 1, ids whole numbers.
struct Tensor {
  TensorType type;
  int64_t rows = 1;
  std::vector<double> values;

  int64_t sample_size() const { return element_count(type.shape); }
};

// What the leaves hold. Unnamed leaves are an error.
struct Environment {
  int64_t rows = 1;                                        // of the batch
  std::map<std::string, std::vector<double>> inputs;       // rows * elements of a sample
  std::map<std::string, std::vector<double>> parameters;
  std::map<std::string, std::vector<double>> states;
  std::map<std::string, double> scalars;
  uint64_t seed = 1;
  uint32_t update = 0;
};

// The value of every node.
std::vector<Tensor> evaluate(const Graph& graph, const Environment& environment);

// The updates of the graph, written back into parameters and states (all read before any is written).
void apply_updates(const Graph& graph, Environment& environment);

// The textbook formula of a pointwise row, for one element; null for other rows and for rows without one.
using ScalarFunction = std::function<double(const std::vector<double>& x, const Attributes&)>;
const ScalarFunction* scalar_reference(const std::string& op);

}  // namespace netc::test
