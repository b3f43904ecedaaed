// A token at which the grammar can go no further, and questions about what stands around it.
// Internal to compiler/syntax.
#pragma once

#include <string>

#include "compiler/syntax/repair.h"
#include "compiler/syntax/token_context.h"

namespace netc::syntax {

class MisfitSite {
 public:
  static constexpr size_t kNone = TokenContext::kNone;

  // `k` is the token, or the number of tokens if the text ends too early. `following` is the first token of the file
  // behind these, if there is one.
  MisfitSite(const TokenList& list, size_t k, const Token* following)
      : list_(list), k_(k), following_(following), context_(list.tokens) {}

  Span place_of(size_t i) const;
  // What may stand at the misfit, and what does, in words.
  std::string expected() const;
  std::string found(size_t i) const;
  std::string found() const { return found(k_); }
  const TokenContext& context() const { return context_; }

 protected:
  TokenKind kind(size_t i) const { return i < list_.tokens.size() ? list_.tokens[i].kind : TokenKind::end_of_file; }
  TokenKind previous() const { return k_ > 0 ? kind(k_ - 1) : TokenKind::end_of_file; }
  bool at_end() const { return k_ >= list_.tokens.size(); }
  std::string text(size_t i) const { return shortened(list_.spelling(list_.tokens[i])); }
  Span behind(size_t i) const { return {list_.file, list_.tokens[i].end, list_.tokens[i].end}; }
  Span before(size_t i) const { return {list_.file, list_.tokens[i].begin, list_.tokens[i].begin}; }
  bool touches_next(size_t i) const;
  bool on_new_line(size_t i) const;

  // The beginning of the item (statement, argument ...) that the grammar was reading, on the level of the misfit.
  size_t item_before() const;
  // Where the last stage of the value before the misfit begins; none if it is no pipeline.
  size_t last_stage() const;
  // The last `if` of this item that has no `else` of its own, unless one follows.
  size_t unfinished_if() const;
  bool has_pipe_before(size_t i) const;

  // Is the misfit inside the condition of an `if`?
  bool lacks_then() const;

  const TokenList& list_;
  const size_t k_;
  const Token* const following_;
  const TokenContext context_;

 private:
  bool is_type_here(Place where) const;
};

// What may stand in a place, in words: "a statement: let, shared, return or assert".
const char* expected_in(Place place);

}  // namespace netc::syntax
