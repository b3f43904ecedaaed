// Operations, conversions and folds of a kernel's body as C expressions, on single values and on vectors.
#include "compiler/base/errors.h"
#include "compiler/kernel/emit_body.h"
#include "compiler/kernel/emit_math.h"

namespace netc {

std::string BodyEmitter::converted(const std::string& text, DType from, DType to, bool vector) const {
  if (from == to) return text;
  if (to == DType::boolean) {
    if (!vector) return "(" + text + " != 0)";
    return from == DType::f32 ? "(" + text + " != splat(0.0f))" : "(" + text + " != 0)";
  }
  if (from == DType::boolean && vector)
    return to == DType::f32 ? "(vf)(" + text + " & (vi)splat(1.0f))" : to == DType::i32 ? "(" + text + " & 1)"
                                                                                     : "(vu)(" + text + " & 1)";
  if (!vector) return std::string("(") + c_type(to, false) + ")(" + text + ")";
  if (to == DType::f32) return (from == DType::i64 ? "u_to_f(" : "to_f(") + text + ")";
  if (to == DType::i32) return (from == DType::f32 ? "to_i(" : "(vi)(") + text + ")";
  return "(vu)(" + text + ")";
}

std::string BodyEmitter::call(ExprOp op, const std::string& arguments, bool vector) const {
  usage_.math.insert(op);
  return (vector ? std::string(math_function(op)) + "_v" : dialect_.function(op)) + "(" + arguments + ")";
}

std::string BodyEmitter::operation(const Expr& e, bool vector) const {
  const auto arg = [&](int i) { return value(e.args[i], vector); };
  const auto arg_type = [&](int i) { return expr(e.args[i]).type; };
  const bool real = e.type == DType::f32;
  switch (e.op) {
    case ExprOp::cast: return converted(arg(0), arg_type(0), e.type, vector);
    case ExprOp::neg: return "-" + arg(0);
    case ExprOp::abs:
      if (real) return call(e.op, arg(0), vector);
      return vector ? "choose_i(" + arg(0) + " < 0, -" + arg(0) + ", " + arg(0) + ")"
                    : "(" + arg(0) + " < 0 ? -" + arg(0) + " : " + arg(0) + ")";
    case ExprOp::sign:
      if (real) return call(e.op, arg(0), vector);
      return vector ? "(" + arg(0) + " < 0) - (" + arg(0) + " > 0)" : "(" + arg(0) + " > 0) - (" + arg(0) + " < 0)";
    case ExprOp::exp: case ExprOp::log: case ExprOp::log1p: case ExprOp::expm1: case ExprOp::sqrt: case ExprOp::rsqrt:
    case ExprOp::reciprocal: case ExprOp::sin: case ExprOp::cos: case ExprOp::tanh: case ExprOp::erf: case ExprOp::floor:
      return call(e.op, arg(0), vector);
    case ExprOp::pow: return call(e.op, arg(0) + ", " + arg(1), vector);
    case ExprOp::add: case ExprOp::sub: {
      const ExprId product = fused_product(e);
      if (product == kNone) return arg(0) + (e.op == ExprOp::add ? " + " : " - ") + arg(1);
      const Expr& p = expr(product);
      const bool second = product == e.args[1];
      const std::string negate_product = e.op == ExprOp::sub && second ? "-" : "";
      const std::string negate_rest = e.op == ExprOp::sub && !second ? "-" : "";
      return std::string(vector ? "mul_add" : dialect_.multiply_add) + "(" + negate_product + value(p.args[0], vector) + ", " +
             value(p.args[1], vector) + ", " + negate_rest + arg(second ? 0 : 1) + ")";
    }
    case ExprOp::mul: return arg(0) + " * " + arg(1);
    case ExprOp::div:
      return real && vector ? "quotient(" + arg(0) + ", " + arg(1) + ")" : arg(0) + " / " + arg(1);
    case ExprOp::max: case ExprOp::min: {
      const bool larger = e.op == ExprOp::max;
      if (!real) {
        const char* sign = larger ? " > " : " < ";
        return vector ? "choose_i(" + arg(0) + sign + arg(1) + ", " + arg(0) + ", " + arg(1) + ")"
                      : "(" + arg(0) + sign + arg(1) + " ? " + arg(0) + " : " + arg(1) + ")";
      }
      // With a constant on one side only the other can be NaN, and one instruction does it.
      if (vector && expr(e.args[1]).op == ExprOp::constant && expr(e.args[1]).value == expr(e.args[1]).value)
        return std::string(larger ? "larger(" : "smaller(") + arg(1) + ", " + arg(0) + ")";
      if (vector && expr(e.args[0]).op == ExprOp::constant && expr(e.args[0]).value == expr(e.args[0]).value)
        return std::string(larger ? "larger(" : "smaller(") + arg(0) + ", " + arg(1) + ")";
      return std::string(larger ? "max_nan" : "min_nan") + (vector ? "(" : "1(") + arg(0) + ", " + arg(1) + ")";
    }
    case ExprOp::lt: return arg(0) + " < " + arg(1);
    case ExprOp::le: return arg(0) + " <= " + arg(1);
    case ExprOp::gt: return arg(0) + " > " + arg(1);
    case ExprOp::ge: return arg(0) + " >= " + arg(1);
    case ExprOp::eq: return arg(0) + " == " + arg(1);
    case ExprOp::ne: return arg(0) + " != " + arg(1);
    case ExprOp::logical_and: return arg(0) + (vector ? " & " : " && ") + arg(1);
    case ExprOp::logical_or: return arg(0) + (vector ? " | " : " || ") + arg(1);
    case ExprOp::logical_not: return (vector ? "~" : "!") + arg(0);
    case ExprOp::select: {
      if (!vector) return arg(0) + " ? " + arg(1) + " : " + arg(2);
      const char* name = real ? "choose(" : e.type == DType::i64 ? "choose_u(" : "choose_i(";
      return name + arg(0) + ", " + arg(1) + ", " + arg(2) + ")";
    }
    default: throw InternalError("no C text for operation " + std::string(expr_op_name(e.op)));
  }
}

std::string BodyEmitter::identity(Combine combine, DType type) const {
  if (combine == Combine::sum) return type == DType::f32 ? "0.0f" : "0";
  const bool max = combine == Combine::max;
  if (type == DType::f32) return max ? std::string("(-") + dialect_.infinity + ")" : dialect_.infinity;
  return max ? "(-2147483647 - 1)" : "2147483647";
}

std::string BodyEmitter::fold(Combine combine, DType type, const std::string& total, ExprId id, bool vector,
                              const std::string& mask) const {
  const bool real = type == DType::f32;
  if (combine == Combine::sum && fused_[static_cast<size_t>(id)] && mask.empty()) {
    const Expr& p = expr(id);
    return std::string(vector ? "mul_add" : dialect_.multiply_add) + "(" + value(p.args[0], vector) + ", " + value(p.args[1], vector) + ", " +
           total + ")";
  }
  std::string x;
  if (fused_[static_cast<size_t>(id)]) x = value(expr(id).args[0], vector) + " * " + value(expr(id).args[1], vector);
  else x = value(id, vector);
  if (!mask.empty())
    x = std::string(real ? "choose(" : "choose_i(") + mask + ", " + x + ", " + (real ? "splat(" : "splat_i(") +
        identity(combine, type) + "))";
  if (combine == Combine::sum) return total + " + " + x;
  const bool max = combine == Combine::max;
  if (real) return std::string(max ? "max_nan" : "min_nan") + (vector ? "(" : "1(") + total + ", " + x + ")";
  const std::string sign = max ? " > " : " < ";
  return vector ? "choose_i(" + total + sign + x + ", " + total + ", " + x + ")"
                : "(" + total + sign + x + " ? " + total + " : " + x + ")";
}

}  // namespace netc
