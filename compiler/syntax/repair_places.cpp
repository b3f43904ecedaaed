#include "compiler/syntax/repair.h"

namespace netc::syntax {

namespace {

TokenKind kind_at(const std::vector<Token>& tokens, size_t i) {
  return i < tokens.size() ? tokens[i].kind : TokenKind::end_of_file;
}

}  // namespace

bool starts_statement(const std::vector<Token>& tokens, size_t i) {
  const TokenKind next = kind_at(tokens, i + 1);
  const TokenKind previous = i > 0 ? tokens[i - 1].kind : TokenKind::end_of_file;
  if (previous == TokenKind::DOT || next == TokenKind::COLON) return false;  // a name
  switch (kind_at(tokens, i)) {
    case TokenKind::KW_LET: return is_word(next) || next == TokenKind::PAREN_OPEN || next == TokenKind::ASSIGN;
    case TokenKind::KW_SHARED:
      if (previous == TokenKind::KW_REPEAT) return false;
      [[fallthrough]];
    case TokenKind::KW_INPUT:
    case TokenKind::KW_OUTPUT:
    case TokenKind::KW_FIELD: return is_word(next) || next == TokenKind::ASSIGN;
    case TokenKind::KW_RETURN:
    case TokenKind::KW_ASSERT: return starts_value(next) || is_word(next) || next == TokenKind::BRACE_CLOSE;
    default: return false;
  }
}

bool starts_declaration(const std::vector<Token>& tokens, size_t i) {
  if (i > 0 && tokens[i - 1].kind == TokenKind::DOT) return false;
  if (!is_word(kind_at(tokens, i + 1))) return false;
  const TokenKind after = kind_at(tokens, i + 2);
  switch (kind_at(tokens, i)) {
    case TokenKind::KW_DATA:
    case TokenKind::KW_TRAIN:
    case TokenKind::KW_PLAN: return after == TokenKind::BRACE_OPEN;
    case TokenKind::KW_BLOCK:
    case TokenKind::KW_NET: return after == TokenKind::BRACE_OPEN || after == TokenKind::PAREN_OPEN;
    case TokenKind::KW_CONST: return after == TokenKind::ASSIGN;
    case TokenKind::KW_PARAM: return after == TokenKind::COLON;
    default: return false;
  }
}

Token inserted(TokenKind kind, const std::vector<Token>& tokens, size_t before) {
  const uint32_t at = before < tokens.size() ? tokens[before].end : 0;
  Token token;
  token.kind = kind;
  token.broken = *fixed_spelling(kind) == '\0';  // a name or literal that nobody wrote
  token.begin = token.end = at;
  return token;
}

std::string shortened(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.size() <= kLongest) return std::string(text);
  size_t cut = kLongest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return std::string(text.substr(0, cut)) + "...";
}

std::string describe(const TokenList& list, size_t i) {
  if (i >= list.tokens.size()) return "the end of the file";
  std::string_view text = list.spelling(list.tokens[i]);
  if (text.empty()) text = fixed_spelling(list.tokens[i].kind);
  return '`' + shortened(text) + '`';
}

Span place(const TokenList& list, size_t i) {
  if (i < list.tokens.size()) return list.span(list.tokens[i]);
  const uint32_t end = list.tokens.empty() ? 0 : list.tokens.back().end;
  return {list.file, end, end};
}

}  // namespace netc::syntax
