// Defaults of the tables as syntax trees, and calls with their defaults written out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/layers/signature.h"
#include "compiler/syntax/ast.h"

namespace netc::sema {

// A tree of the text; null if it is no expression (`whole run`) or a name the row computes itself (`length`).
ast::ExprPtr default_tree(const ParameterRow& row);

// Appends `name: default` for every parameter of the signature that the arguments leave out.
void fill_defaults(const Signature& signature, std::vector<ast::Arg>* args);

// A tree made of parts; spans are unknown.
ast::ExprPtr make_name(std::string name);
ast::ExprPtr make_expr(ast::Expr::Node node);
ast::ExprPtr make_int(int64_t value);      // not negative
ast::ExprPtr make_float(double value);     // not negative
ast::ExprPtr make_percent(double value);

}  // namespace netc::sema
