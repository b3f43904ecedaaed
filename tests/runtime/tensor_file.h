// Writes a safetensors file out of values in memory.
#pragma once

#include <string>

#include "runtime/record/safetensors.h"

namespace netc {

inline void write_tensor_file(const std::string& path, const TensorFile& content) {
  std::vector<TensorOutline> outlines;
  for (const StoredTensor& tensor : content.tensors) outlines.push_back({tensor.name, tensor.shape});
  AtomicFiles files;
  write_safetensors(files, path, content.metadata, outlines,
                    [&](const std::string& name) { return content.find(name)->values; });
  files.commit();
}

}  // namespace netc
