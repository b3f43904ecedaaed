// Which matrix products a library can take over whole, epilogue and all.
#pragma once

#include <optional>

#include "compiler/kernel/cuda/emit_cuda.h"

namespace netc::cuda {

// The call that does what the kernel does; nullopt if some part of the kernel would be left over.
std::optional<ProductCall> match_library_product(const Kernel& kernel, const Program& program);

}  // namespace netc::cuda
