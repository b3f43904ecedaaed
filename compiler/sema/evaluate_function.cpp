// Compile-time functions: mod floor ceil min max sqrt log2 length product, and transpose(weight).
#include <cmath>
#include <limits>

#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

bool Evaluator::is_function(std::string_view name) const {
  for (std::string_view known : {"mod", "floor", "ceil", "min", "max", "sqrt", "log2", "length", "product"})
    if (name == known) return true;
  return false;
}

namespace {

// The numbers a function works on: its arguments, or the items of its only one.
std::optional<std::vector<Value>> numbers_of(const std::vector<GivenArgument>& given) {
  std::vector<Value> values;
  if (given.size() == 1 && given[0].value.items()) {
    values = *given[0].value.items();
  } else {
    for (const GivenArgument& argument : given) values.push_back(argument.value);
  }
  for (const Value& value : values)
    if (!number_of(value)) return std::nullopt;
  return values;
}

bool all_whole(const std::vector<Value>& values) {
  for (const Value& value : values)
    if (!value.is<int64_t>()) return false;
  return true;
}

constexpr double kInt64Limit = 9223372036854775808.0;   // 2^63

}  // namespace

Value Evaluator::evaluate_function(const std::string& name, const ast::CallExpr& call, std::vector<GivenArgument> given,
                                   Span span, Context& context) {
  for (const GivenArgument& argument : given)
    if (argument.value.unknown()) return Unknown{};
  const auto wrong = [&](Code code, Span at, std::string summary) -> Value {
    error(code, at, std::move(summary), "", context);
    return Unknown{};
  };
  for (const ast::Arg& arg : call.args)
    if (arg.name) return wrong(Code::N0301, arg.name->span, "`" + name + "` has no argument `" + arg.name->text + "`");
  if (name == "length") {
    if (given.size() == 1 && given[0].value.items()) return static_cast<int64_t>(given[0].value.items()->size());
    if (given.size() == 1 && given[0].value.is<Range>() && given[0].value.as<Range>()->whole) {
      const Range& range = *given[0].value.as<Range>();
      int64_t size = 0;
      if (!__builtin_sub_overflow(range.end, range.begin, &size)) return size < 0 ? int64_t{0} : size;
    }
    return wrong(Code::N0303, given.size() == 1 ? given[0].span : span, "`length` wants one list");
  }
  const bool folds = name == "min" || name == "max" || name == "product";
  const size_t wanted = name == "mod" ? 2 : 1;
  if (!folds && given.size() != wanted)
    return wrong(given.size() < wanted ? Code::N0307 : Code::N0305, span,
                 "`" + name + "` takes " + std::to_string(wanted) + (wanted == 1 ? " number" : " numbers") + ", got " +
                     std::to_string(given.size()));
  const auto values = numbers_of(given);
  if (!values || values->empty()) {
    if (values && name == "product") return int64_t{1};
    for (const GivenArgument& argument : given)
      if (!number_of(argument.value) && !argument.value.items())
        return wrong(Code::N0303, argument.span, "`" + name + "` wants numbers, got " + kind_of(argument.value));
    return wrong(Code::N0303, span, "`" + name + "` wants numbers");
  }
  if (name == "product" && all_whole(*values)) {
    int64_t product = 1;
    for (const Value& value : *values)
      if (__builtin_mul_overflow(product, *value.as<int64_t>(), &product))
        return wrong(Code::N0310, span, "the result of `product` must lie in -2^63 ..< 2^63: whole numbers have 64 bits");
    return product;
  }
  if (name == "product") {
    double product = 1;
    for (const Value& value : *values) product *= *number_of(value);
    return Float{product, false};
  }
  if (name == "min" || name == "max") {
    const Value* best = &values->front();
    for (const Value& value : *values) {
      const bool less = *number_of(value) < *number_of(*best);
      if (name == "min" ? less : *number_of(value) > *number_of(*best)) best = &value;
    }
    if (!all_whole(*values)) return Float{*number_of(*best), false};
    return *best;
  }
  const Value& first = values->front();
  const double x = *number_of(first);
  if (name == "mod") {
    const Value& second = (*values)[1];
    if (!all_whole(*values))
      return wrong(Code::N0302, first.is<int64_t>() ? given.back().span : given.front().span,
                   "`mod` works on whole numbers, got " + show(first.is<int64_t>() ? second : first, graph()));
    const int64_t a = *first.as<int64_t>(), b = *second.as<int64_t>();
    if (b == 0) return wrong(Code::N0313, given.back().span, "division by zero");
    if (b == -1) return int64_t{0};
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;   // the sign of the divisor
  }
  if (name == "floor" || name == "ceil") {
    if (first.is<int64_t>()) return first;
    const double whole = name == "floor" ? std::floor(x) : std::ceil(x);
    if (!(whole >= -kInt64Limit && whole < kInt64Limit))
      return wrong(Code::N0310, span, "the result of `" + name + "` must lie in -2^63 ..< 2^63: whole numbers have 64 bits");
    return static_cast<int64_t>(whole);
  }
  if ((name == "sqrt" && x < 0) || (name == "log2" && x <= 0))
    return wrong(Code::N0310, given[0].span,
                 "`" + name + "` wants a number " + (name == "sqrt" ? "of at least 0" : "above 0") + ", got " +
                     show(first, graph()));
  const double r = name == "sqrt" ? std::sqrt(x) : std::log2(x);
  if (first.is<int64_t>() && r == std::floor(r)) {   // exact roots and powers of two stay whole, as `/` does
    const int64_t whole = static_cast<int64_t>(r), from = *first.as<int64_t>();
    const bool exact = name == "sqrt" ? whole * whole == from : whole < 63 && (int64_t{1} << whole) == from;
    if (exact) return whole;
  }
  return Float{r, false};
}

Value Evaluator::evaluate_transpose(const ast::CallExpr& call, Span span, Context& context) {
  if (call.args.size() != 1 || call.args[0].name) {
    error(Code::N0503, span, "`transpose` takes a parameter of a layer", "", context)
        .help("`transpose(table.weight)`; axes of a tensor change with `transpose_axes(order)`");
    return Unknown{};
  }
  const Value value = evaluate(*call.args[0].value, context);
  if (value.unknown()) return Unknown{};
  if (const auto* weight = value.as<Weight>()) return Weight{weight->path, weight->node, !weight->transposed};
  Diagnostic& d = error(Code::N0503, call.args[0].span, "`transpose` takes a parameter of a layer, got " + kind_of(value), "",
                        context);
  if (value.is<Tensor>()) d.help("axes of a tensor change with `transpose_axes(order)`");
  return Unknown{};
}

}  // namespace netc::sema
