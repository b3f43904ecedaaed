#include "compiler/syntax/token_context.h"

#include <algorithm>

#include "compiler/syntax/repair.h"

namespace netc::syntax {

bool is_body(Place place) {
  return place == Place::net_body || place == Place::block_body || place == Place::data_body;
}

bool has_commas(Place place) {
  return place == Place::formals || place == Place::call || place == Place::group || place == Place::list ||
         place == Place::shape;
}

TokenContext::TokenContext(const std::vector<Token>& tokens)
    : tokens_(tokens), open_(tokens.size() + 1, kNone), partner_(tokens.size(), kNone) {
  std::vector<size_t> stack;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (is_closing(tokens[i].kind) && !stack.empty()) {
      partner_[i] = stack.back();
      partner_[stack.back()] = i;
      open_[i] = stack.back();  // a closing bracket stands inside its pair
      stack.pop_back();
    } else {
      open_[i] = stack.empty() ? kNone : stack.back();
    }
    if (is_opening(tokens[i].kind)) stack.push_back(i);
  }
}

Place TokenContext::place_inside(size_t open) const {
  if (open == kNone) return Place::top;
  const TokenKind before = open > 0 ? tokens_[open - 1].kind : TokenKind::end_of_file;
  const bool after_value = ends_value(before) || is_key(before);
  switch (tokens_[open].kind) {
    case TokenKind::PAREN_OPEN: {
      const TokenKind word = open > 1 ? tokens_[open - 2].kind : TokenKind::end_of_file;
      const bool header = opening(open) == kNone && (word == TokenKind::KW_BLOCK || word == TokenKind::KW_NET);
      if (header) return Place::formals;
      return after_value && before != TokenKind::KW_IN ? Place::call : Place::group;
    }
    case TokenKind::BRACKET_OPEN: return after_value && before != TokenKind::KW_IN ? Place::shape : Place::list;
    default: break;
  }
  if (opening(open) == kNone) {
    for (size_t i = open; i-- > 0;) {
      if (opening(i) != kNone || is_closing(tokens_[i].kind)) continue;
      switch (tokens_[i].kind) {
        case TokenKind::KW_NET: return Place::net_body;
        case TokenKind::KW_BLOCK: return Place::block_body;
        case TokenKind::KW_DATA: return Place::data_body;
        case TokenKind::KW_TRAIN:
        case TokenKind::KW_PLAN: return Place::record;
        default: break;
      }
    }
    return Place::repeat_body;  // nothing says what these braces are
  }
  if (before == TokenKind::COLON || place(open) == Place::record) return Place::record;
  return Place::repeat_body;
}

bool TokenContext::starts_item(size_t i, Place place) const {
  const bool is_named = is_key(tokens_[i].kind) && i + 1 < tokens_.size() && tokens_[i + 1].kind == TokenKind::COLON;
  switch (place) {
    case Place::net_body:
    case Place::block_body: return starts_statement(tokens_, i);
    case Place::data_body: return starts_statement(tokens_, i) || is_named;
    case Place::record: return is_named;
    case Place::top: return starts_declaration(tokens_, i) || starts_statement(tokens_, i);
    case Place::repeat_body: return i > 0 && tokens_[i - 1].kind == TokenKind::PIPE;
    default: return i > 0 && tokens_[i - 1].kind == TokenKind::COMMA;
  }
}

size_t TokenContext::item_begin(size_t i) const {
  const size_t open = opening(i);
  const Place where = place_inside(open);
  const size_t first = open == kNone ? 0 : open + 1;
  size_t at = std::min(i, tokens_.size());
  // A closing bracket, or the end, belongs to the item before it.
  if (at == tokens_.size() || (is_closing(tokens_[at].kind) && partner_[at] == open)) {
    if (at == first) return at;
    --at;
  }
  while (at > first) {
    if (is_closing(tokens_[at].kind)) at = partner_[at];
    if (at <= first) break;
    if (starts_item(at, where)) return at;
    --at;
  }
  return first;
}

size_t TokenContext::item_end(size_t i) const {
  const size_t open = opening(i);
  const Place where = place_inside(open);
  const size_t last = open == kNone ? tokens_.size() : partner_[open];
  for (size_t at = i; at < last; ++at) {
    if (at > i && starts_item(at, where)) return has_commas(where) || where == Place::repeat_body ? at - 1 : at;
    if (has_commas(where) && tokens_[at].kind == TokenKind::COMMA) return at;
    if (where == Place::repeat_body && tokens_[at].kind == TokenKind::PIPE) return at;
    if (is_opening(tokens_[at].kind)) at = partner_[at];
  }
  return last;
}

}  // namespace netc::syntax
