// One kernel's statements, by its form. Each writes into body.out() and says which grid the text is for.
#pragma once

#include <string>

#include "compiler/kernel/cuda/emit_cuda.h"
#include "compiler/kernel/cuda/kernel_form.h"
#include "compiler/kernel/emit_body.h"

namespace netc::cuda {

struct FormText {
  GridPart grid;
  int threads = 256;
};

// `block`: C text of the block's number; `points`: of how many points there are, where it is not the form's own.
FormText emit_pointwise(BodyEmitter& body, const KernelForm& form, const std::string& block = "blockIdx.x",
                        const std::string& points = {});
FormText emit_team(BodyEmitter& body, const KernelForm& form);       // solo, warp, block, columns
FormText emit_scatter(BodyEmitter& body, const KernelForm& form);
FormText emit_product(BodyEmitter& body, const KernelForm& form);

}  // namespace netc::cuda
