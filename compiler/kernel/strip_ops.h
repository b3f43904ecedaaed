// Scalar operations over strips of values, in loops the host compiler vectorises. What they mean: scalar_op.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "compiler/base/errors.h"
#include "compiler/kernel/bounded.h"
#include "compiler/kernel/scalar_op.h"

namespace netc {

template <typename V>
inline constexpr bool kIsBounded = std::is_same_v<V, Bounded>;

template <typename V>
V choose(int64_t condition, V a, V b) {
  return condition ? a : b;
}

template <typename V>
V identity(Combine combine) {
  using Limits = std::numeric_limits<V>;
  if (combine == Combine::sum) return V(0);
  if constexpr (kIsBounded<V>) return V(identity<double>(combine));
  else if constexpr (Limits::has_infinity) return combine == Combine::max ? -Limits::infinity() : Limits::infinity();
  else return combine == Combine::max ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
}

template <typename V>
void fold(Combine combine, V* total, const V* value, int64_t n) {
  switch (combine) {
    case Combine::sum: for (int64_t i = 0; i < n; ++i) total[i] += value[i]; return;
    case Combine::max: for (int64_t i = 0; i < n; ++i) total[i] = max_or_nan(total[i], value[i]); return;
    case Combine::min: for (int64_t i = 0; i < n; ++i) total[i] = min_or_nan(total[i], value[i]); return;
  }
}

template <typename V>
void select_strip(V* to, const int64_t* condition, const V* a, const V* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = choose(condition[i], a[i], b[i]);
}

template <typename T>
void unary_strip(ExprOp op, T* to, const T* a, int64_t n) {
  if constexpr (kIsBounded<T>) {
    for (int64_t i = 0; i < n; ++i) to[i] = apply_bounded(op, a[i], Bounded());
  } else {
    switch (op) {
      case ExprOp::neg: for (int64_t i = 0; i < n; ++i) to[i] = -a[i]; return;
      case ExprOp::abs: for (int64_t i = 0; i < n; ++i) to[i] = std::abs(a[i]); return;
      case ExprOp::sqrt: for (int64_t i = 0; i < n; ++i) to[i] = std::sqrt(a[i]); return;
      case ExprOp::rsqrt: for (int64_t i = 0; i < n; ++i) to[i] = T(1) / std::sqrt(a[i]); return;
      case ExprOp::reciprocal: for (int64_t i = 0; i < n; ++i) to[i] = T(1) / a[i]; return;
      case ExprOp::sign: for (int64_t i = 0; i < n; ++i) to[i] = sign_of(a[i]); return;
      default: for (int64_t i = 0; i < n; ++i) to[i] = apply<T>(op, a[i]); return;
    }
  }
}

template <typename T>
void binary_strip(ExprOp op, T* to, const T* a, const T* b, int64_t n) {
  if constexpr (kIsBounded<T>) {
    for (int64_t i = 0; i < n; ++i) to[i] = apply_bounded(op, a[i], b[i]);
  } else {
    switch (op) {
      case ExprOp::add: for (int64_t i = 0; i < n; ++i) to[i] = a[i] + b[i]; return;
      case ExprOp::sub: for (int64_t i = 0; i < n; ++i) to[i] = a[i] - b[i]; return;
      case ExprOp::mul: for (int64_t i = 0; i < n; ++i) to[i] = a[i] * b[i]; return;
      case ExprOp::div: for (int64_t i = 0; i < n; ++i) to[i] = a[i] / b[i]; return;
      case ExprOp::max: for (int64_t i = 0; i < n; ++i) to[i] = max_or_nan(a[i], b[i]); return;
      case ExprOp::min: for (int64_t i = 0; i < n; ++i) to[i] = min_or_nan(a[i], b[i]); return;
      default: for (int64_t i = 0; i < n; ++i) to[i] = apply<T>(op, a[i], b[i]); return;
    }
  }
}

template <typename V>
void compare_strip(ExprOp op, int64_t* to, const V* a, const V* b, int64_t n) {
  if constexpr (kIsBounded<V>) {
    for (int64_t i = 0; i < n; ++i) to[i] = compare(op, a[i], b[i]);
  } else {
    switch (op) {
      case ExprOp::lt: for (int64_t i = 0; i < n; ++i) to[i] = a[i] < b[i]; return;
      case ExprOp::le: for (int64_t i = 0; i < n; ++i) to[i] = a[i] <= b[i]; return;
      case ExprOp::gt: for (int64_t i = 0; i < n; ++i) to[i] = a[i] > b[i]; return;
      case ExprOp::ge: for (int64_t i = 0; i < n; ++i) to[i] = a[i] >= b[i]; return;
      case ExprOp::eq: for (int64_t i = 0; i < n; ++i) to[i] = a[i] == b[i]; return;
      case ExprOp::ne: for (int64_t i = 0; i < n; ++i) to[i] = a[i] != b[i]; return;
      default: throw InternalError("not a comparison");
    }
  }
}

// Whole numbers and truths. Division and the transcendental functions are for floating values only.
inline void integer_strip(ExprOp op, int64_t* to, const int64_t* a, const int64_t* b, int64_t n) {
  switch (op) {
    case ExprOp::neg: for (int64_t i = 0; i < n; ++i) to[i] = -a[i]; return;
    case ExprOp::abs: for (int64_t i = 0; i < n; ++i) to[i] = a[i] < 0 ? -a[i] : a[i]; return;
    case ExprOp::sign: for (int64_t i = 0; i < n; ++i) to[i] = (a[i] > 0) - (a[i] < 0); return;
    case ExprOp::add: for (int64_t i = 0; i < n; ++i) to[i] = a[i] + b[i]; return;
    case ExprOp::sub: for (int64_t i = 0; i < n; ++i) to[i] = a[i] - b[i]; return;
    case ExprOp::mul: for (int64_t i = 0; i < n; ++i) to[i] = a[i] * b[i]; return;
    case ExprOp::max: for (int64_t i = 0; i < n; ++i) to[i] = std::max(a[i], b[i]); return;
    case ExprOp::min: for (int64_t i = 0; i < n; ++i) to[i] = std::min(a[i], b[i]); return;
    case ExprOp::logical_and: for (int64_t i = 0; i < n; ++i) to[i] = both(a[i], b[i]); return;
    case ExprOp::logical_or: for (int64_t i = 0; i < n; ++i) to[i] = any_of(a[i], b[i]); return;
    case ExprOp::logical_not: for (int64_t i = 0; i < n; ++i) to[i] = negated(a[i]); return;
    default: compare_strip(op, to, a, b, n); return;
  }
}

// A whole number or truth as a floating value.
template <typename T>
T to_real(int64_t value, bool is_truth) {
  if constexpr (kIsBounded<T>) {
    if (is_truth) return Bounded(holds(value) ? 1 : 0, is_certain(value) ? 0 : 1);
    return Bounded::rounded(static_cast<double>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
T to_constant(double value) {
  if constexpr (kIsBounded<T>) return Bounded::rounded(value);
  else return static_cast<T>(value);
}

// Whether a floating value is not zero, as a truth.
template <typename T>
int64_t to_truth(T value) {
  if constexpr (kIsBounded<T>) return compare(ExprOp::ne, value, Bounded());
  else return value != 0;
}

// Toward zero; NaN and what does not fit give the least i32, as the machines do.
template <typename T>
int64_t truncate_to_i32(T number) {
  const double value = static_cast<double>(number);
  constexpr double kLimit = 2147483648.0;
  if (!(value > -kLimit - 1 && value < kLimit)) return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(value);
}

}  // namespace netc
