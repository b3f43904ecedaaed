// The names a declaration binds inside itself, and all names of a file: for moving declarations between files.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "compiler/sema/declarations.h"
#include "compiler/syntax/ast.h"

namespace netc::sema {

// Formals, sizes of the header that are no names of the file, inputs, lets, shared, layers named with `as`, repeats.
std::unordered_set<std::string> local_names(const std::vector<ast::Formal>& formals,
                                            const std::vector<ast::Statement>& statements, const Module& module);

// Every identifier the file binds anywhere.
void collect_names(const ast::File& file, std::unordered_set<std::string>* names);

}  // namespace netc::sema
