#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cctype>

namespace netc::test {

namespace {

// Words and signs that the files of the corpus use rarely or never, and the ends of ranges.
const std::vector<std::string> kWords = {
    "language",
    "use",
    "as",
    "const",
    "param",
    "data",
    "field",
    "from",
    "block",
    "net",
    "input",
    "output",
    "let",
    "shared",
    "return",
    "assert",
    "train",
    "plan",
    "if",
    "then",
    "else",
    "repeat",
    "in",
    "and",
    "or",
    "not",
    "per",
    "total",
    "class",
    "true",
    "false",
    "none",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    ".",
    "=",
    "|>",
    "^",
    "*",
    "/",
    "+",
    "-",
    "..<",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "|",
    ";",
    "'",
    "\"",
    "\\",
    "@",
    "//",
    "/*",
    "*/",
    "///",
    "#",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "1e308",
    "1e999",
    "0.5",
    "20%",
    "3epochs",
    "25MiB",
    "25Mb",
    "5 steps",
    "gpu:*",
    "cpu:0",
    "gpu: 0",
    "\"a\"",
    "\"\\u{110000}\"",
    "x",
    "tensor",
    "layer",
    "f32",
    "f32[]",
    "f32[-1]",
    "f32[1000000000000]",
    "T",
    "B",
    "\xC3\xBC",
    "\xEF\xBB\xBF",
    "\xF0\x9F\x98\x80",
    "dense",
    "relu",
    "dropout",
    "softmax",
    "embedding",
    "concat",
    "reshape",
    "flatten",
    "transpose",
    "split",
    "cross_entropy",
    "adam",
    "sgd",
    "idx",
    "csv",
    "npy",
    "synthetic",
    "take",
    "to_float",
    "standardize",
    "repeat 1000000000 {",
    "0 ..< 1000000000",
    "x.shape",
    "x.shape[-1]",
    "mod",
    "floor",
    "sqrt",
    "log2",
    "length",
    "product",
    "max",
    "min",
    "1/0",
    "2 ^ 63",
    "(-1) ^ 0.5",
};

bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Words, numbers, runs of blanks, and every other byte by itself.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (is_word_byte(text[i])) {
      while (end < text.size() && is_word_byte(text[end])) ++end;
    } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) != 0) ++end;
    }
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace

std::string Mutator::next() {
  std::string text = any_text();
  const size_t changes = 1 + below(12);
  for (size_t i = 0; i < changes; ++i) below(4) == 0 ? change_bytes(text) : change_words(text);
  constexpr size_t kLongest = 20'000;
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

void Mutator::change_bytes(std::string& text) {
  const size_t at = below(text.size() + 1);
  const size_t length = std::min(text.size() - at, 1 + below(8));
  switch (below(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, 1, static_cast<char>(below(256)));
      break;
    case 2:
      if (at < text.size()) text[at] = static_cast<char>(below(256));
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
      text.resize(at);
      break;
    default: {
      const std::string& other = any_text();
      const size_t from = below(other.size() + 1);
      text.insert(at, other.substr(from, below(200)));
    }
  }
}

void Mutator::change_words(std::string& text) {
  std::vector<std::string> words = split_words(text);
  if (words.empty()) words.emplace_back(" ");
  const size_t at = below(words.size());
  const auto here = words.begin() + static_cast<std::ptrdiff_t>(at);
  const size_t length = std::min(words.size() - at, 1 + below(6));
  const auto end = here + static_cast<std::ptrdiff_t>(length);
  switch (below(7)) {
    case 0:
      words.erase(here, end);
      break;
    case 1:
      words.insert(here, " " + kWords[below(kWords.size())] + " ");
      break;
    case 2:
      *here = kWords[below(kWords.size())];
      break;
    case 3:
      std::swap(*here, words[below(words.size())]);
      break;
    case 4: {
      const std::vector<std::string> piece(here, end);
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(below(words.size())), piece.begin(), piece.end());
      break;
    }
    case 5:
      *here = words[below(words.size())];
      break;
    default: {
      const std::vector<std::string> other = split_words(any_text());
      const size_t from = below(other.size());
      const size_t count = std::min(other.size() - std::min(from, other.size()), below(60));
      words.insert(here, other.begin() + static_cast<std::ptrdiff_t>(from),
                   other.begin() + static_cast<std::ptrdiff_t>(from + count));
    }
  }
  text.clear();
  for (const std::string& word : words) text += word;
}

}  // namespace netc::test
