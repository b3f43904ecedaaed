// The canonical text of a tree: two blanks of indentation, one stage a line when a pipeline is longer than a line,
// records aligned on the value, parentheses only where they are needed. Reading it again gives an equal tree, and
// printing that gives the same text. `--emit=ast` and resolved.net are made of it.
#pragma once

#include <string>

#include "compiler/syntax/ast.h"

namespace netc {

std::string print(const ast::File& file);
std::string print(const ast::Expr& expr);  // on one line, for messages
std::string print(const ast::Type& type);

}  // namespace netc
