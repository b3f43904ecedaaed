// Weights and optimizer slots of a CPU group: one block of memory that all its towers and programs use, each matrix in
// the layout the programs chose. Outside they are row-major.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/backend/cpu/memory.h"

namespace netc {

class CpuParameters : public Parameters {
 public:
  // Collects the parameter and state buffers of all programs. InternalError where two differ in layout.
  explicit CpuParameters(const std::vector<Program>& programs);

  void write(const std::string& name, std::span<const float> values) override;
  std::vector<float> read(const std::string& name) const override;
  std::vector<std::string> names() const override;

  void* address(const std::string& name) const;
  int64_t bytes() const { return static_cast<int64_t>(memory_.bytes()); }

 private:
  struct Entry {
    Buffer buffer;
    int64_t offset = 0;
  };
  const Entry& entry(const std::string& name) const;
  float* values(const Entry& entry) const { return reinterpret_cast<float*>(memory_.data() + entry.offset); }

  std::map<std::string, Entry> entries_;
  AlignedMemory memory_;
};

}  // namespace netc
