#include "compiler/kernel/emit_text.h"

#include <charconv>
#include <cmath>
#include <sstream>

#include "compiler/base/errors.h"

namespace netc {

void CodeText::comment(const std::string& lines) {
  std::istringstream in(lines);
  for (std::string text; std::getline(in, text);) line(text.empty() ? "//" : "// " + text);
}

std::string float_literal(double value) {
  const float f = static_cast<float>(value);
  if (std::isnan(f)) return "__builtin_nanf(\"\")";
  if (std::isinf(f)) return f > 0 ? "__builtin_inff()" : "(-__builtin_inff())";
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, f).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text += 'f';
  return std::signbit(f) ? "(" + text + ")" : text;
}

std::string literal(double value, DType type) {
  switch (type) {
    case DType::f32: return float_literal(value);
    case DType::boolean: return value != 0 ? "1" : "0";
    case DType::i32: {
      const std::string text = std::to_string(static_cast<int64_t>(value));
      return value < 0 ? "(" + text + ")" : text;
    }
    case DType::i64:   // beside random bits only: 0 .. 2^32-1
      if (value < 0 || value > 4294967295.0) throw InternalError("a bound of random bits lies outside of 32 bits");
      return std::to_string(static_cast<uint64_t>(value)) + "u";
    default: throw InternalError(std::string("no literal of type ") + dtype_name(type));
  }
}

std::string identifier(const std::string& name) {
  std::string text;
  for (char ch : name) {
    const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
    if (plain) text += ch;
    else if (!text.empty() && text.back() != '_') text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) text = "k" + text;
  return text;
}

}  // namespace netc
