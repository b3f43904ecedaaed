// Gradient clipping, after the gradients of all rows have been added up.
#pragma once

#include <span>
#include <vector>

#include "compiler/autodiff/differentiate.h"
#include "compiler/base/experiment.h"
#include "compiler/ops/op.h"

namespace netc {

// global_norm(limit): all gradients times min(1, limit / (norm + 1e-6)), norm being the root of the sum of all squares
// (PyTorch's clip_grad_norm_). value(limit): each element held within -limit .. limit. A NaN stays NaN in both.
std::vector<ParameterGradient> clipped(GraphBuilder& b, std::span<const ParameterGradient> gradients,
                                       const ClipSpec& clip);

}  // namespace netc
