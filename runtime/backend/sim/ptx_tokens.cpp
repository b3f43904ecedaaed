#include "runtime/backend/sim/ptx_tokens.h"

namespace netc::sim {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'; }

}  // namespace

std::vector<Token> tokenize_ptx(std::string_view text) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 5);
  uint32_t line = 1;
  size_t at = 0;
  const auto peek = [&](size_t ahead) { return at + ahead < text.size() ? text[at + ahead] : '\0'; };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++at;
    } else if (c == '/' && peek(1) == '/') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (c == '/' && peek(1) == '*') {
      at += 2;
      while (at < text.size() && !(text[at] == '*' && peek(1) == '/')) line += text[at++] == '\n';
      at += 2;
    } else if (c == '"') {
      const size_t begin = ++at;
      while (at < text.size() && text[at] != '"') ++at;
      tokens.push_back({Token::Kind::text, text.substr(begin, at - begin), line});
      ++at;
    } else if (is_letter(c) || (c == '.' && is_letter(peek(1)))) {
      const size_t begin = at++;
      while (at < text.size()) {
        if (is_letter(text[at]) || is_digit(text[at]) || (text[at] == '.' && c != '.'))
          ++at;
        else if (text[at] == ':' && peek(1) == ':')
          at += 2;
        else
          break;
      }
      tokens.push_back({Token::Kind::word, text.substr(begin, at - begin), line});
    } else if (is_digit(c)) {
      const size_t begin = at++;
      while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '.')) ++at;
      tokens.push_back({Token::Kind::number, text.substr(begin, at - begin), line});
    } else {
      tokens.push_back({Token::Kind::mark, text.substr(at++, 1), line});
    }
  }
  tokens.push_back({Token::Kind::end, {}, line});
  return tokens;
}

}  // namespace netc::sim
