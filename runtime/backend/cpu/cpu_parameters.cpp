#include "runtime/backend/cpu/cpu_parameters.h"

#include <algorithm>

#include "compiler/base/errors.h"

namespace netc {
namespace {

constexpr int64_t kAlignment = 64;

// Calls visit(row-major position, element offset) for every element.
template <typename Visit>
void for_each_element(const Buffer& b, Visit visit) {
  const int64_t width = b.layout == Layout::panels ? b.panel_columns : b.columns;
  for (int64_t first = 0; first < b.columns; first += width)
    for (int64_t r = 0; r < b.rows.count; ++r) {
      const int64_t offset = element_offset(b, r, first), count = std::min(width, b.columns - first);
      for (int64_t c = 0; c < count; ++c) visit(static_cast<size_t>(r * b.columns + first + c), offset + c);
    }
}

}  // namespace

CpuParameters::CpuParameters(const std::vector<Program>& programs) {
  int64_t bytes = 0;
  for (const Program& program : programs)
    for (const Buffer& b : program.buffers) {
      if ((b.kind != BufferKind::parameter && b.kind != BufferKind::state) || b.alias_of != kNone) continue;
      if (b.dtype != DType::f32) throw InternalError("weights of type " + std::string(dtype_name(b.dtype)) + ": " + b.name);
      const auto [at, is_new] = entries_.try_emplace(b.name, Entry{b, bytes});
      const Buffer& known = at->second.buffer;
      if (known.rows != b.rows || known.columns != b.columns || known.layout != b.layout ||
          known.panel_columns != b.panel_columns || known.padded_rows != b.padded_rows)
        throw InternalError("programs disagree on how " + b.name + " lies in memory");
      if (is_new) bytes += (allocated_elements(b, 0) * 4 + kAlignment - 1) / kAlignment * kAlignment;
    }
  memory_ = AlignedMemory(static_cast<size_t>(bytes));
}

const CpuParameters::Entry& CpuParameters::entry(const std::string& name) const {
  const auto at = entries_.find(name);
  if (at == entries_.end()) throw InternalError("no parameter " + name);
  return at->second;
}

void CpuParameters::write(const std::string& name, std::span<const float> from) {
  const Entry& e = entry(name);
  if (static_cast<int64_t>(from.size()) != e.buffer.rows.count * e.buffer.columns)
    throw InternalError("wrong number of values for parameter " + name);
  float* const to = values(e);
  for_each_element(e.buffer, [&](size_t at, int64_t offset) { to[offset] = from[at]; });
}

std::vector<float> CpuParameters::read(const std::string& name) const {
  const Entry& e = entry(name);
  std::vector<float> to(static_cast<size_t>(e.buffer.rows.count * e.buffer.columns));
  const float* const from = values(e);
  for_each_element(e.buffer, [&](size_t at, int64_t offset) { to[at] = from[offset]; });
  return to;
}

std::vector<std::string> CpuParameters::names() const {
  std::vector<std::string> all;
  for (const auto& [name, e] : entries_) all.push_back(name);
  return all;
}

void* CpuParameters::address(const std::string& name) const { return values(entry(name)); }

}  // namespace netc
