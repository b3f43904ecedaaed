#include "runtime/gpu/device_memory_plan.h"

#include "compiler/base/errors.h"

namespace netc {

void GpuParameters::add(const Program& program) {
  for (const Buffer& b : program.buffers) {
    if ((b.kind != BufferKind::parameter && b.kind != BufferKind::state) || b.alias_of != kNone || entries_.contains(b.name)) continue;
    if (b.dtype != DType::f32) throw InternalError("weights of type " + std::string(dtype_name(b.dtype)) + ": " + b.name);
    Entry entry;
    entry.elements = b.rows.count * b.columns;
    for (int tower = 0; tower < devices_.size(); ++tower)
      entry.blocks.emplace_back(devices_.device(tower), allocated_elements(b, 0) * 4, b.name);
    entries_.emplace(b.name, std::move(entry));
  }
}

const GpuParameters::Entry& GpuParameters::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw InternalError("no parameter " + name + " on the devices");
  return found->second;
}

DeviceAddress GpuParameters::address(const std::string& name, int tower) const {
  return entry(name).blocks[static_cast<size_t>(tower)].address();
}

void GpuParameters::write(const std::string& name, std::span<const float> values) {
  const Entry& e = entry(name);
  if (static_cast<int64_t>(values.size()) != e.elements) throw InternalError("wrong number of values for parameter " + name);
  for (int tower = 0; tower < devices_.size(); ++tower)
    devices_.device(tower).copy_in(e.blocks[static_cast<size_t>(tower)].address(), values.data(), e.elements * 4);
}

std::vector<float> GpuParameters::read(const std::string& name, int tower) const {
  const Entry& e = entry(name);
  std::vector<float> values(static_cast<size_t>(e.elements));
  devices_.device(tower).copy_out(values.data(), e.blocks[static_cast<size_t>(tower)].address(), e.elements * 4);
  return values;
}

std::vector<std::string> GpuParameters::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  return all;
}

ProgramBuffers::ProgramBuffers(const Program& program, const GpuParameters& parameters, GpuDevice& device, int tower)
    : addresses_(program.buffers.size(), 0) {
  const auto block = [&](int64_t bytes, const std::string& name) {
    blocks_.emplace_back(device, std::max<int64_t>(bytes, 1), name);
    return blocks_.back().address();
  };
  const DeviceAddress activations = block(program.tower_arena_bytes, program.name + " activations");
  const DeviceAddress gradients = block(program.shared_arena_bytes, program.name + " gradients");
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& b = program.buffers[i];
    if (b.alias_of != kNone) continue;
    if (b.kind == BufferKind::parameter || b.kind == BufferKind::state)
      addresses_[i] = parameters.address(b.name, tower);
    else if (b.arena_offset != kNone)
      addresses_[i] = (b.rows.times_batch ? activations : gradients) + static_cast<DeviceAddress>(b.arena_offset);
    else
      addresses_[i] = block(allocated_elements(b, program.batch_capacity) * dtype_bytes(b.dtype), b.name);
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    BufferId root = static_cast<BufferId>(i);
    while (program.buffers[static_cast<size_t>(root)].alias_of != kNone) root = program.buffers[static_cast<size_t>(root)].alias_of;
    addresses_[i] = addresses_[static_cast<size_t>(root)];
  }
}

int64_t ProgramBuffers::bytes() const {
  int64_t total = 0;
  for (const DeviceBlock& block : blocks_) total += block.bytes();
  return total;
}

}  // namespace netc
