#include "runtime/backend/reference/reference_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "compiler/base/errors.h"
#include "compiler/kernel/bounded.h"

namespace netc {
namespace {

constexpr int64_t kAlignment = 64;

bool is_persistent(const Buffer& buffer) {
  return buffer.kind == BufferKind::parameter || buffer.kind == BufferKind::state;
}

bool is_per_tower(const Buffer& buffer) {
  return buffer.kind == BufferKind::input || buffer.kind == BufferKind::activation || buffer.kind == BufferKind::output;
}

// The rows of a buffer that is not batched.
int64_t fixed_rows(const Buffer& buffer) { return buffer.rows.count; }

template <typename Stored>
Stored& element(const Buffer& buffer, void* memory, int64_t row, int64_t column) {
  return static_cast<Stored*>(memory)[element_offset(buffer, row, column)];
}

// Calls visit(Stored&) with the element as the type it is stored as.
template <typename Visit>
void visit_element(const Buffer& buffer, Arithmetic arithmetic, void* memory, int64_t row, int64_t column, Visit visit) {
  if (arithmetic == Arithmetic::f64) return visit(element<double>(buffer, memory, row, column));
  if (arithmetic == Arithmetic::bounded) return visit(element<Bounded>(buffer, memory, row, column));
  switch (buffer.dtype) {
    case DType::f32: return visit(element<float>(buffer, memory, row, column));
    case DType::f64: return visit(element<double>(buffer, memory, row, column));
    case DType::i32: return visit(element<int32_t>(buffer, memory, row, column));
    case DType::i64: return visit(element<int64_t>(buffer, memory, row, column));
    case DType::u8: case DType::boolean: return visit(element<uint8_t>(buffer, memory, row, column));
    case DType::f16: case DType::bf16: break;
  }
  throw InternalError("the reference backend does not store " + std::string(dtype_name(buffer.dtype)));
}

bool same_matrix(const Buffer& a, const Buffer& b) {
  return a.dtype == b.dtype && a.rows == b.rows && a.columns == b.columns && a.layout == b.layout &&
         a.panel_columns == b.panel_columns && a.padded_rows == b.padded_rows;
}

}  // namespace

Block::Block(int64_t bytes) : bytes_((std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment) {
  data_.reset(std::aligned_alloc(kAlignment, static_cast<size_t>(bytes_)));
  if (!data_) throw std::bad_alloc();
  std::memset(data_.get(), 0xFF, static_cast<size_t>(bytes_));
}

double read_element(const Buffer& buffer, Arithmetic arithmetic, const void* memory, int64_t row, int64_t column) {
  double value = 0;
  visit_element(buffer, arithmetic, const_cast<void*>(memory), row, column,
                [&](const auto& stored) { value = static_cast<double>(stored); });
  return value;
}

double read_error(const Buffer& buffer, const void* memory, int64_t row, int64_t column) {
  return element<Bounded>(buffer, const_cast<void*>(memory), row, column).error;
}

void write_element(const Buffer& buffer, Arithmetic arithmetic, void* memory, int64_t row, int64_t column, double value) {
  visit_element(buffer, arithmetic, memory, row, column,
                [&](auto& stored) { stored = static_cast<std::remove_reference_t<decltype(stored)>>(value); });
}

void ReferenceParameters::add(const Program& program) {
  for (const Buffer& buffer : program.buffers) {
    if (!is_persistent(buffer) || buffer.alias_of != kNone) continue;
    const auto known = entries_.find(buffer.name);
    if (known == entries_.end()) {
      Block block(allocated_elements(buffer, 0) * stored_bytes(buffer.dtype, arithmetic_));
      entries_.emplace(buffer.name, Entry{buffer, std::move(block)});
    } else if (!same_matrix(known->second.buffer, buffer)) {
      throw InternalError("programs disagree on the form of " + buffer.name);
    }
  }
}

const ReferenceParameters::Entry& ReferenceParameters::find(const std::string& name) const {
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) throw InternalError("no parameter named " + name);
  return entry->second;
}

void ReferenceParameters::write(const std::string& name, std::span<const float> values) {
  const Entry& entry = find(name);
  const int64_t rows = fixed_rows(entry.buffer), columns = entry.buffer.columns;
  if (static_cast<int64_t>(values.size()) != rows * columns)
    throw InternalError(name + " takes " + std::to_string(rows * columns) + " values, not " +
                        std::to_string(values.size()));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      write_element(entry.buffer, arithmetic_, entry.block.data(), r, c, values[static_cast<size_t>(r * columns + c)]);
}

std::vector<float> ReferenceParameters::read(const std::string& name) const {
  const Entry& entry = find(name);
  const int64_t rows = fixed_rows(entry.buffer), columns = entry.buffer.columns;
  std::vector<float> values;
  values.reserve(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      values.push_back(static_cast<float>(read_element(entry.buffer, arithmetic_, entry.block.data(), r, c)));
  return values;
}

std::vector<double> ReferenceParameters::errors(const std::string& name) const {
  const Entry& entry = find(name);
  if (arithmetic_ != Arithmetic::bounded) throw InternalError("no error bounds without bounded arithmetic");
  std::vector<double> all;
  for (int64_t r = 0; r < fixed_rows(entry.buffer); ++r)
    for (int64_t c = 0; c < entry.buffer.columns; ++c) all.push_back(read_error(entry.buffer, entry.block.data(), r, c));
  return all;
}

std::vector<std::string> ReferenceParameters::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  return all;
}

ProgramMemory::ProgramMemory(const Program& program, const ReferenceParameters& parameters, int tower_count,
                             Arithmetic arithmetic)
    : program_(program), arithmetic_(arithmetic) {
  if (arithmetic == Arithmetic::f32) {
    blocks_.emplace_back(program.shared_arena_bytes);
    for (int tower = 0; tower < tower_count; ++tower) blocks_.emplace_back(program.tower_arena_bytes);
  }
  for (int tower = 0; tower < tower_count; ++tower) {
    std::vector<void*> pointers;
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const Buffer& buffer = program.buffers[i];
      if (buffer.alias_of != kNone) pointers.push_back(pointers[static_cast<size_t>(buffer.alias_of)]);
      else if (tower > 0 && !is_per_tower(buffer)) pointers.push_back(pointers_[0][i]);
      else pointers.push_back(place(buffer, tower, parameters));
    }
    pointers_.push_back(std::move(pointers));
  }
}

void* ProgramMemory::place(const Buffer& buffer, int tower, const ReferenceParameters& parameters) {
  if (is_persistent(buffer)) return parameters.memory(buffer.name);
  if (arithmetic_ == Arithmetic::f32 && buffer.arena_offset != kNone) {
    const Block& arena = blocks_[is_per_tower(buffer) ? 1 + static_cast<size_t>(tower) : 0];
    return static_cast<std::byte*>(arena.data()) + buffer.arena_offset;
  }
  blocks_.emplace_back(allocated_elements(buffer, program_.batch_capacity) * stored_bytes(buffer.dtype, arithmetic_));
  return blocks_.back().data();
}

int64_t ProgramMemory::bytes() const {
  int64_t total = 0;
  for (const Block& block : blocks_) total += block.bytes();
  return total;
}

}  // namespace netc
