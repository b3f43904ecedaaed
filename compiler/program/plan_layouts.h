// Chooses how each matrix lies in memory. Program -> Program, after fusion, for all programs of a run at once: they share
// their weights, so a weight has one layout in all of them.
//
//   before   every buffer row-major
//   after    operands and results of matrix products in panels (program.h: Layout), and so is everything of the same
//            shape that is touched element by element beside them: gradients, optimizer slots, activations
//
// Panels let a product read all three of its operands without packing, in all three passes: forward, input gradient and
// weight gradient. What crosses the border stays row-major: inputs, outputs, anything reshaped (an alias
// needs contiguous rows), anything that is a single row or column.
#pragma once

#include <span>

#include "compiler/kernel/program.h"
#include "compiler/kernel/target.h"

namespace netc {

// Uses each program's batch_capacity for the rows of batched panels.
void plan_layouts(std::span<Program> programs, const Target& target);

}  // namespace netc
