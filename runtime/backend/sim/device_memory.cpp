#include "runtime/backend/sim/device_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "compiler/base/errors.h"
#include "runtime/backend/sim/fault.h"
#include "runtime/backend/sim/ptx_module.h"

namespace netc::sim {
namespace {

constexpr uint64_t kGranuleBytes = uint64_t{1} << 20;   // address space, not memory: buffers start on a granule
constexpr std::align_val_t kAlignment{256};

Address device_base(int device) {
  return kGlobalTag << kSpaceShift | static_cast<uint64_t>(device & 0xFF) << kDeviceShift;
}

std::string in_words(uint64_t bytes) {
  if (bytes >= uint64_t{1} << 30) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string(bytes) + " bytes";
}

std::string name_of(const Buffer& buffer) {
  return (buffer.name.empty() ? std::string("an unnamed buffer") : "buffer " + buffer.name) + " (" +
         in_words(buffer.bytes) + ")";
}

std::string in_hex(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : base(other.base),
      bytes(other.bytes),
      data(std::exchange(other.data, nullptr)),
      name(std::move(other.name)),
      shadow(std::move(other.shadow)),
      is_filled(other.is_filled) {}

Buffer::~Buffer() { ::operator delete[](data, kAlignment); }

DeviceMemory::DeviceMemory(int device, uint64_t capacity_bytes) : device_(device), capacity_bytes_(capacity_bytes) {
  if (device < 0 || device > 255) throw InternalError("a simulated GPU has a number from 0 to 255");
  granules_.assign(1, -1);   // an address just above the base is nobody's
}

Address DeviceMemory::allocate(uint64_t bytes, std::string name) {
  const std::string what = "device memory for " + (name.empty() ? std::string("a buffer") : name);
  if (bytes > capacity_bytes_ - used_bytes_)
    throw RuntimeError("out of " + what + ": " + in_words(bytes) + " wanted, " +
                           in_words(capacity_bytes_ - used_bytes_) + " of " + in_words(capacity_bytes_) +
                           " free on simulated GPU " + std::to_string(device_),
                       "a smaller batch, or more devices");
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.name = std::move(name);
  buffer.data = static_cast<uint8_t*>(::operator new[](std::max<uint64_t>(bytes, 1), kAlignment, std::nothrow));
  if (!buffer.data) throw RuntimeError("this machine has no " + in_words(bytes) + " left to stand for " + what);
  std::memset(buffer.data, 0xFF, bytes);

  // One granule before and as much address space behind as the buffer is long, one granule at least.
  const uint64_t covered = (bytes + kGranuleBytes - 1) / kGranuleBytes;
  buffer.base = device_base(device_) + granules_.size() * kGranuleBytes;
  granules_.insert(granules_.end(), 2 * covered + 1, static_cast<int32_t>(buffers_.size()));
  used_bytes_ += bytes;
  buffers_.push_back(std::move(buffer));
  return buffers_.back().base;
}

void DeviceMemory::free(Address address) {
  if (address == 0) return;
  Buffer* buffer = near(address);
  if (!buffer || buffer->base != address || !buffer->data) report(address, 0, "free");
  ::operator delete[](std::exchange(buffer->data, nullptr), kAlignment);
  buffer->shadow.reset();
  used_bytes_ -= buffer->bytes;
}

void DeviceMemory::rename(Address address, std::string name) {
  host(address, 0, "rename");
  near(address)->name = std::move(name);
}

Buffer* DeviceMemory::near(Address address) {
  const uint64_t granule = (address - device_base(device_)) / kGranuleBytes;   // of another tag: far out
  if (granule >= granules_.size() || granules_[granule] < 0) return nullptr;
  return &buffers_[static_cast<size_t>(granules_[granule])];
}

void DeviceMemory::report(Address address, uint64_t bytes, const std::string& action) const {
  SimulatedGpuFault::Place place;
  place.address = address;
  const std::string access = action + (bytes > 0 ? " of " + std::to_string(bytes) + " bytes " : " ");
  const uint64_t tag = address >> kSpaceShift;
  if (address == 0) throw SimulatedGpuFault(FaultKind::out_of_bounds, place, access + "at null");
  if (tag == kGlobalTag && (address >> kDeviceShift & 0xFF) != static_cast<uint64_t>(device_))
    throw SimulatedGpuFault(FaultKind::wrong_device, place,
                            access + "on GPU " + std::to_string(device_) + " through a pointer of GPU " +
                                std::to_string(address >> kDeviceShift & 0xFF));
  if (tag == 0)
    throw SimulatedGpuFault(FaultKind::out_of_bounds, place,
                            access + "at " + in_hex(address) + ", which is no device address (a pointer of the host?)");
  const Buffer* buffer = near(address);
  if (!buffer && !buffers_.empty() && buffers_[0].base - address < kGranuleBytes) {
    place.buffer = buffers_[0].name;
    throw SimulatedGpuFault(
        FaultKind::out_of_bounds, place,
        access + std::to_string(buffers_[0].base - address) + " bytes before " + name_of(buffers_[0]));
  }
  if (!buffer)
    throw SimulatedGpuFault(FaultKind::out_of_bounds, place,
                            access + "at " + in_hex(address) + ", far from every buffer");
  place.buffer = buffer->name;
  if (!buffer->data)
    throw SimulatedGpuFault(FaultKind::use_after_free, place, access + "in " + name_of(*buffer) + ", which is freed");
  const uint64_t offset = address - buffer->base;
  if (offset <= buffer->bytes && buffer->bytes - offset >= bytes)
    throw SimulatedGpuFault(FaultKind::misaligned, place,
                            access + "at byte " + std::to_string(offset) + " of " + name_of(*buffer));
  if (offset < buffer->bytes)
    throw SimulatedGpuFault(
        FaultKind::out_of_bounds, place,
        access + "at byte " + std::to_string(offset) + " of " + name_of(*buffer) + ", across its end");
  // In the gap: nearer to the end of this buffer or to the start of the next?
  const uint64_t beyond = offset - buffer->bytes;
  const size_t next = static_cast<size_t>(buffer - buffers_.data()) + 1;
  if (next < buffers_.size() && buffers_[next].base - address < beyond) {
    place.buffer = buffers_[next].name;
    throw SimulatedGpuFault(FaultKind::out_of_bounds, place,
                            access + std::to_string(buffers_[next].base - address) + " bytes before " +
                                name_of(buffers_[next]));
  }
  throw SimulatedGpuFault(FaultKind::out_of_bounds, place,
                          access + std::to_string(beyond) + " bytes past the end of " + name_of(*buffer));
}

uint32_t DeviceMemory::next_block_serial(uint32_t blocks) {
  if (blocks > UINT32_MAX - block_serial_) {   // start again, without the old marks
    for (Buffer& buffer : buffers_)
      if (buffer.shadow) buffer.shadow->forget_accesses();
    block_serial_ = 1;
  }
  const uint32_t first = block_serial_;
  block_serial_ += blocks;
  return first;
}

uint8_t* DeviceMemory::host(Address address, uint64_t bytes, const char* action) {
  Buffer* buffer = near(address);
  const uint64_t offset = buffer ? address - buffer->base : 0;
  if (!buffer || !buffer->data || offset > buffer->bytes || buffer->bytes - offset < bytes)
    report(address, bytes, action);
  return buffer->data + offset;
}

void DeviceMemory::mark_written(Address to, uint64_t bytes) {
  Buffer* buffer = near(to);
  if (bytes == buffer->bytes) {
    buffer->is_filled = true;
    return;
  }
  if (buffer->is_filled) return;
  if (!buffer->shadow) buffer->shadow = std::make_unique<Shadow>(buffer->bytes);
  buffer->shadow->mark_initialised(to - buffer->base, bytes);
}

void DeviceMemory::copy_in(Address to, const void* from, uint64_t bytes) {
  if (bytes == 0) return;
  std::memcpy(host(to, bytes, "copy to the device"), from, bytes);
  mark_written(to, bytes);
}

void DeviceMemory::copy_out(void* to, Address from, uint64_t bytes) {
  if (bytes > 0) std::memcpy(to, host(from, bytes, "copy from the device"), bytes);
}

void DeviceMemory::copy(Address to, Address from, uint64_t bytes) { copy_from(*this, to, from, bytes); }

void DeviceMemory::copy_from(const DeviceMemory& source, Address to, Address from, uint64_t bytes) {
  if (bytes == 0) return;
  const uint8_t* read = const_cast<DeviceMemory&>(source).host(from, bytes, "copy from the device");
  std::memmove(host(to, bytes, "copy to the device"), read, bytes);
  mark_written(to, bytes);
}

void DeviceMemory::fill(Address to, uint8_t byte, uint64_t bytes) {
  if (bytes == 0) return;
  std::memset(host(to, bytes, "fill"), byte, bytes);
  mark_written(to, bytes);
}

void DeviceMemory::fill_words(Address to, uint32_t word, uint64_t count) {
  if (count == 0) return;
  uint8_t* data = host(to, count * sizeof word, "fill");
  for (uint64_t i = 0; i < count; ++i) std::memcpy(data + i * sizeof word, &word, sizeof word);
  mark_written(to, count * sizeof word);
}

}  // namespace netc::sim
