#include "compiler/syntax/parse.h"
#include "compiler/syntax/repair.h"

namespace netc::syntax {

namespace {

// What one bracket, or the text outside all of them, adds to the depth of the tree so far.
struct Level {
  int brackets = 0;   // 1 for a bracket
  int nested = 0;     // `if`, `^` and signs in front: the grammar calls itself for each
  int operators = 0;  // the tree leans to the left by one level for each
};

bool is_binary_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::STAR:
    case TokenKind::SLASH:
    case TokenKind::PLUS:
    case TokenKind::MINUS:
    case TokenKind::RANGE:
    case TokenKind::LESS:
    case TokenKind::LESS_EQUAL:
    case TokenKind::GREATER:
    case TokenKind::GREATER_EQUAL:
    case TokenKind::EQUAL:
    case TokenKind::NOT_EQUAL:
    case TokenKind::KW_AND:
    case TokenKind::KW_OR:
    case TokenKind::DOT: return true;
    default: return false;
  }
}

}  // namespace

bool nesting_is_sane(const TokenList& list, Diagnostics& diagnostics) {
  std::vector<Level> levels(1);
  int nested = 0, operators = 0;
  TokenKind previous = TokenKind::end_of_file;
  for (size_t i = 0; i < list.tokens.size(); ++i) {
    const TokenKind kind = list.tokens[i].kind;
    Level& level = levels.back();
    const bool after_value = ends_value(previous) || previous == TokenKind::IDENT;
    const bool ends_expression = kind == TokenKind::COMMA || kind == TokenKind::COLON || kind == TokenKind::ASSIGN ||
                                 starts_statement(list.tokens, i) || starts_declaration(list.tokens, i);
    if (ends_expression) {
      nested -= level.nested;
      operators -= level.operators;
      level.nested = level.operators = 0;
    } else if (kind == TokenKind::PIPE) {
      operators -= level.operators;
      level.operators = 0;
    } else if (is_opening(kind)) {
      if (after_value) {  // a call or an index stands on what comes before it
        ++level.operators;
        ++operators;
      }
      levels.push_back({1, 0, 0});
      ++nested;
    } else if (is_closing(kind)) {
      if (levels.size() > 1) {
        nested -= level.nested + level.brackets;
        operators -= level.operators;
        levels.pop_back();
      }
    } else if (kind == TokenKind::KW_IF || kind == TokenKind::KW_NOT || kind == TokenKind::POWER ||
               (kind == TokenKind::MINUS && !after_value)) {
      ++level.nested;
      ++nested;
    } else if (is_binary_operator(kind)) {
      ++level.operators;
      ++operators;
    }
    if (nested > kMaxNesting || operators > kMaxOperators) {
      const int limit = nested > kMaxNesting ? kMaxNesting : kMaxOperators;
      diagnostics.error(Code::N0118, list.span(list.tokens[i]), "nested more than " + std::to_string(limit) + " deep")
          .help(nested > kMaxNesting ? "give the inner parts names with `let` or `block`"
                                     : "give parts of this long expression names with `let`");
      return false;
    }
    previous = kind;
  }
  return true;
}

}  // namespace netc::syntax
