// Graph -> Program, one kernel per node. The input has no composites left; nothing is fused, laid out or placed yet.
//
// Lowering knows the FAMILIES of ops (op.h) and never a single op: what an op computes is the row's own scalar body.
//   before   %3 = matmul(image, fc1.weight); %4 = expand(fc1.bias); %5 = add(%3, %4)
//   after    three kernels, each storing one activation buffer that the next one loads
// Afterwards every kernel has its smallest set of axes (simplify_axes), every load is affine, and each result, output
// and update is a copy kernel of its own, which fusion then merges into whatever makes the value.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/kernel/program.h"

namespace netc {

Program lower(const Graph& graph, const std::string& name);

}  // namespace netc
