// PTX text as a list of tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace netc::sim {

struct Token {
  enum class Kind : uint8_t { word, number, text, mark, end };
  Kind kind = Kind::end;
  std::string_view text;   // of `text` tokens without the quotes; of marks one character
  uint32_t line = 0;

  bool is(std::string_view what) const { return text == what && kind != Kind::text && kind != Kind::end; }
};

// Words keep their dots ("ld.global.f32", "%tid.x") and double colons ("L2::128B"); directives are one each
// (".reg.b32" is two). Ends with a token of kind end.
// The tokens point into the text.
std::vector<Token> tokenize_ptx(std::string_view text);

}  // namespace netc::sim
