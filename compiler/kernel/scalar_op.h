// What each scalar operation means, for one value of type T (float or double): the definition all backends answer to.
// NaN passes through: max and min give NaN if an operand is NaN, sign(NaN) is NaN; comparisons with NaN are false
// except `ne`.
#pragma once

#include <cmath>

#include "compiler/base/errors.h"
#include "compiler/kernel/kernel.h"

namespace netc {

template <typename T>
inline T max_or_nan(T a, T b) {
  return a != a ? a : (b > a || b != b ? b : a);
}

template <typename T>
inline T min_or_nan(T a, T b) {
  return a != a ? a : (b < a || b != b ? b : a);
}

template <typename T>
inline T sign_of(T a) {
  return a > 0 ? T(1) : (a < 0 ? T(-1) : a);
}

// One operation on floating values; truths are 0 and 1. Leaves, casts and loads are not operations.
template <typename T>
T apply(ExprOp op, T a, T b = 0, T c = 0) {
  switch (op) {
    case ExprOp::neg: return -a;
    case ExprOp::abs: return std::abs(a);
    case ExprOp::exp: return std::exp(a);
    case ExprOp::log: return std::log(a);
    case ExprOp::log1p: return std::log1p(a);
    case ExprOp::expm1: return std::expm1(a);
    case ExprOp::sqrt: return std::sqrt(a);
    case ExprOp::rsqrt: return T(1) / std::sqrt(a);
    case ExprOp::reciprocal: return T(1) / a;
    case ExprOp::sin: return std::sin(a);
    case ExprOp::cos: return std::cos(a);
    case ExprOp::tanh: return std::tanh(a);
    case ExprOp::erf: return std::erf(a);
    case ExprOp::floor: return std::floor(a);
    case ExprOp::sign: return sign_of(a);
    case ExprOp::add: return a + b;
    case ExprOp::sub: return a - b;
    case ExprOp::mul: return a * b;
    case ExprOp::div: return a / b;
    case ExprOp::max: return max_or_nan(a, b);
    case ExprOp::min: return min_or_nan(a, b);
    case ExprOp::pow: return std::pow(a, b);
    case ExprOp::lt: return a < b;
    case ExprOp::le: return a <= b;
    case ExprOp::gt: return a > b;
    case ExprOp::ge: return a >= b;
    case ExprOp::eq: return a == b;
    case ExprOp::ne: return a != b;
    case ExprOp::logical_and: return a != 0 && b != 0;
    case ExprOp::logical_or: return a != 0 || b != 0;
    case ExprOp::logical_not: return a == 0;
    case ExprOp::select: return a != 0 ? b : c;
    default: throw InternalError("not a scalar operation");
  }
}

}  // namespace netc
