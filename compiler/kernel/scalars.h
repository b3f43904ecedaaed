// The values of a program's run-time scalars in one step, computed once in f64 and then read by every kernel.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/program.h"

namespace netc {

// Fills `values` (one per Program::scalars) without allocating. `leaves` gives leaf scalars by name; a leaf that a
// program reads and the runtime does not give is an InternalError.
void evaluate_scalars(const Program& program, std::span<const std::pair<std::string, double>> leaves,
                      std::span<double> values);
std::vector<double> evaluate_scalars(const Program& program, std::span<const std::pair<std::string, double>> leaves);

}  // namespace netc
