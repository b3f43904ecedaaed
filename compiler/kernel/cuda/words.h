// Identifiers in generated text: is one named, put another in its place, drop what nobody names.
#pragma once

#include <string>

namespace netc::cuda {

bool names_word(const std::string& text, const std::string& word);   // as a whole identifier

std::string with_word(std::string text, const std::string& from, const std::string& to);   // every whole `from`

// Without the lines `const i32 name = ...;` whose name stands in no other line than its own declarations.
std::string without_unused(const std::string& text);

}  // namespace netc::cuda
