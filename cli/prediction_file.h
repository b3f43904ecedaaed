// The answers of `netc predict` on disk, one row a sample, in the order of the input:
//   .csv    a header, then numbers; a vector gives the columns name.0, name.1 ...
//   .jsonl  one object a line, {"probs": [0.1, 0.9]}
//   .npy    one NumPy array of f32 [rows, ...]; one output only
// The file appears whole or not at all. Numbers have the fewest digits that give the same f32 again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/base/tensor_type.h"

namespace netc {

struct OutputColumn {
  std::string name;
  Shape shape;                       // of one sample
};

class PredictionFile {
 public:
  virtual ~PredictionFile() = default;
  // values[i]: rows x elements of column i, row-major.
  virtual void add(int64_t rows, const std::vector<std::vector<float>>& values) = 0;
  virtual void finish() = 0;         // throws RuntimeError if the file cannot be written
};

// By the ending of `path`; throws UsageError if it is none of the three, or if .npy is to hold several outputs.
// `rows` is how many will be added.
std::unique_ptr<PredictionFile> make_prediction_file(const std::string& path, std::vector<OutputColumn> columns,
                                                     int64_t rows);

}  // namespace netc
