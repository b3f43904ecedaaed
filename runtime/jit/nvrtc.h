// NVIDIA's run-time compiler, opened when first needed. netc is built and starts on machines that have none.
//
// Looked for: the file named by NETC_NVRTC (nothing else is tried then); lib64 below CUDA_HOME, CUDA_PATH and
// /usr/local/cuda*; what the loader finds by itself. NVRTC needs no GPU and no driver.
#pragma once

#include <string>
#include <vector>

namespace netc::jit {

struct NvrtcVersion {
  int major = 0, minor = 0;
};

struct CompiledProgram {
  std::string ptx;
  std::string cubin;   // machine code; empty unless the options name a real architecture (sm_XX)
  std::string log;     // warnings, and with --ptxas-options=-v what resources.h reads
};

// Never throws. False: nvrtc_missing_reason() says why.
bool nvrtc_available();
std::string nvrtc_missing_reason();

// The rest throws RuntimeError where the library is absent.
std::string nvrtc_path();
NvrtcVersion nvrtc_version();
std::vector<int> nvrtc_architectures();   // 80 for sm_80, ascending

// Compiles CUDA text; `name` stands in messages and line information; one option a string ("--gpu-architecture=sm_90").
// The text is generated, so an error in it is ours: InternalError with the compiler's log. May be called from
// several threads at once.
CompiledProgram nvrtc_compile(const std::string& source, const std::string& name,
                              const std::vector<std::string>& options);

}  // namespace netc::jit
