// What a generated kernel is handed: the same structures stand in the prelude of the generated text (emit_prelude.cpp).
#pragma once

#include <cstdint>

namespace netc {

// Set by a kernel that meets a gathered id outside its buffer; it then goes on with the nearest legal one.
struct KernelFault {
  int64_t raised = 0;
  int64_t buffer = 0;      // number of the buffer among those of the kernel (EmittedKernel::buffers)
  int64_t id = 0;
  const void* kernel = nullptr;   // buffer table the kernel was called with: tells which step it was
};

struct KernelBatch {
  int64_t towers = 1;
  const int64_t* rows = nullptr;         // one per tower
  const int64_t* first_rows = nullptr;   // where each tower's rows begin in the update's batch
  const float* scalars = nullptr;        // one per Program::scalars
  uint32_t seed_low = 0, seed_high = 0, update = 0;
  KernelFault* fault = nullptr;
};

// `buffers` holds the first element of each of the kernel's buffers, tower after tower. `tower` is the tower whose rows
// are worked on (0 for joint kernels), `item` which part of the parallel domain, `scratch` memory of the worker's own.
using KernelFunction = void (*)(const KernelBatch* batch, void* const* buffers, int64_t tower, int64_t item,
                                void* scratch);

}  // namespace netc
