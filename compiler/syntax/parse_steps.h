// The two doors to ANTLR: text to tokens, tokens to tree. Internal to compiler/syntax.
#pragma once

#include <optional>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/token.h"

namespace antlr4 {
class ParserRuleContext;
}

namespace netc::syntax {

// Text (valid UTF-8, without a byte order mark before `start`) to tokens. Strings that are not strings are reported
// here, because only the text can tell where they end: N0105 single quotes, N0106 no end, N0114 unknown escape; they
// become broken STRING tokens. A comment that is never closed is N0104.
TokenList read_tokens(FileId file, std::string_view text, size_t start, Diagnostics& diagnostics);

// Where the grammar can go no further.
struct Misfit {
  size_t token = 0;  // index into the tokens; their number at the end of the text
};

// Tries whether the tokens are a file of the grammar.
std::optional<Misfit> find_misfit(const std::vector<Token>& tokens);

// The same, and appends what the tokens say to `file` if they fit. Values out of range are reported.
std::optional<Misfit> read_tree(const TokenList& list, ast::File& file, Diagnostics& diagnostics);

// Walks the parser's tree of a whole file (NetParser::FileContext).
void build_tree(antlr4::ParserRuleContext* context, const TokenList& list, ast::File& file, Diagnostics& diagnostics);

}  // namespace netc::syntax
