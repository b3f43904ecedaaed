#include "compiler/syntax/parse.h"

#include "compiler/syntax/parse_steps.h"

namespace netc {

ast::File parse(FileId file, const SourceMap& sources, Diagnostics& diagnostics) {
  ast::File out;
  out.id = file;
  syntax::TokenList list = syntax::read_tokens(file, sources.text(file), 0, diagnostics);
  if (const auto misfit = syntax::read_tree(list, out, diagnostics)) {
    const Span at = misfit->token < list.tokens.size() ? list.span(list.tokens[misfit->token]) : Span{file, 0, 0};
    diagnostics.error(Code::N0101, at, "expected something else");
    out.broken = true;
  }
  return out;
}

}  // namespace netc
