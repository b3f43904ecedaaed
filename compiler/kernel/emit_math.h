// Elementary functions as C text over the vectors of emit_prelude.h: no library is linked, and a scalar is computed as
// lane 0 of the same function, so that a value has the same bits wherever it is needed.
//
// Errors against the exact value, over all of f32 (tests/cpu/math_test.cpp measures them), in units in the last place:
//   exp 1.0   expm1 1.5   log 1.0   log1p 1.5   tanh 2.0   erf 1.5   pow 0.6   sin, cos 2.0 up to |x| = 2^20
//   floor, abs, sign exact; sqrt, reciprocal and quotients correctly rounded, rsqrt 1.5; where Target::newton_division
//   is set: sqrt, reciprocal and quotients 1.0, rsqrt 2.0
// Subnormal results and arguments may count as zero (kernels run with flush-to-zero). NaN passes through.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace netc {

// The C function of an operation on vf ("exp_v"), or null if the operation is plain C. Its scalar form ends in _1.
const char* math_function(ExprOp op);

// Definitions of the functions of these operations and of what they need, in one fixed order.
std::string emit_math(const std::vector<ExprOp>& used);

}  // namespace netc
