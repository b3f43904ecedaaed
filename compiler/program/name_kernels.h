// Gives kernels and axes the names people read. While kernels are lowered and fused a name is a list of its parts,
// "12@fc1:matmul+14@fc1:add+15@relu1:relu", each with the number of its node; afterwards it is an identifier,
// "fc1_relu1_matmul", made of the layers in the order of the net and the op that decides what kind of kernel it is.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/program.h"

namespace netc {

void name_kernels(Program& program);

// The parts of a name before it is made readable, by ascending node: "12@fc1:matmul".
std::vector<std::string> name_parts(const std::string& name);

}  // namespace netc
