#include "runtime/backend/sim/ptx_operands.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace netc::sim {

bool Cursor::take_if(std::string_view text) {
  if (!here().is(text)) return false;
  take();
  return true;
}

void Cursor::expect(std::string_view text) {
  if (!take_if(text))
    refuse_ptx(here().line, "expected \"" + std::string(text) + "\" before \"" + std::string(here().text) + "\"");
}

void Cursor::skip_line() {
  const uint32_t line = tokens_[at_ > 0 ? at_ - 1 : 0].line;
  while (!is_at_end() && here().line == line) take();
}

void Cursor::skip_braces() {
  expect("{");
  for (int depth = 1; depth > 0 && !is_at_end();) {
    const Token token = take();
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
  }
}

int64_t Cursor::integer() {
  const bool is_negative = take_if("-");
  const Token token = take();
  if (token.kind != Token::Kind::number)
    refuse_ptx(token.line, "expected a number at \"" + std::string(token.text) + "\"");
  return static_cast<int64_t>(parse_literal(token.text, is_negative, token.line).bits);
}

Literal parse_literal(std::string_view text, bool is_negative, uint32_t line) {
  Literal literal;
  std::string digits(text);
  char* end = nullptr;
  const bool is_hex = digits.size() > 2 && digits[0] == '0' && (digits[1] | 32) == 'x';
  if (digits.size() == 10 && digits[0] == '0' && (digits[1] | 32) == 'f') {
    literal.kind = Literal::Kind::f32_bits;
    literal.bits = std::strtoull(digits.c_str() + 2, &end, 16) ^ (is_negative ? 0x80000000u : 0u);
  } else if (digits.size() == 18 && digits[0] == '0' && (digits[1] | 32) == 'd') {
    literal.kind = Literal::Kind::f64_bits;
    literal.bits = std::strtoull(digits.c_str() + 2, &end, 16) ^ (is_negative ? uint64_t{1} << 63 : 0);
  } else if (!is_hex && digits.find('.') != std::string::npos) {
    literal.kind = Literal::Kind::f64_bits;
    const double value = std::strtod(digits.c_str(), &end) * (is_negative ? -1 : 1);
    std::memcpy(&literal.bits, &value, sizeof value);
  } else {
    if (digits.size() > 1 && (digits.back() | 32) == 'u') digits.pop_back();
    const bool is_binary = digits.size() > 2 && digits[0] == '0' && (digits[1] | 32) == 'b';
    literal.bits = is_binary ? std::strtoull(digits.c_str() + 2, &end, 2) : std::strtoull(digits.c_str(), &end, 0);
    if (is_negative) literal.bits = uint64_t{0} - literal.bits;
  }
  if (!end || *end != '\0') refuse_ptx(line, "cannot read the number " + std::string(text));
  return literal;
}

namespace {

Operand parse_operand(Cursor& cursor, KernelBuilder& builder) {
  Operand operand;
  operand.line = cursor.here().line;
  operand.is_negated = cursor.take_if("!");
  if (cursor.take_if("{")) {
    operand.kind = Operand::Kind::list;
    do operand.parts.push_back(parse_operand(cursor, builder));
    while (cursor.take_if(","));
    cursor.expect("}");
    return operand;
  }
  if (cursor.take_if("[")) {
    const Operand base = parse_operand(cursor, builder);
    cursor.expect("]");
    operand.kind = Operand::Kind::address;
    operand.reg = base.reg;
    operand.name = base.name;
    operand.offset = base.kind == Operand::Kind::literal ? static_cast<int64_t>(base.literal.bits) : base.offset;
    return operand;
  }
  if (cursor.here().is("-") || cursor.here().kind == Token::Kind::number) {
    const bool is_negative = cursor.take_if("-");
    const Token number = cursor.take();
    operand.kind = Operand::Kind::literal;
    operand.literal = parse_literal(number.text, is_negative, number.line);
    return operand;
  }
  const Token word = cursor.take();
  if (word.kind != Token::Kind::word)
    refuse_ptx(word.line, "expected an operand at \"" + std::string(word.text) + "\"");
  if (word.text == "_") return operand;
  if (word.text == "WARP_SZ") {
    operand.kind = Operand::Kind::literal;
    operand.literal.bits = kWarpLanes;
    return operand;
  }
  if (const Register* found = builder.find_register(word.text)) {
    operand.kind = Operand::Kind::reg;
    operand.reg = *found;
  } else {
    operand.kind = Operand::Kind::name;
    operand.name = word.text;
  }
  if (cursor.take_if("+")) operand.offset = cursor.integer();
  if (cursor.here().is("-") && operand.kind != Operand::Kind::literal) operand.offset = cursor.integer();
  if (cursor.take_if("|")) operand.second.push_back(parse_operand(cursor, builder));
  return operand;
}

}  // namespace

std::vector<Operand> parse_operands(Cursor& cursor, KernelBuilder& builder) {
  std::vector<Operand> operands;
  if (cursor.take_if(";")) return operands;
  do operands.push_back(parse_operand(cursor, builder));
  while (cursor.take_if(","));
  cursor.expect(";");
  return operands;
}

}  // namespace netc::sim
