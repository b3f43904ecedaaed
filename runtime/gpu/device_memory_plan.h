// Where the buffers of one program lie on one device, and the weights that the programs of a run share there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/gpu/device.h"

namespace netc {

// Device memory that is given back.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  DeviceBlock(GpuDevice& device, int64_t bytes, const std::string& name)
      : device_(&device), address_(device.allocate(bytes, name)), bytes_(bytes) {}
  ~DeviceBlock() {
    if (device_ != nullptr) device_->release(address_);
  }
  DeviceBlock(DeviceBlock&& other) noexcept { swap(other); }
  DeviceBlock& operator=(DeviceBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  DeviceAddress address() const { return address_; }
  int64_t bytes() const { return bytes_; }

 private:
  void swap(DeviceBlock& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
  }
  GpuDevice* device_ = nullptr;
  DeviceAddress address_ = 0;
  int64_t bytes_ = 0;
};

// Weights and optimizer slots, a copy on every device. Written to all; read from the first, since all hold the same bits.
class GpuParameters final : public Parameters {
 public:
  explicit GpuParameters(GpuGroup& devices) : devices_(devices) {}

  void add(const Program& program);   // its parameters and states, once each
  DeviceAddress address(const std::string& name, int tower) const;

  void write(const std::string& name, std::span<const float> values) override;
  std::vector<float> read(const std::string& name) const override { return read(name, 0); }
  std::vector<float> read(const std::string& name, int tower) const;
  std::vector<std::string> names() const override;

 private:
  struct Entry {
    int64_t elements = 0;
    std::vector<DeviceBlock> blocks;   // one a tower
  };
  const Entry& entry(const std::string& name) const;

  GpuGroup& devices_;
  std::map<std::string, Entry> entries_;
};

// The buffers of a program on one device.
class ProgramBuffers {
 public:
  ProgramBuffers(const Program& program, const GpuParameters& parameters, GpuDevice& device, int tower);

  DeviceAddress address(BufferId buffer) const { return addresses_[static_cast<size_t>(buffer)]; }
  int64_t bytes() const;

 private:
  std::vector<DeviceBlock> blocks_;
  std::vector<DeviceAddress> addresses_;   // by buffer
};

}  // namespace netc
