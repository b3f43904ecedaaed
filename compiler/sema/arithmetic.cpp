#include "compiler/sema/arithmetic.h"

#include <cmath>
#include <limits>

#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

using ast::BinaryOp;

Value fail(ArithmeticFailure* failure, Code code, std::string summary) {
  failure->code = code;
  failure->summary = std::move(summary);
  return Unknown{};
}

Value too_large(ArithmeticFailure* failure, const ast::BinaryExpr& binary, int64_t a, int64_t b) {
  failure->note = "left " + std::to_string(a) + ", right " + std::to_string(b);
  failure->at_operator = true;
  return fail(failure, Code::N0310,
              std::string("the result of `") + spelling(binary.op) + "` must lie in -2^63 ..< 2^63: whole numbers have 64 bits");
}

Value divided_by_zero(ArithmeticFailure* failure, const ast::BinaryExpr& binary) {
  failure->at_right = true;
  if (!binary.right->is<ast::IntLiteral>() && !binary.right->is<ast::FloatLiteral>())
    failure->note = "`" + print(*binary.right) + "` is 0";
  return fail(failure, Code::N0313, "division by zero");
}

Value integer_power(const ast::BinaryExpr& binary, int64_t base, int64_t exponent, ArithmeticFailure* failure) {
  if (exponent < 0) {
    if (base == 0) return divided_by_zero(failure, binary);
    return Float{std::pow(static_cast<double>(base), static_cast<double>(exponent)), false};
  }
  int64_t result = 1, factor = base;
  for (int64_t left = exponent; left > 0; left /= 2) {
    if (left % 2 == 1 && __builtin_mul_overflow(result, factor, &result)) return too_large(failure, binary, base, exponent);
    if (left > 1 && __builtin_mul_overflow(factor, factor, &factor)) return too_large(failure, binary, base, exponent);
  }
  return result;
}

Value of_integers(const ast::BinaryExpr& binary, int64_t a, int64_t b, ArithmeticFailure* failure) {
  int64_t r = 0;
  switch (binary.op) {
    case BinaryOp::add: return __builtin_add_overflow(a, b, &r) ? too_large(failure, binary, a, b) : Value(r);
    case BinaryOp::subtract: return __builtin_sub_overflow(a, b, &r) ? too_large(failure, binary, a, b) : Value(r);
    case BinaryOp::multiply: return __builtin_mul_overflow(a, b, &r) ? too_large(failure, binary, a, b) : Value(r);
    case BinaryOp::divide:
      if (b == 0) return divided_by_zero(failure, binary);
      if (b == -1) return a == std::numeric_limits<int64_t>::min() ? too_large(failure, binary, a, b) : Value(-a);
      if (a % b == 0) return a / b;
      return Float{static_cast<double>(a) / static_cast<double>(b), false};
    case BinaryOp::power: return integer_power(binary, a, b, failure);
    case BinaryOp::range: return Range{true, a, b, static_cast<double>(a), static_cast<double>(b)};
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    default: return Unknown{};
  }
}

Value of_floats(const ast::BinaryExpr& binary, double a, double b, bool percent, ArithmeticFailure* failure) {
  double r = 0;
  switch (binary.op) {
    case BinaryOp::add: r = a + b; break;
    case BinaryOp::subtract: r = a - b; break;
    case BinaryOp::multiply: r = a * b; break;
    case BinaryOp::divide:
      if (b == 0) return divided_by_zero(failure, binary);
      r = a / b;
      break;
    case BinaryOp::power: r = std::pow(a, b); break;
    case BinaryOp::range: return Range{false, 0, 0, a, b};
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    default: return Unknown{};
  }
  if (!std::isfinite(r)) {
    failure->at_operator = true;
    return fail(failure, Code::N0310,
                std::string("the result of `") + spelling(binary.op) + "` must be a finite number, got " + show_number(r));
  }
  return Float{r, percent && (binary.op == BinaryOp::add || binary.op == BinaryOp::subtract)};
}

bool is_written_number(const ast::Expr& expr) {
  if (const auto* negative = expr.as<ast::UnaryExpr>()) return is_written_number(*negative->operand);
  return expr.is<ast::IntLiteral>() || expr.is<ast::FloatLiteral>() || expr.is<ast::PercentLiteral>();
}

// Structural equality; nullopt where the kinds cannot be compared, or after `budget` parts: a value may be much larger
// than the text that made it.
std::optional<bool> equal(const Value& a, const Value& b, int* budget) {
  if (--*budget < 0) return std::nullopt;
  if (const auto* x = a.as<bool>()) return b.is<bool>() ? std::optional(*x == *b.as<bool>()) : std::nullopt;
  if (const auto* x = a.as<int64_t>(); x && b.is<int64_t>()) return *x == *b.as<int64_t>();
  if (number_of(a) && number_of(b)) return number_of(a) == number_of(b);
  if (const auto* x = a.as<Text>()) return b.is<Text>() ? std::optional(x->value == b.as<Text>()->value) : std::nullopt;
  if (a.is<None>() || b.is<None>()) return a.is<None>() && b.is<None>();
  if (const auto* x = a.as<Quantity>(); x && b.is<Quantity>() && b.as<Quantity>()->unit == x->unit)
    return x->value == b.as<Quantity>()->value;
  if (const Callable *x = a.callable(), *y = b.callable(); x && y)
    return x->layer == y->layer && x->block == y->block && x->net == y->net;
  const auto *x = a.items(), *y = b.items();
  if (!x || !y) return std::nullopt;
  if (x->size() != y->size()) return false;
  for (size_t i = 0; i < x->size(); ++i) {
    const auto same = equal((*x)[i], (*y)[i], budget);
    if (!same) return std::nullopt;
    if (!*same) return false;
  }
  return true;
}

bool is_comparison(BinaryOp op) {
  return op == BinaryOp::less || op == BinaryOp::less_equal || op == BinaryOp::greater || op == BinaryOp::greater_equal;
}

}  // namespace

Value arithmetic(const ast::BinaryExpr& binary, const Value& left, const Value& right, ArithmeticFailure* failure) {
  const auto *i = left.as<int64_t>(), *j = right.as<int64_t>();
  if (i && j) return of_integers(binary, *i, *j, failure);
  const auto a = number_of(left), b = number_of(right);
  const bool is_equality = binary.op == BinaryOp::equal || binary.op == BinaryOp::not_equal;
  if (a && b) {
    if (is_equality && (i || j) && !is_written_number(*binary.left) && !is_written_number(*binary.right))
      return binary.op == BinaryOp::not_equal;
    const auto *f = left.as<Float>(), *g = right.as<Float>();
    return of_floats(binary, *a, *b, f && g && f->percent && g->percent, failure);
  }
  if (is_equality) {
    int budget = 100'000;
    if (const auto same = equal(left, right, &budget)) return *same == (binary.op == BinaryOp::equal);
    failure->at_operator = true;
    return fail(failure, Code::N0303,
                std::string("`") + spelling(binary.op) + "` compares values of one kind, got " + kind_of(left) + " and " +
                    kind_of(right));
  }
  const auto *p = left.as<Quantity>(), *q = right.as<Quantity>();
  if (p && q && p->unit == q->unit && is_comparison(binary.op)) return of_floats(binary, p->value, q->value, false, failure);
  const bool scales = (p && b && (binary.op == BinaryOp::multiply || binary.op == BinaryOp::divide)) ||
                      (a && q && binary.op == BinaryOp::multiply);
  if (scales) {
    const Value r = of_floats(binary, p ? p->value : *a, p ? *b : q->value, false, failure);
    if (r.unknown()) return r;
    const double value = r.as<Float>()->value;
    return Quantity{value, p ? p->unit : q->unit, print(*binary.left) + " " + spelling(binary.op) + " " + print(*binary.right)};
  }
  const Value& wrong = a ? right : left;
  failure->at_operator = true;
  std::string wants = "wants numbers";
  if (p || q) wants = "does not join " + kind_of(left) + " and " + kind_of(right);
  return fail(failure, Code::N0303,
              std::string("`") + spelling(binary.op) + "` " + wants + ((p || q) ? "" : ", got " + kind_of(wrong)));
}

}  // namespace netc::sema
