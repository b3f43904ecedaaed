// The global memory of one simulated GPU. An address carries the number of its device, so that a pointer of GPU 0 used
// on GPU 1 is seen; every buffer has its own bounds, with a wide gap behind it; an address is never given out twice.
//
// Fresh memory holds the bytes 0xFF: NaN as any float, -1 as an integer.
//
// Not thread-safe: one thread at a time allocates, copies and launches on a device. Different devices are independent.
// Wrong addresses throw SimulatedGpuFault; a full device RuntimeError.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backend/sim/shadow.h"

namespace netc::sim {

using Address = uint64_t;   // 0 is null

struct Buffer {
  Address base = 0;
  uint64_t bytes = 0;
  uint8_t* data = nullptr;            // null: freed
  std::string name;
  std::unique_ptr<Shadow> shadow;     // from the first launch in check mode
  bool is_filled = false;             // written as a whole or by an unchecked launch: counts as initialised

  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer();
};

class DeviceMemory {
 public:
  static constexpr uint64_t kDefaultCapacity = uint64_t{16} << 30;

  explicit DeviceMemory(int device = 0, uint64_t capacity_bytes = kDefaultCapacity);

  int device() const { return device_; }
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  uint64_t used_bytes() const { return used_bytes_; }

  // Zero bytes are allowed and give an address that cannot be read. The name stands in reports.
  Address allocate(uint64_t bytes, std::string name = {});
  void free(Address address);   // null is ignored
  void rename(Address address, std::string name);

  void copy_in(Address to, const void* from, uint64_t bytes);
  void copy_out(void* to, Address from, uint64_t bytes);
  void copy(Address to, Address from, uint64_t bytes);                                    // within this device
  void copy_from(const DeviceMemory& source, Address to, Address from, uint64_t bytes);   // between two
  void fill(Address to, uint8_t byte, uint64_t bytes);
  void fill_words(Address to, uint32_t word, uint64_t count);

  // --- what the executor needs

  // The buffer whose address range (with the gap behind it) an address lies in, or null.
  Buffer* near(Address address);
  const Buffer* near(Address address) const { return const_cast<DeviceMemory*>(this)->near(address); }

  // Why an access of `bytes` at `address` is wrong; throws the fault. Its place may lack what only a launch knows.
  [[noreturn]] void report(Address address, uint64_t bytes, const std::string& action) const;

  // A new number for every block of every launch: marks of older launches are recognised by it.
  uint32_t next_block_serial(uint32_t blocks);

 private:
  uint8_t* host(Address address, uint64_t bytes, const char* action);
  void mark_written(Address to, uint64_t bytes);

  int device_;
  uint64_t capacity_bytes_;
  uint64_t used_bytes_ = 0;
  uint32_t block_serial_ = 1;
  std::vector<Buffer> buffers_;
  std::vector<int32_t> granules_;   // index of the buffer that an address's granule belongs to, or -1
};

}  // namespace netc::sim
