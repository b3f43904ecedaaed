#include "compiler/syntax/misfit_site.h"

#include <algorithm>

namespace netc::syntax {

const char* expected_in(Place place) {
  switch (place) {
    case Place::top: return "a declaration: const, param, data, block, net, train or plan";
    case Place::net_body: return "a statement: input, output, let, shared or assert";
    case Place::block_body: return "a statement: let, shared, return or assert";
    case Place::data_body: return "a split `name: reader(...)` or a `field`";
    case Place::record: return "a field `name: value`";
    case Place::formals: return "a parameter `name: type`";
    case Place::call:
    case Place::group: return "`,` or `)`";
    case Place::list:
    case Place::shape: return "`,` or `]`";
    case Place::repeat_body: return "`|>` or `}`";
  }
  return "";
}

Span MisfitSite::place_of(size_t i) const {
  return i >= list_.tokens.size() && following_ ? list_.span(*following_) : place(list_, i);
}

std::string MisfitSite::found(size_t i) const {
  if (i < list_.tokens.size() || !following_) return describe(list_, i);
  return '`' + shortened(list_.spelling(*following_)) + '`';
}

bool MisfitSite::touches_next(size_t i) const {
  return i + 1 < list_.tokens.size() && list_.tokens[i].end == list_.tokens[i + 1].begin;
}

bool MisfitSite::on_new_line(size_t i) const {
  if (i == 0 || i >= list_.tokens.size()) return true;
  const uint32_t end = list_.tokens[i - 1].end;
  return list_.text.substr(end, list_.tokens[i].begin - end).find_first_of("\r\n") != std::string_view::npos;
}

// The beginning of the item (statement, argument ...) that the grammar was reading, on the level of the misfit.
size_t MisfitSite::item_before() const {
  const size_t open = context_.opening(k_);
  const size_t first = open == kNone ? 0 : open + 1;
  if (k_ <= first) return first;
  const size_t last = is_closing(kind(k_ - 1)) ? context_.partner(k_ - 1) : k_ - 1;
  return context_.item_begin(last);
}

// The last `if` of this item that has no `else` of its own, unless one follows.
size_t MisfitSite::unfinished_if() const {
  const size_t begin = item_before();
  const bool goes_on = !at_end() && context_.item_begin(k_) == begin;
  const size_t end = goes_on ? context_.item_end(k_) : k_;
  for (size_t i = k_; i < end; ++i) {
    if (kind(i) == TokenKind::KW_ELSE) return kNone;
    if (is_opening(kind(i))) i = context_.partner(i);
  }
  int elses = 0;
  for (size_t i = std::min(k_, list_.tokens.size()); i-- > begin;) {
    if (is_closing(kind(i))) i = context_.partner(i);
    if (kind(i) == TokenKind::KW_ELSE) ++elses;
    if (kind(i) == TokenKind::KW_IF && elses-- == 0) return i;
  }
  return kNone;
}

// Is the misfit inside the condition of an `if`?
bool MisfitSite::lacks_then() const {
  const size_t begin = item_before();
  for (size_t i = k_; i-- > begin;) {
    if (is_closing(kind(i))) i = context_.partner(i);
    if (kind(i) == TokenKind::KW_THEN) return false;
    if (kind(i) == TokenKind::KW_IF) return true;
  }
  return false;
}

bool MisfitSite::has_pipe_before(size_t i) const {
  if (i == 0) return false;
  const TokenKind before_if = kind(i - 1);
  return before_if == TokenKind::PIPE ||
         (before_if == TokenKind::PAREN_OPEN && i > 1 && kind(i - 2) == TokenKind::PIPE);
}

// Where the last stage of the value before the misfit begins; none if it is no pipeline.
size_t MisfitSite::last_stage() const {
  const size_t begin = item_before();
  for (size_t i = k_; i-- > begin;) {
    if (is_closing(kind(i))) i = context_.partner(i);
    if (kind(i) == TokenKind::PIPE) return i + 1;
  }
  return kNone;
}

// What may stand at the misfit, in words.
std::string MisfitSite::expected() const {
  const Place where = context_.place(k_);
  switch (previous()) {
    case TokenKind::KW_LET:
    case TokenKind::KW_CONST:
    case TokenKind::KW_PARAM:
    case TokenKind::KW_DATA:
    case TokenKind::KW_BLOCK:
    case TokenKind::KW_NET:
    case TokenKind::KW_TRAIN:
    case TokenKind::KW_PLAN:
    case TokenKind::KW_INPUT:
    case TokenKind::KW_OUTPUT:
    case TokenKind::KW_SHARED:
    case TokenKind::KW_FIELD:
    case TokenKind::KW_AS: return std::string("a name after `") + fixed_spelling(previous()) + "`";
    case TokenKind::KW_USE: return "a path in double quotes";
    case TokenKind::KW_LANGUAGE: return "the number of the language";
    case TokenKind::KW_PER: return "`tower` or `host`";
    case TokenKind::PIPE: return "a layer, block or net after `|>`";
    case TokenKind::DOT: return "a name after `.`";
    case TokenKind::COLON: return is_type_here(where) ? "a type, such as f32[28, 28, 1]" : "a value";
    case TokenKind::BRACE_OPEN: return where == Place::repeat_body ? "a layer, block or net" : expected_in(where);
    default: break;
  }
  if (lacks_then()) return "`then` after the condition of `if`";
  if (kind(k_) == TokenKind::COMMA && has_commas(where) && !is_word(previous()) && !ends_value(previous()))
    return "a value";
  if (kind(k_) == TokenKind::COMMA && where == Place::shape) return "`]`";
  if (previous() == TokenKind::COMMA && !has_commas(where)) return expected_in(where);
  const bool wants_value = !ends_value(previous()) && !is_word(previous()) && previous() != TokenKind::end_of_file;
  if (wants_value && where == Place::formals) return expected_in(where);
  return wants_value || is_keyword(previous()) ? "a value" : expected_in(where);
}

bool MisfitSite::is_type_here(Place where) const {
  if (where == Place::formals) return true;
  const TokenKind first = kind(context_.item_begin(k_));
  return first == TokenKind::KW_INPUT || first == TokenKind::KW_OUTPUT || first == TokenKind::KW_LET ||
         first == TokenKind::KW_FIELD || first == TokenKind::KW_PARAM;
}

}  // namespace netc::syntax
