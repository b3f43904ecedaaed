// Text to tree. The only door to the parser; nothing behind it is seen by the rest of the compiler.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace netc {

inline constexpr int kLanguageVersion = 1;  // the newest `language N` this compiler knows

// Reads one file. Mistakes go to `diagnostics` (N0101..N0119) and the tree holds what could be read; whatever the
// bytes are, it returns. Nesting deeper than kMaxNesting or expressions of more than kMaxOperators chained operators
// are refused, so walking a tree recursively is safe.
ast::File parse(FileId file, const SourceMap& sources, Diagnostics& diagnostics);

inline constexpr int kMaxNesting = 200;
inline constexpr int kMaxOperators = 1000;

}  // namespace netc
