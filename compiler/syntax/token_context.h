// Where in a declaration a token stands: inside which bracket, in which statement. Brackets must be in pairs.
// Internal to compiler/syntax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/syntax/token.h"

namespace netc::syntax {

enum class Place : uint8_t {
  top,            // outside all brackets
  net_body, block_body, data_body,
  record,         // the body of a train or plan, or a record in it
  formals,        // block f( ... )
  call,           // dense( ... )
  group,          // ( ... )
  list,           // [ ... ]
  shape,          // f32[ ... ], x.shape[ ... ]
  repeat_body,
};

bool is_body(Place place);             // holds statements
bool has_commas(Place place);          // holds items between commas

class TokenContext {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  explicit TokenContext(const std::vector<Token>& tokens);

  size_t opening(size_t i) const { return i < open_.size() ? open_[i] : kNone; }  // innermost open bracket before i
  size_t partner(size_t i) const { return partner_[i]; }                         // of the bracket i
  Place place(size_t i) const { return place_inside(opening(i)); }
  Place place_inside(size_t open) const;

  // The item (statement, field, argument ...) that token i belongs to, at the level of i: its first token, and the first
  // token behind it (a comma, the next statement, the closing bracket).
  size_t item_begin(size_t i) const;
  size_t item_end(size_t i) const;

 private:
  bool starts_item(size_t i, Place place) const;

  const std::vector<Token>& tokens_;
  std::vector<size_t> open_;
  std::vector<size_t> partner_;
};

}  // namespace netc::syntax
