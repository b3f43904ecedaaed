// One device with a memory of its own that runs generated CUDA kernels: a GPU, or what plays one. The backend above it
// (gpu_backend.h) knows programs and towers; a device knows addresses, kernels by name and products.
//
// A device is used by one thread at a time, its tower's; different devices are independent. Everything is done when a
// call returns. Addresses are 64-bit numbers of that device alone. The machine's faults throw RuntimeError.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/cuda/emit_cuda.h"

namespace netc {

using DeviceAddress = uint64_t;   // 0 is null

// A product with its sizes known: c[m, n] = epilogue(alpha * A B + bias), all f32; see ProductCall.
struct DeviceProduct {
  const ProductCall* call = nullptr;
  int64_t m = 0, n = 0, k = 0;
  DeviceAddress a = 0, b = 0, c = 0, bias = 0;
};

class GpuDevice {
 public:
  virtual ~GpuDevice() = default;

  virtual std::string name() const = 0;             // "sim:0"
  virtual std::string architecture() const = 0;     // "sm_90": what its kernels are compiled for
  virtual int64_t capacity_bytes() const = 0;       // of memory, all of it

  virtual DeviceAddress allocate(int64_t bytes, const std::string& name) = 0;   // aligned to 256 bytes
  virtual void release(DeviceAddress address) = 0;
  virtual void copy_in(DeviceAddress to, const void* from, int64_t bytes) = 0;
  virtual void copy_out(void* to, DeviceAddress from, int64_t bytes) = 0;

  // Makes the kernels of one compiled text callable by name, in place of those loaded before.
  virtual void load(const std::string& ptx, const std::string& cubin) = 0;
  // parameters: device addresses, in the order of the kernel's.
  virtual void launch(const std::string& symbol, int64_t blocks, int block_threads, int64_t shared_bytes,
                      std::span<const DeviceAddress> parameters) = 0;
  virtual void product(const DeviceProduct& product) = 0;
};

// The devices of a run, one a tower, and what they do together.
class GpuGroup {
 public:
  virtual ~GpuGroup() = default;

  virtual std::string description() const = 0;      // "2 simulated GPUs (sm_90, NVRTC 13.0)"
  virtual int size() const = 0;
  virtual GpuDevice& device(int tower) = 0;

  // Adds `count` f32 values up over all devices, element by element in the order of the towers, and leaves the sums at
  // the same place on each: the same bits everywhere. addresses: one a tower. Called by one thread while no other uses
  // a device.
  virtual void all_reduce(std::span<const DeviceAddress> addresses, int64_t count) = 0;
};

}  // namespace netc
