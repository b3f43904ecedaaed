#include <algorithm>

#include "NetLexer.h"
#include "compiler/syntax/parse_steps.h"

namespace netc::syntax {

namespace {

using grammar::NetLexer;

#define TOKEN(name, spelling) \
  static_assert(static_cast<int>(TokenKind::name) == NetLexer::name, "token.h and Net.g4 must list the same tokens");
NETC_TOKENS(TOKEN)
#undef TOKEN
static_assert(static_cast<int>(TokenKind::DOC) == NetLexer::DOC);
static_assert(static_cast<int>(TokenKind::STRAY) == NetLexer::STRAY);

// Byte offset of every code point, with the end: ANTLR counts code points, spans count bytes.
std::vector<uint32_t> code_point_offsets(std::string_view text, size_t base) {
  std::vector<uint32_t> offsets;
  offsets.reserve(text.size() + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) offsets.push_back(static_cast<uint32_t>(base + i));
  }
  offsets.push_back(static_cast<uint32_t>(base + text.size()));
  return offsets;
}

// Lexes token by token, so that a string that is not one can be handled and lexing goes on behind it.
class Reader {
 public:
  Reader(FileId file, std::string_view text, size_t start, Diagnostics& diagnostics)
      : diagnostics_(diagnostics),
        offsets_(code_point_offsets(text.substr(start), start)),
        input_(std::string(text.substr(start))),
        lexer_(&input_) {
    list_.file = file;
    list_.text = text;
    lexer_.removeErrorListeners();
  }

  TokenList read() {
    while (true) {
      const std::unique_ptr<antlr4::Token> next = lexer_.nextToken();
      if (next->getType() == antlr4::Token::EOF) break;
      const auto kind = static_cast<TokenKind>(next->getType());
      const uint32_t begin = offsets_[next->getStartIndex()];
      const uint32_t end = offsets_[next->getStopIndex() + 1];
      if (kind == TokenKind::DOC) list_.docs.push_back({list_.file, begin, end});
      if (kind == TokenKind::DOC || kind == TokenKind::COMMENT || kind == TokenKind::BLOCKC || kind == TokenKind::WS) {
        continue;
      }
      if (kind == TokenKind::STRAY && list_.text[begin] == '\'') {
        read_single_quoted(begin);
      } else if (kind == TokenKind::STRAY && list_.text[begin] == '"') {
        read_damaged_string(begin);
      } else if (kind == TokenKind::SLASH && list_.text.substr(begin, 2) == "/*") {
        diagnostics_
            .error(Code::N0104, {list_.file, begin, begin + 2}, "this `/*` is never closed",
                   "the rest of the file is a comment")
            .help("close the comment with `*/`");
        break;
      } else {
        push(kind, begin, end);
      }
    }
    return std::move(list_);
  }

 private:
  void push(TokenKind kind, uint32_t begin, uint32_t end, bool broken = false) {
    const auto docs = static_cast<uint32_t>(list_.docs.size());
    list_.tokens.push_back({kind, broken, begin, end, docs_seen_, docs});
    docs_seen_ = docs;
  }

  void go_on_at(uint32_t byte) {
    const auto at = std::lower_bound(offsets_.begin(), offsets_.end(), byte);
    input_.seek(static_cast<size_t>(at - offsets_.begin()));
  }

  // Looked up once a line: a long line may hold very many quotes.
  uint32_t end_of_line(uint32_t from) {
    if (from >= line_end_) {
      const size_t at = list_.text.find_first_of("\r\n", from);
      line_end_ = static_cast<uint32_t>(at == std::string_view::npos ? list_.text.size() : at);
    }
    return line_end_;
  }

  void read_single_quoted(uint32_t begin) {
    const uint32_t line_end = end_of_line(begin);
    const size_t close = list_.text.substr(0, line_end).find('\'', begin + 1);
    if (close == std::string_view::npos) {
      push(TokenKind::STRAY, begin, begin + 1);
      return;
    }
    const auto end = static_cast<uint32_t>(close + 1);
    const std::string inside(list_.text.substr(begin + 1, close - begin - 1));
    Diagnostic& record = diagnostics_.error(Code::N0105, {list_.file, begin, begin + 1}, "strings use double quotes");
    if (inside.find_first_of("\"\\") == std::string::npos) {
      record.fix("write double quotes", Span{list_.file, begin, end}, '"' + inside + '"', Confidence::certain);
    }
    push(TokenKind::STRING, begin, end, true);
    go_on_at(end);
  }

  // A double quote that starts no string: either the string holds an unknown escape, or it has no end on its line.
  void read_damaged_string(uint32_t begin) {
    const uint32_t line_end = end_of_line(begin);
    uint32_t bad_escape = 0;
    uint32_t at = begin + 1;
    for (; at < line_end && list_.text[at] != '"'; ++at) {
      if (list_.text[at] != '\\' || at + 1 >= line_end) continue;
      if (bad_escape == 0 && std::string_view("\\\"nrt").find(list_.text[at + 1]) == std::string_view::npos) {
        bad_escape = at;
      }
      ++at;
    }
    if (at < line_end && bad_escape != 0) {
      uint32_t escape_end = bad_escape + 2;  // the backslash and one whole code point
      while (escape_end < at && (static_cast<unsigned char>(list_.text[escape_end]) & 0xC0) == 0x80) ++escape_end;
      const Span escape{list_.file, bad_escape, escape_end};
      diagnostics_
          .error(
              Code::N0114, escape,
              "`" + std::string(list_.text.substr(escape.begin, escape.end - escape.begin)) + "` has no meaning here")
          .note("a string knows \\\\ \\\" \\n \\t \\r and \\u{...}; paths are written with `/`")
          .fix("for a backslash write two", Span{list_.file, bad_escape, bad_escape + 1}, "\\\\", Confidence::guess);
      push(TokenKind::STRING, begin, at + 1, true);
      go_on_at(at + 1);
      return;
    }
    read_string_without_end(begin, line_end);
  }

  // The string is taken to reach to the brackets and commas at the end of the line, which most likely stand outside.
  void read_string_without_end(uint32_t begin, uint32_t line_end) {
    uint32_t end = line_end;
    while (end > begin + 1 && std::string_view(" \t,)]}").find(list_.text[end - 1]) != std::string_view::npos) --end;
    diagnostics_.error(Code::N0106, {list_.file, begin, begin + 1}, "this string does not end on its line")
        .fix("close it; a line break inside is written `\\n`", Span{list_.file, end, end}, "\"", Confidence::guess);
    push(TokenKind::STRING, begin, end, true);
    const size_t line_break = list_.text.find_last_of("\r\n", begin);
    list_.quiet.push_back(
        {list_.file, static_cast<uint32_t>(line_break == std::string_view::npos ? 0 : line_break + 1), line_end});
    go_on_at(end);
  }

  Diagnostics& diagnostics_;
  TokenList list_;
  std::vector<uint32_t> offsets_;
  antlr4::ANTLRInputStream input_;
  NetLexer lexer_;
  uint32_t docs_seen_ = 0;
  uint32_t line_end_ = 0;
};

}  // namespace

TokenList read_tokens(FileId file, std::string_view text, size_t start, Diagnostics& diagnostics) {
  return Reader(file, text, start, diagnostics).read();
}

}  // namespace netc::syntax
