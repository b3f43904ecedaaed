// The words of a file between lexer and parser: small plain values, so that mistakes can be repaired by editing a list.
// Internal to compiler/syntax.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/source.h"

namespace netc::syntax {

// The token types of grammar/Net.g4 in its order, with their fixed spelling (empty: it varies). parse_lexer.cpp checks
// at compile time that the numbers agree.
#define NETC_TOKENS(TOKEN)                                                                                       \
  TOKEN(KW_LANGUAGE, "language") TOKEN(KW_USE, "use") TOKEN(KW_AS, "as") TOKEN(KW_CONST, "const")                \
  TOKEN(KW_PARAM, "param") TOKEN(KW_DATA, "data") TOKEN(KW_FIELD, "field") TOKEN(KW_FROM, "from")                \
  TOKEN(KW_BLOCK, "block") TOKEN(KW_NET, "net") TOKEN(KW_INPUT, "input") TOKEN(KW_OUTPUT, "output")              \
  TOKEN(KW_LET, "let") TOKEN(KW_SHARED, "shared") TOKEN(KW_RETURN, "return") TOKEN(KW_ASSERT, "assert")          \
  TOKEN(KW_TRAIN, "train") TOKEN(KW_PLAN, "plan") TOKEN(KW_IF, "if") TOKEN(KW_THEN, "then")                      \
  TOKEN(KW_ELSE, "else") TOKEN(KW_REPEAT, "repeat") TOKEN(KW_IN, "in") TOKEN(KW_AND, "and") TOKEN(KW_OR, "or")   \
  TOKEN(KW_NOT, "not") TOKEN(KW_PER, "per") TOKEN(KW_TOTAL, "total") TOKEN(KW_CLASS, "class")                    \
  TOKEN(KW_TRUE, "true") TOKEN(KW_FALSE, "false") TOKEN(KW_NONE, "none")                                         \
  TOKEN(BRACE_OPEN, "{") TOKEN(BRACE_CLOSE, "}") TOKEN(PAREN_OPEN, "(") TOKEN(PAREN_CLOSE, ")")                  \
  TOKEN(BRACKET_OPEN, "[") TOKEN(BRACKET_CLOSE, "]") TOKEN(COLON, ":") TOKEN(COMMA, ",") TOKEN(DOT, ".")         \
  TOKEN(ASSIGN, "=") TOKEN(PIPE, "|>") TOKEN(POWER, "^") TOKEN(STAR, "*") TOKEN(SLASH, "/") TOKEN(PLUS, "+")     \
  TOKEN(MINUS, "-") TOKEN(RANGE, "..<") TOKEN(LESS, "<") TOKEN(LESS_EQUAL, "<=") TOKEN(GREATER, ">")             \
  TOKEN(GREATER_EQUAL, ">=") TOKEN(EQUAL, "==") TOKEN(NOT_EQUAL, "!=")                                           \
  TOKEN(DEVICE, "") TOKEN(QUANTITY, "") TOKEN(FLOAT, "") TOKEN(INT, "") TOKEN(IDENT, "") TOKEN(STRING, "")

enum class TokenKind : uint8_t {
  end_of_file = 0,
#define TOKEN(name, spelling) name,
  NETC_TOKENS(TOKEN)
#undef TOKEN
  DOC, COMMENT, BLOCKC, WS, STRAY,
};

struct Token {
  TokenKind kind = TokenKind::end_of_file;
  bool broken = false;     // put in by a repair, or damaged: becomes Broken in the tree
  uint32_t begin = 0;      // bytes of the file; empty if put in by a repair
  uint32_t end = 0;
  uint32_t doc_begin = 0;  // its doc comments, as a range of TokenList::docs
  uint32_t doc_end = 0;
};

struct TokenList {
  FileId file = kNoFile;
  std::string_view text;      // of the whole file
  std::vector<Token> tokens;  // without comments; no end-of-file token
  std::vector<Span> docs;     // the `///` comments in order
  std::vector<uint32_t> damage;  // bytes where a repair left something out or changed the meaning
  std::vector<Span> quiet;       // lines where a string has no end: what follows on them is not reported

  std::string_view spelling(const Token& token) const { return text.substr(token.begin, token.end - token.begin); }
  Span span(const Token& token) const { return {file, token.begin, token.end}; }
};

const char* fixed_spelling(TokenKind kind);                     // "let", "|>"; "" if it varies
std::optional<TokenKind> keyword(std::string_view word);        // KW_LET for "let"

inline bool is_keyword(TokenKind kind) { return kind >= TokenKind::KW_LANGUAGE && kind <= TokenKind::KW_NONE; }
inline bool is_word(TokenKind kind) { return kind == TokenKind::IDENT || is_keyword(kind); }
inline bool is_opening(TokenKind kind) {
  return kind == TokenKind::BRACE_OPEN || kind == TokenKind::PAREN_OPEN || kind == TokenKind::BRACKET_OPEN;
}
inline bool is_closing(TokenKind kind) {
  return kind == TokenKind::BRACE_CLOSE || kind == TokenKind::PAREN_CLOSE || kind == TokenKind::BRACKET_CLOSE;
}
// The bracket that closes or opens the given one: they stand side by side in the table.
inline TokenKind closing_of(TokenKind open) { return static_cast<TokenKind>(static_cast<int>(open) + 1); }
inline TokenKind opening_of(TokenKind close) { return static_cast<TokenKind>(static_cast<int>(close) - 1); }

// Words that may stand as a field's name before `:` and after a dot.
bool is_key(TokenKind kind);
// Tokens that can be the first, or the last, of a value.
bool starts_value(TokenKind kind);
bool ends_value(TokenKind kind);

}  // namespace netc::syntax
