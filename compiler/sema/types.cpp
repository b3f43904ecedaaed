// Types as written to types of tensors.
#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

std::optional<TensorType> Evaluator::tensor_type(const ast::Type& type, Context& context) {
  TensorType result;
  result.batched = true;
  const auto size_of = [&](const ast::Expr& expr, std::string_view what) -> std::optional<int64_t> {
    const Value value = evaluate(expr, context);
    if (value.unknown()) return std::nullopt;
    const auto* size = value.as<int64_t>();
    if (!size) {
      error(number_of(value) ? Code::N0302 : Code::N0303, expr.span,
            std::string(what) + " must be a whole number, got " + (number_of(value) ? show(value, graph()) : kind_of(value)), "",
            context);
      return std::nullopt;
    }
    if (*size < 1) {
      Diagnostic& d = error(Code::N0310, expr.span, std::string(what) + " must lie in 1 and above, got " + std::to_string(*size), "",
                            context);
      if (*size == -1) d.help("the batch is never written, and only `reshape` takes -1");
      return std::nullopt;
    }
    return *size;
  };
  if (type.classes) {
    const auto classes = size_of(*type.classes, "the number of classes");
    if (!classes) return std::nullopt;
    if (*classes > (int64_t{1} << 31) - 1) {
      error(Code::N0310, type.classes->span, "the number of classes must lie in 1 ..< 2^31, got " + std::to_string(*classes), "",
            context);
      return std::nullopt;
    }
    result.dtype = DType::i32;
    result.classes = *classes;
  } else {
    static constexpr std::pair<const char*, DType> kElements[] = {
        {"f32", DType::f32}, {"f64", DType::f64}, {"f16", DType::f16}, {"bf16", DType::bf16},
        {"i32", DType::i32}, {"i64", DType::i64}, {"u8", DType::u8},   {"bool", DType::boolean}};
    bool known = false;
    for (const auto& [name, dtype] : kElements)
      if (type.element.text == name) {
        result.dtype = dtype;
        known = true;
      }
    if (!known) {
      if (type.element.text.empty()) return std::nullopt;   // broken, reported
      Diagnostic& d = error(Code::N0202, type.element.span, "`" + type.element.text + "` is not an element type", "", context);
      const std::vector<std::string> names{"f32", "f64", "f16", "bf16", "i32", "i64", "u8", "bool", "class"};
      d.note("element types: f32 f16 bf16 f64 i32 i64 u8 bool class(N)");
      const std::string& text = type.element.text;
      if (text == "float" || text == "float32" || text == "double") d.fix("the name here is `f32`", type.element.span, "f32", Confidence::guess);
      else if (text == "int" || text == "int32") d.fix("the name here is `i32`", type.element.span, "i32", Confidence::guess);
      else if (text == "uint8" || text == "byte") d.fix("the name here is `u8`", type.element.span, "u8", Confidence::guess);
      else if (const auto close = suggest(text, names)) d.fix("did you mean `" + *close + "`?", type.element.span, *close, Confidence::guess);
      return std::nullopt;
    }
  }
  if (!type.shape) return result;
  int64_t count = 1;
  for (const ast::ExprPtr& expr : *type.shape) {
    const auto size = size_of(*expr, "a size");
    if (!size) return std::nullopt;
    if (__builtin_mul_overflow(count, *size, &count) || count > (int64_t{1} << 40)) {
      error(Code::N0418, type.span, "this tensor would have more than 2^40 values", "", context);
      return std::nullopt;
    }
    result.shape.push_back(*size);
  }
  return result;
}

}  // namespace netc::sema
