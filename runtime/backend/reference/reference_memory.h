// The memory of interpreted programs: blocks, the weights shared by programs, and what one program's buffers point to.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/interpret.h"
#include "runtime/backend.h"

namespace netc {

// Bytes on a cache-line boundary. They start as all ones, which reads as NaN: what is used before it is written shows.
class Block {
 public:
  Block() = default;
  explicit Block(int64_t bytes);
  void* data() const { return data_.get(); }
  int64_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> data_;
  int64_t bytes_ = 0;
};

// One element of a buffer in memory, whatever its type there.
double read_element(const Buffer& buffer, Arithmetic arithmetic, const void* memory, int64_t row, int64_t column);
double read_error(const Buffer& buffer, const void* memory, int64_t row, int64_t column);   // Arithmetic::bounded
void write_element(const Buffer& buffer, Arithmetic arithmetic, void* memory, int64_t row, int64_t column, double value);

class ReferenceParameters final : public Parameters {
 public:
  explicit ReferenceParameters(Arithmetic arithmetic) : arithmetic_(arithmetic) {}

  void add(const Program& program);            // its parameters and states; those already there must look the same
  void* memory(const std::string& name) const { return find(name).block.data(); }

  void write(const std::string& name, std::span<const float> values) override;
  std::vector<float> read(const std::string& name) const override;
  std::vector<std::string> names() const override;
  std::vector<double> errors(const std::string& name) const;   // Arithmetic::bounded

 private:
  struct Entry {
    Buffer buffer;
    Block block;
  };
  const Entry& find(const std::string& name) const;

  Arithmetic arithmetic_;
  std::map<std::string, Entry> entries_;
};

// Where each buffer of a program lies, for each tower.
class ProgramMemory {
 public:
  ProgramMemory(const Program& program, const ReferenceParameters& parameters, int tower_count, Arithmetic arithmetic);

  std::span<void* const> tower(int tower) const { return pointers_[static_cast<size_t>(tower)]; }
  int64_t bytes() const;

 private:
  void* place(const Buffer& buffer, int tower, const ReferenceParameters& parameters);

  const Program& program_;
  Arithmetic arithmetic_;
  std::vector<Block> blocks_;                  // arenas first: the shared one, then one a tower
  std::vector<std::vector<void*>> pointers_;   // [tower][buffer]
};

}  // namespace netc
