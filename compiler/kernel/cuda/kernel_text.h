// One kernel as a CUDA function without its name, so that equal ones are found by their text.
#pragma once

#include <string>

#include "compiler/kernel/cuda/emit_cuda.h"

namespace netc::cuda {

struct KernelText {
  KernelLaunch launch;       // all but the symbol
  std::string parameters;    // "(const struct step_block* step, float* b0)"
  std::string body;          // "{\n  ...}\n"
};

// `kernel` after share_loops.
KernelText emit_kernel(const Kernel& kernel, const Program& program);

// A parameter for each buffer: what no store of `writers` may touch is const and __restrict__, so that the compiler may
// read it through the read-only path.
std::string pointer_parameters(const Program& program, const std::vector<BufferId>& buffers,
                               const std::vector<BufferId>& written, const std::string& prefix);

// Declarations of `rows` and `first_row`, where the text names them.
std::string row_declarations(const std::string& body, bool wide);

std::vector<BufferId> written_buffers(const Kernel& kernel);

}  // namespace netc::cuda
