// What a generated CUDA kernel is handed beside its buffers: the same structures stand in the prelude of the text
// (cuda_prelude.cpp). Plain data of fixed layout; no CUDA header is needed to fill it in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netc {

// Set by the first thread that meets a gathered id outside its buffer; all threads go on with the nearest legal id.
// Lives in device memory; the runtime clears it before a run of steps and looks at it where it waits for results
// anyway.
struct CudaFault {
  uint32_t raised = 0;     // 0 or 1, claimed by an atomic
  int32_t kernel = 0;      // index into EmittedCuda::symbols
  int32_t buffer = 0;      // index into KernelLaunch::buffers of that kernel
  uint32_t unused = 0;
  int64_t id = 0;
};

// What changes from step to step, at a fixed place in device memory, so that a captured graph of launches is replayed
// with new values. One f32 for each of Program::scalars follows directly behind it.
struct CudaStepBlock {
  int64_t rows = 0;        // of the batch that this device holds
  int64_t first_row = 0;   // where they begin in the batch of the update
  uint32_t seed_low = 0, seed_high = 0;
  uint32_t update = 0;
  uint32_t unused = 0;
  uint64_t fault = 0;      // device address of a CudaFault
};
static_assert(sizeof(CudaFault) == 24 && sizeof(CudaStepBlock) == 40);

inline size_t step_block_bytes(size_t scalars) { return sizeof(CudaStepBlock) + scalars * sizeof(float); }

}  // namespace netc
