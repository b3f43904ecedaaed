// Many small kernels as one launch: the updates of all weights and slots, which touch whole buffers element by element
// and nothing of one another.
//
//   blocks 0 .. 3      fc1.weight, its gradient, its slots      the same text for all of one form,
//   blocks 4 .. 7      fc2.weight, ...                          pointers chosen by the block's number
//   block  8           head.bias, ...
#pragma once

#include <vector>

#include "compiler/kernel/cuda/kernel_text.h"

namespace netc::cuda {

// The steps of a program in an order to launch them, those of one launch together. A step that can be grouped waits for
// others as long as nothing that comes meanwhile touches what it writes, or writes what it reads.
std::vector<std::vector<int32_t>> group_updates(const Program& program);

KernelText emit_update_group(const Program& program, const std::vector<int32_t>& steps);

}  // namespace netc::cuda
