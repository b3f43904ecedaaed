// The safetensors format: eight bytes of header length (little-endian), a JSON header, then the values.
//
//   {"__metadata__": {"net": "mlp"}, "fc1.weight": {"dtype": "F32", "shape": [784, 1024], "data_offsets": [0, 3211264]}}
//
// Only F32 is written and read. Whatever a reader of these files relies on is checked: a file that is cut short, holds
// gaps or overlaps, or lies about sizes is refused in words, never read past its end.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/tensor_type.h"
#include "runtime/record/atomic_files.h"

namespace netc {

struct StoredTensor {
  std::string name;
  Shape shape;
  std::vector<float> values;
};

struct TensorFile {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<StoredTensor> tensors;

  const StoredTensor* find(const std::string& name) const;          // nullptr if absent
  std::string note(const std::string& key) const;                   // metadata; "" if absent
};

// A tensor that is to be written; its values are asked for when it is its turn, so that no more than one is in memory.
struct TensorOutline {
  std::string name;
  Shape shape;
};
using TensorValues = std::function<std::vector<float>(const std::string& name)>;

// Adds the file to `files`; nothing is visible before their commit().
void write_safetensors(AtomicFiles& files, const std::string& path,
                       const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::vector<TensorOutline>& tensors, const TensorValues& values);

TensorFile read_safetensors(const std::string& path);   // throws RuntimeError

}  // namespace netc
