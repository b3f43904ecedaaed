// Scalar bodies written as formulas. A Value is an expression of a kernel; arithmetic on Values appends expressions, so
// that a row of the op table reads like the mathematics:  return 0.5 * x * (1.0 + erf(x * kInverseSqrt2));
#pragma once

#include "compiler/kernel/kernel.h"

namespace netc::body {

struct Value {
  Kernel* kernel = nullptr;
  ExprId id = kNone;

  DType type() const { return kernel->exprs[static_cast<size_t>(id)].type; }
};

inline Value constant(Kernel& kernel, double value) {
  Expr e;
  e.op = ExprOp::constant;
  e.value = value;
  return {&kernel, kernel.add(e)};
}

// One expression with up to three operands; the type is that of the result.
inline Value apply(ExprOp op, DType type, Value a, Value b = {}, Value c = {}) {
  Expr e;
  e.op = op;
  e.type = type;
  e.args[0] = a.id;
  e.args[1] = b.id;
  e.args[2] = c.id;
  return {a.kernel, a.kernel->add(e)};
}

inline Value number(Value like, double value) { return constant(*like.kernel, value); }

inline Value operator+(Value a, Value b) { return apply(ExprOp::add, a.type(), a, b); }
inline Value operator-(Value a, Value b) { return apply(ExprOp::sub, a.type(), a, b); }
inline Value operator*(Value a, Value b) { return apply(ExprOp::mul, a.type(), a, b); }
inline Value operator/(Value a, Value b) { return apply(ExprOp::div, a.type(), a, b); }
inline Value operator+(double a, Value b) { return number(b, a) + b; }
inline Value operator-(double a, Value b) { return number(b, a) - b; }
inline Value operator*(double a, Value b) { return number(b, a) * b; }
inline Value operator+(Value a, double b) { return a + number(a, b); }
inline Value operator-(Value a, double b) { return a - number(a, b); }
inline Value operator*(Value a, double b) { return a * number(a, b); }
inline Value operator-(Value a) { return apply(ExprOp::neg, a.type(), a); }

inline Value operator<(Value a, double b) { return apply(ExprOp::lt, DType::boolean, a, number(a, b)); }
inline Value operator>(Value a, double b) { return apply(ExprOp::gt, DType::boolean, a, number(a, b)); }
inline Value both(Value a, Value b) { return apply(ExprOp::logical_and, DType::boolean, a, b); }

inline Value abs(Value a) { return apply(ExprOp::abs, a.type(), a); }
inline Value exp(Value a) { return apply(ExprOp::exp, a.type(), a); }
inline Value expm1(Value a) { return apply(ExprOp::expm1, a.type(), a); }
inline Value log1p(Value a) { return apply(ExprOp::log1p, a.type(), a); }
inline Value tanh(Value a) { return apply(ExprOp::tanh, a.type(), a); }
inline Value erf(Value a) { return apply(ExprOp::erf, a.type(), a); }
inline Value reciprocal(Value a) { return apply(ExprOp::reciprocal, a.type(), a); }
inline Value max(Value a, double b) { return apply(ExprOp::max, a.type(), a, number(a, b)); }
inline Value min(Value a, double b) { return apply(ExprOp::min, a.type(), a, number(a, b)); }
inline Value select(Value condition, Value a, Value b) { return apply(ExprOp::select, a.type(), condition, a, b); }
inline Value select(Value condition, Value a, double b) { return select(condition, a, number(a, b)); }
inline Value select(Value condition, double a, Value b) { return select(condition, number(b, a), b); }

}  // namespace netc::body
