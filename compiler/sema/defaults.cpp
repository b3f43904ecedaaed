#include "compiler/sema/defaults.h"

#include <cstdlib>

#include "compiler/layers/arguments.h"

namespace netc::sema {

ast::ExprPtr make_expr(ast::Expr::Node node) {
  auto expr = std::make_unique<ast::Expr>();
  expr->node = std::move(node);
  return expr;
}

ast::ExprPtr make_name(std::string name) { return make_expr(ast::NameRef{std::move(name)}); }

ast::ExprPtr make_int(int64_t value) {
  ast::IntLiteral literal;
  literal.value = value;
  return make_expr(std::move(literal));
}

ast::ExprPtr make_float(double value) {
  ast::FloatLiteral literal;
  literal.value = value;
  return make_expr(std::move(literal));
}

ast::ExprPtr make_percent(double value) {
  ast::PercentLiteral literal;
  literal.value = value;
  return make_expr(std::move(literal));
}

namespace {

ast::ExprPtr negated(ast::ExprPtr operand) { return make_expr(ast::UnaryExpr{ast::UnaryOp::negate, std::move(operand)}); }

ast::ExprPtr number_tree(double value, bool whole) {
  if (value < 0) return negated(number_tree(-value, whole));
  if (whole) return make_int(static_cast<int64_t>(value));
  return make_float(value);
}

bool is_whole(const std::string& text) { return text.find_first_not_of("-0123456789") == std::string::npos; }

// uniform(-0.05, 0.05) or glorot_uniform
ast::ExprPtr initializer_tree(const InitializerChoice& choice) {
  if (choice.numbers.empty()) return make_name(choice.name);
  ast::CallExpr call;
  call.callee = make_name(choice.name);
  for (double number : choice.numbers) call.args.push_back({std::nullopt, number_tree(number, false), Span{}});
  return make_expr(std::move(call));
}

}  // namespace

ast::ExprPtr default_tree(const ParameterRow& row) {
  const std::string& text = row.fallback;
  if (text.empty()) return nullptr;
  if (text == "none") return make_expr(ast::NoneLiteral{});
  const ArgumentValue value = parse_fallback(row);
  if (const auto* b = std::get_if<bool>(&value)) return make_expr(ast::BoolLiteral{*b});
  if (const auto* i = std::get_if<int64_t>(&value)) return number_tree(static_cast<double>(*i), true);
  if (const auto* d = std::get_if<double>(&value)) {
    if (text.back() == '%') return make_percent(*d);
    return number_tree(*d, is_whole(text));
  }
  if (const auto* s = std::get_if<std::string>(&value))
    return row.kind == ParameterKind::text ? make_expr(ast::StringLiteral{*s}) : make_name(*s);
  if (const auto* choice = std::get_if<InitializerChoice>(&value)) return initializer_tree(*choice);
  if (const auto* list = std::get_if<Integers>(&value); list && list->size() == 1)
    return number_tree(static_cast<double>((*list)[0]), true);
  if (const auto* list = std::get_if<Numbers>(&value); list && list->size() == 1 && text[0] != '[')
    return number_tree((*list)[0], is_whole(text));
  if (const auto* progress = std::get_if<Progress>(&value))
    return make_expr(ast::QuantityLiteral{progress->amount, progress->epochs ? ast::Unit::epochs : ast::Unit::steps, text});
  if (const auto* part = std::get_if<Part>(&value); part && text == "0%..<100%")
    return make_expr(ast::BinaryExpr{ast::BinaryOp::range, Span{}, make_percent(part->begin),
                                     make_percent(part->end)});
  return nullptr;
}

void fill_defaults(const Signature& signature, std::vector<ast::Arg>* args) {
  std::vector<bool> given(signature.parameters.size());
  size_t next = 0;
  for (const ast::Arg& arg : *args) {
    for (size_t i = 0; arg.name && i < signature.parameters.size(); ++i)
      if (signature.parameters[i].name == arg.name->text) given[i] = true;
    if (arg.name) continue;
    while (next < signature.parameters.size() && (!signature.parameters[next].positional || given[next])) ++next;
    if (next < signature.parameters.size()) given[next] = true;
  }
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (given[i] || signature.parameters[i].required) continue;
    if (ast::ExprPtr tree = default_tree(signature.parameters[i]))
      args->push_back({ast::Name{signature.parameters[i].name, Span{}}, std::move(tree), Span{}});
  }
}

}  // namespace netc::sema
