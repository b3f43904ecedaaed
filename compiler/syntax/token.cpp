#include "compiler/syntax/token.h"

namespace netc::syntax {

namespace {

constexpr const char* kSpellings[] = {
    "",
#define TOKEN(name, spelling) spelling,
    NETC_TOKENS(TOKEN)
#undef TOKEN
    "", "", "", "", "",
};

bool is_literal(TokenKind kind) {
  return (kind >= TokenKind::DEVICE && kind <= TokenKind::STRING) || kind == TokenKind::KW_TRUE ||
         kind == TokenKind::KW_FALSE || kind == TokenKind::KW_NONE;
}

bool is_name_in_value(TokenKind kind) {
  return kind == TokenKind::KW_TRAIN || kind == TokenKind::KW_DATA || kind == TokenKind::KW_NET;
}

}  // namespace

const char* fixed_spelling(TokenKind kind) { return kSpellings[static_cast<size_t>(kind)]; }

std::optional<TokenKind> keyword(std::string_view word) {
  for (int kind = static_cast<int>(TokenKind::KW_LANGUAGE); kind <= static_cast<int>(TokenKind::KW_NONE); ++kind) {
    if (word == kSpellings[kind]) return static_cast<TokenKind>(kind);
  }
  return std::nullopt;
}

bool is_key(TokenKind kind) {
  switch (kind) {
    case TokenKind::KW_AS:
    case TokenKind::KW_RETURN:
    case TokenKind::KW_ASSERT:
    case TokenKind::KW_IF:
    case TokenKind::KW_THEN:
    case TokenKind::KW_ELSE:
    case TokenKind::KW_AND:
    case TokenKind::KW_OR:
    case TokenKind::KW_NOT:
    case TokenKind::KW_PER:
    case TokenKind::KW_TOTAL:
    case TokenKind::KW_TRUE:
    case TokenKind::KW_FALSE:
    case TokenKind::KW_NONE: return false;
    default: return is_word(kind);
  }
}

bool starts_value(TokenKind kind) {
  return is_literal(kind) || is_name_in_value(kind) || kind == TokenKind::PAREN_OPEN ||
         kind == TokenKind::BRACKET_OPEN || kind == TokenKind::MINUS || kind == TokenKind::KW_NOT ||
         kind == TokenKind::KW_IF;
}

bool ends_value(TokenKind kind) {
  return is_literal(kind) || is_name_in_value(kind) || is_closing(kind);
}

}  // namespace netc::syntax
