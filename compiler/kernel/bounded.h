// A number that knows how wrong an f32 computation of it may be: running error analysis (Wilkinson; Higham, "Accuracy
// and Stability of Numerical Algorithms", section 3.3). The value is computed in double; beside it goes a bound on the
// error of any sound f32 evaluation, however it is fused: each operation hands on the errors of its operands and adds
// its own rounding. Tests take their tolerances from it, element by element, instead of picking them.
//
// A comparison whose operands are too close to call gives a truth with kUncertain set, and a select on it allows both
// outcomes. So kinks need no special care.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "compiler/base/errors.h"
#include "compiler/kernel/kernel.h"

namespace netc {

// A truth: bit 0 says what the values say, bit 1 (kUncertain) that their errors may turn it round.
inline constexpr int64_t kUncertain = 2;
inline bool holds(int64_t truth) { return (truth & 1) != 0; }
inline bool is_certain(int64_t truth) { return (truth & kUncertain) == 0; }
inline int64_t negated(int64_t truth) { return truth ^ 1; }
inline int64_t both(int64_t a, int64_t b) {   // certain if one is certainly false, or both are certain
  const bool certain = (is_certain(a) && is_certain(b)) || a == 0 || b == 0;
  return (a & b & 1) | (certain ? 0 : kUncertain);
}
inline int64_t any_of(int64_t a, int64_t b) { return negated(both(negated(a), negated(b))); }

// What an f32 backend promises, in units of u = 2^-24 (half an ulp): + - * round once; / and roots may be approximated
// to 2 ulp; other functions to 4 ulp. Denormals may be flushed to zero.
struct F32Promise {
  static constexpr double kUnit = 1.0 / (1 << 24);
  static constexpr double kRounded = 1 * kUnit, kRoot = 4 * kUnit, kFunction = 8 * kUnit;
  static constexpr double kTiny = std::numeric_limits<float>::min();
};

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Bounded {
  double value = 0;
  double error = 0;

  Bounded() = default;
  explicit Bounded(double v) : value(v) {}
  Bounded(double v, double e) : value(v), error(e) {}
  explicit operator int64_t() const { return static_cast<int64_t>(value); }
  explicit operator double() const { return value; }

  // A constant as an f32 backend holds it.
  static Bounded rounded(double v) {
    return {v, std::isfinite(v) ? std::abs(v - static_cast<double>(static_cast<float>(v))) : 0};
  }
  // The result of an operation: value, error handed on, and how it rounds relative to the value.
  static Bounded of(double v, double handed_on, double rounding) {
    const double error = handed_on + rounding * (std::abs(v) + handed_on) + F32Promise::kTiny;
    return {v, std::isnan(error) ? kUnbounded : error};
  }
  // What an error becomes that is multiplied; nothing stays nothing even beside an infinity.
  static double scaled(double factor, double e) { return factor == 0 || e == 0 ? 0 : std::abs(factor) * e; }
};

inline Bounded operator-(Bounded a) { return {-a.value, a.error}; }
inline Bounded operator+(Bounded a, Bounded b) {
  if (b.value == 0 && b.error == 0) return a;   // exact, and so is the start of a sum
  if (a.value == 0 && a.error == 0) return b;
  return Bounded::of(a.value + b.value, a.error + b.error, F32Promise::kRounded);
}
inline Bounded operator-(Bounded a, Bounded b) { return a + -b; }
inline Bounded operator*(Bounded a, Bounded b) {
  if ((a.value == 0 && a.error == 0) || (b.value == 0 && b.error == 0)) return Bounded(a.value * b.value);
  const double handed_on = Bounded::scaled(a.value, b.error) + Bounded::scaled(b.value, a.error) +
                           Bounded::scaled(a.error, b.error);
  return Bounded::of(a.value * b.value, handed_on, F32Promise::kRounded);
}
inline Bounded operator/(Bounded a, Bounded b) {
  const double v = a.value / b.value, least = std::abs(b.value) - b.error;   // of the divisor
  if (a.value == 0 && a.error == 0 && least > 0) return Bounded(v);
  const double handed_on = least > 0 ? (a.error + Bounded::scaled(v, b.error)) / least : kUnbounded;
  return Bounded::of(v, b.error == 0 && b.value == 0 ? 0 : handed_on, F32Promise::kRoot);
}
inline Bounded& operator+=(Bounded& a, Bounded b) { return a = a + b; }

// Truths of values that are not NaN.
inline int64_t uncertainty(Bounded a, Bounded b) {
  const double slack = a.error + b.error;
  return slack > 0 && !(std::abs(a.value - b.value) > slack) ? kUncertain : 0;
}
inline int64_t less(Bounded a, Bounded b) { return (a.value < b.value ? 1 : 0) | uncertainty(a, b); }
inline int64_t equal(Bounded a, Bounded b) { return (a.value == b.value ? 1 : 0) | uncertainty(a, b); }

inline int64_t compare(ExprOp op, Bounded a, Bounded b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return op == ExprOp::ne;
  switch (op) {
    case ExprOp::lt: return less(a, b);
    case ExprOp::gt: return less(b, a);
    case ExprOp::le: return negated(less(b, a));
    case ExprOp::ge: return negated(less(a, b));
    case ExprOp::eq: return equal(a, b);
    case ExprOp::ne: return negated(equal(a, b));
    default: throw InternalError("not a comparison");
  }
}

// a where the condition holds, else b; where it is uncertain the error reaches to the other one.
inline Bounded choose(int64_t condition, Bounded a, Bounded b) {
  const Bounded &taken = holds(condition) ? a : b, &other = holds(condition) ? b : a;
  if (is_certain(condition)) return taken;
  const double reach = std::abs(taken.value - other.value) + other.error;
  return {taken.value, std::isnan(reach) ? kUnbounded : std::max(taken.error, reach)};
}

inline Bounded max_or_nan(Bounded a, Bounded b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return std::isnan(a.value) ? a : b;
  const Bounded &most = a.value >= b.value ? a : b, &other = a.value >= b.value ? b : a;
  const bool clear = other.value + other.error <= most.value - most.error;
  return {most.value, clear ? most.error : std::max(a.error, b.error)};
}
inline Bounded min_or_nan(Bounded a, Bounded b) { return -max_or_nan(-a, -b); }

// Functions: how far the result moves if the operand moves by its error, plus their own rounding.
inline Bounded apply_bounded(ExprOp op, Bounded a, Bounded b) {
  using F = F32Promise;
  const double x = a.value, e = a.error;
  const double least = std::max(0.0, std::abs(x) - e);   // the smallest magnitude the operand may have
  switch (op) {
    case ExprOp::neg: return -a;
    case ExprOp::abs: return {std::abs(x), e};
    case ExprOp::exp: return Bounded::of(std::exp(x), Bounded::scaled(std::exp(x), std::expm1(e)), F::kFunction);
    case ExprOp::expm1: return Bounded::of(std::expm1(x), Bounded::scaled(std::exp(x), std::expm1(e)), F::kFunction);
    case ExprOp::log: {
      const double moved = e == 0 ? 0 : (x > e ? -std::log1p(-e / x) : kUnbounded);
      return Bounded::of(std::log(x), moved, F::kFunction);
    }
    case ExprOp::log1p: {
      const double moved = e == 0 ? 0 : (1 + x > e ? -std::log1p(-e / (1 + x)) : kUnbounded);
      return Bounded::of(std::log1p(x), moved, F::kFunction);
    }
    case ExprOp::sqrt: {
      const double v = std::sqrt(x);   // sqrt(x) - sqrt(x - e), without cancellation
      return Bounded::of(v, e == 0 ? 0 : (x > e ? e / (v + std::sqrt(x - e)) : std::sqrt(x + e)), F::kRoot);
    }
    case ExprOp::rsqrt: {
      const double v = 1 / std::sqrt(x);
      const double moved = e == 0 ? 0 : (x > e ? 1 / std::sqrt(x - e) - v : kUnbounded);
      return Bounded::of(v, moved, F::kRoot);
    }
    case ExprOp::reciprocal: return Bounded(1.0) / a;
    case ExprOp::sin: return Bounded::of(std::sin(x), e + F::kFunction, F::kFunction);
    case ExprOp::cos: return Bounded::of(std::cos(x), e + F::kFunction, F::kFunction);
    case ExprOp::tanh: {
      const double slope = 1 - std::tanh(least) * std::tanh(least);
      return Bounded::of(std::tanh(x), e * slope, F::kFunction);
    }
    case ExprOp::erf: return Bounded::of(std::erf(x), e * 1.1283791670955126 * std::exp(-least * least), F::kFunction);
    case ExprOp::floor: {
      const double v = std::floor(x);
      return {v, std::max(v - std::floor(x - e), std::floor(x + e) - v)};
    }
    case ExprOp::sign: return std::abs(x) <= e && e > 0 ? Bounded{0, 1} : Bounded((x > 0) - (x < 0) + (x != x ? x : 0));
    case ExprOp::add: return a + b;
    case ExprOp::sub: return a - b;
    case ExprOp::mul: return a * b;
    case ExprOp::div: return a / b;
    case ExprOp::max: return max_or_nan(a, b);
    case ExprOp::min: return min_or_nan(a, b);
    case ExprOp::pow: {
      // d(a^b) = a^b (b da / a + log a db); computed as exp(b log a), whose argument is rounded before it is raised.
      const double v = std::pow(x, b.value), logarithm = x > 0 ? std::abs(std::log(x)) : 0;
      const double moved = (e == 0 ? 0 : std::abs(b.value) * e / least) + logarithm * b.error;
      const double rounding = F::kFunction * (1 + std::abs(b.value) * logarithm);
      return Bounded::of(v, std::abs(v) * std::expm1(moved), rounding);
    }
    default: throw InternalError("not a floating operation");
  }
}

}  // namespace netc
