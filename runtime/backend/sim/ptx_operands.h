// Operands of PTX as they are written, before an instruction says what it wants of them.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/backend/sim/kernel_builder.h"
#include "runtime/backend/sim/ptx_tokens.h"

namespace netc::sim {

struct Literal {
  enum class Kind : uint8_t { integer, f32_bits, f64_bits };
  Kind kind = Kind::integer;
  uint64_t bits = 0;
};

struct Operand {
  enum class Kind : uint8_t { reg, literal, name, list, address, nothing };
  Kind kind = Kind::nothing;
  Register reg;                  // of a reg, or the base of an address (operand kNoOperand: none)
  bool is_negated = false;       // "!%p1"
  Literal literal;
  std::string_view name;         // a variable, label or special register; of an address its base
  int64_t offset = 0;            // of an address, or behind a name
  std::vector<Operand> parts;    // of a list {a, b}
  std::vector<Operand> second;   // one: the q of "p|q"
  uint32_t line = 0;
};

// A position in the tokens.
class Cursor {
 public:
  explicit Cursor(const std::vector<Token>& tokens) : tokens_(tokens) {}

  const Token& here() const { return tokens_[at_]; }
  const Token& ahead(size_t count = 1) const {
    return tokens_[at_ + count < tokens_.size() ? at_ + count : tokens_.size() - 1];
  }
  Token take() { return here().kind == Token::Kind::end ? here() : tokens_[at_++]; }
  bool take_if(std::string_view text);
  void expect(std::string_view text);
  void skip_line();          // the rest of the line the cursor is in
  void skip_braces();        // from "{" behind its "}"
  int64_t integer();         // with an optional sign
  bool is_at_end() const { return here().kind == Token::Kind::end; }
  size_t position() const { return at_; }
  void move_to(size_t position) { at_ = position; }

 private:
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
};

Literal parse_literal(std::string_view text, bool is_negative, uint32_t line);

// Operands up to the ";" behind them.
std::vector<Operand> parse_operands(Cursor& cursor, KernelBuilder& builder);

}  // namespace netc::sim
