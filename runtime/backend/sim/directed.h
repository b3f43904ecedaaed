// Arithmetic that does not round to the nearest: rare, exact, and slow because it changes the processor's mode.
#pragma once

#include <cstdint>

#include "runtime/backend/sim/ptx_module.h"

namespace netc::sim {

enum class DirectedOp { none, add, subtract, multiply, fused_multiply_add, divide, reciprocal, square_root };

// results[i] = op(a[i], b[i], c[i]) for all 32 lanes; operands that the operation does not have may be null.
void directed(DirectedOp op, Rounding rounding, const float* a, const float* b, const float* c, float* results);
void directed(DirectedOp op, Rounding rounding, const double* a, const double* b, const double* c, double* results);
void directed_narrow(Rounding rounding, const double* a, float* results);

}  // namespace netc::sim
