// The head of a CUDA unit: types, the step block, 16-byte accesses, random bits, sums over warps and blocks; of these,
// what the kernels below it use. And how CUDA spells what BodyEmitter leaves open.
#pragma once

#include <string>

#include "compiler/base/tensor_type.h"
#include "compiler/kernel/emit_body.h"

namespace netc::cuda {

const BodyDialect& cuda_dialect();

const char* element_type(DType stored);   // "float", "i32", "u8"; InternalError for what is not computed with
const char* value_type(DType stored);     // as loaded: "float", "i32"

std::string emit_cuda_prelude(const std::string& kernels);

}  // namespace netc::cuda
