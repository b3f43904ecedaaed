// Gives kernels and axes the names people read. While kernels are lowered and fused a name is a list of its parts,
// "fc1:matmul+fc1:expand+fc1:add+relu1:relu"; afterwards it is an identifier, "fc1_matmul_relu1", made of the layers
// in order and the op that decides what kind of kernel it is.
#pragma once

#include "compiler/kernel/program.h"

namespace netc {

void name_kernels(Program& program);

}  // namespace netc
