// What a kernel takes of the GPU, read from the log that ptxas writes under --ptxas-options=-v.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace netc::jit {

struct KernelResources {
  std::string kernel;
  std::string architecture;      // "sm_90"
  int registers = 0;             // per thread
  int spill_store_bytes = 0;     // per thread
  int spill_load_bytes = 0;
  int stack_frame_bytes = 0;     // per thread: local arrays and spills
  int shared_bytes = 0;          // per block, static
  int barriers = 0;
};

// In the order of the log; kernels that ptxas did not see (a virtual architecture) are not in it.
std::vector<KernelResources> parse_resources(std::string_view log);

}  // namespace netc::jit
