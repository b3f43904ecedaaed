#include "compiler/kernel/cuda/words.h"

#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace netc::cuda {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The next place from `at` on where `word` stands as a whole; npos if there is none.
size_t find_word(const std::string& text, const std::string& word, size_t at = 0) {
  for (at = text.find(word, at); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = at + word.size() == text.size() || !is_word_character(text[at + word.size()]);
    if (begins && ends) return at;
  }
  return at;
}

// The name that a line declares and does nothing else: "const i32 point = blockIdx.x;". Empty for other lines.
std::string declared_name(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line.compare(begin, 6, "const ") != 0 || line.back() != ';') return {};
  const size_t type = begin + 6, equals = line.find(" = ", type);
  if (equals == std::string::npos || line.find(',') != std::string::npos) return {};
  const std::string_view head(line.data() + type, equals - type);
  const size_t space = head.find(' ');
  if (space == std::string_view::npos || (head.substr(0, space) != "i32" && head.substr(0, space) != "u32" &&
                                          head.substr(0, space) != "i64" && head.substr(0, space) != "u64"))
    return {};
  return std::string(head.substr(space + 1));
}

}  // namespace

bool names_word(const std::string& text, const std::string& word) { return find_word(text, word) != std::string::npos; }

std::string with_word(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = find_word(text, from); at != std::string::npos; at = find_word(text, from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string without_unused(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (bool changed = true; changed;) {   // what a dropped line named may be unused then
    changed = false;
    std::map<std::string, int> uses;
    for (const std::string& line : lines)
      for (size_t at = 0; at < line.size();) {
        size_t end = at;
        while (end < line.size() && is_word_character(line[end])) ++end;
        if (end > at) ++uses[line.substr(at, end - at)];
        at = end > at ? end : at + 1;
      }
    for (const std::string& line : lines)
      if (const std::string name = declared_name(line); !name.empty()) --uses[name];
    changed = std::erase_if(lines, [&](const std::string& line) {
      const std::string name = declared_name(line);
      return !name.empty() && uses[name] == 0;
    }) > 0;
  }
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

}  // namespace netc::cuda
