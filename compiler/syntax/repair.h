// Mistakes are found, reported and repaired on the list of tokens, so that the grammar always reads a whole file and
// every independent mistake is reported once. Three passes: words, brackets, then whatever the grammar cannot read.
// Internal to compiler/syntax.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/token.h"

namespace netc::syntax {

// Slips inside words and signs: unknown units, `250 steps`, `gpu: 0`, `:=`, `;`, `|`, stray characters.
// N0105, N0108, N0109, N0110, N0114, N0117.
void repair_words(TokenList& list, Diagnostics& diagnostics);

// Afterwards every bracket has its partner and declarations stand side by side. N0104, N0101.
void repair_brackets(TokenList& list, Diagnostics& diagnostics);

// Reports N0118 and returns false if reading or walking the tree would need too much stack.
bool nesting_is_sane(const TokenList& list, Diagnostics& diagnostics);

// Reads the declarations one by one, repairing what the grammar cannot read. N0101 .. N0103, N0107, N0111 .. N0116.
void read_with_repairs(const TokenList& list, ast::File& file, Diagnostics& diagnostics);

// ---- questions about places in a list of tokens, shared by the passes
// Does a statement (`let x`, `output y`, `return`, `field z` ...) start at token i?
bool starts_statement(const std::vector<Token>& tokens, size_t i);
// Does a declaration start at token i: `net name {`, `const name =` ... ?
bool starts_declaration(const std::vector<Token>& tokens, size_t i);
// A token that is not in the text, standing right behind token `before` (at the start of the text for npos).
Token inserted(TokenKind kind, const std::vector<Token>& tokens, size_t before);
// A long word, cut for a message.
std::string shortened(std::string_view text);
// "`let`", "`5`", "the end of the file"
std::string describe(const TokenList& list, size_t i);
// Where to point for token i; behind the last token for the end of the file.
Span place(const TokenList& list, size_t i);

}  // namespace netc::syntax
