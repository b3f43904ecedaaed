#include "compiler/sema/local_names.h"

namespace netc::sema {
namespace {

using Names = std::unordered_set<std::string>;

void from_expr(const ast::Expr& expr, Names* names);

void from_stage(const ast::Stage& stage, Names* names) {
  if (stage.name) names->insert(stage.name->text);
  if (const ast::Expr* expr = stage.expr()) from_expr(*expr, names);
  if (const ast::Repeat* repeat = stage.repeat()) {
    if (repeat->pattern)
      for (const ast::Name& name : repeat->pattern->names) names->insert(name.text);
    from_expr(*repeat->over, names);
    for (const ast::Stage& inner : repeat->stages) from_stage(inner, names);
  }
}

void from_expr(const ast::Expr& expr, Names* names) {
  const auto all = [&](const std::vector<ast::ExprPtr>& items) {
    for (const ast::ExprPtr& item : items) from_expr(*item, names);
  };
  if (const auto* pipeline = expr.as<ast::PipelineExpr>()) {
    from_expr(*pipeline->head, names);
    for (const ast::Stage& stage : pipeline->stages) from_stage(stage, names);
  } else if (const auto* list = expr.as<ast::ListExpr>()) {
    all(list->items);
  } else if (const auto* tuple = expr.as<ast::TupleExpr>()) {
    all(tuple->items);
  } else if (const auto* call = expr.as<ast::CallExpr>()) {
    from_expr(*call->callee, names);
    for (const ast::Arg& arg : call->args) from_expr(*arg.value, names);
  } else if (const auto* member = expr.as<ast::MemberExpr>()) {
    from_expr(*member->object, names);
  } else if (const auto* index = expr.as<ast::IndexExpr>()) {
    from_expr(*index->object, names);
    from_expr(*index->index, names);
  } else if (const auto* unary = expr.as<ast::UnaryExpr>()) {
    from_expr(*unary->operand, names);
  } else if (const auto* binary = expr.as<ast::BinaryExpr>()) {
    from_expr(*binary->left, names);
    from_expr(*binary->right, names);
  } else if (const auto* choice = expr.as<ast::IfExpr>()) {
    from_expr(*choice->condition, names);
    from_expr(*choice->then_value, names);
    from_expr(*choice->else_value, names);
  }
}

void from_statements(const std::vector<ast::Statement>& statements, Names* names) {
  for (const ast::Statement& statement : statements) {
    if (const auto* input = std::get_if<ast::Input>(&statement)) {
      names->insert(input->name.text);
    } else if (const auto* output = std::get_if<ast::Output>(&statement)) {
      names->insert(output->name.text);
      if (output->value) from_expr(*output->value, names);
    } else if (const auto* let = std::get_if<ast::Let>(&statement)) {
      for (const ast::Name& name : let->pattern.names) names->insert(name.text);
      from_expr(*let->value, names);
    } else if (const auto* shared = std::get_if<ast::Shared>(&statement)) {
      names->insert(shared->name.text);
      from_expr(*shared->value, names);
    } else if (const auto* leave = std::get_if<ast::Return>(&statement)) {
      from_expr(*leave->value, names);
    }
  }
}

}  // namespace

Names local_names(const std::vector<ast::Formal>& formals, const std::vector<ast::Statement>& statements, const Module& module) {
  Names names;
  const auto size = [&](const ast::Expr& expr) {
    const auto* name = expr.as<ast::NameRef>();
    if (name && !module.find(name->name)) names.insert(name->name);
  };
  for (const ast::Formal& formal : formals) {
    names.insert(formal.name.text);
    if (formal.type.classes) size(*formal.type.classes);
    if (formal.type.shape)
      for (const ast::ExprPtr& each : *formal.type.shape) size(*each);
  }
  from_statements(statements, &names);
  return names;
}

void collect_names(const ast::File& file, Names* names) {
  for (const ast::Decl& decl : file.decls) {
    if (const auto* block = std::get_if<ast::BlockDecl>(&decl)) {
      names->insert(block->name.text);
      for (const ast::Formal& formal : block->formals) names->insert(formal.name.text);
      from_statements(block->statements, names);
    } else if (const auto* net = std::get_if<ast::NetDecl>(&decl)) {
      names->insert(net->name.text);
      for (const ast::Formal& formal : net->formals) names->insert(formal.name.text);
      from_statements(net->statements, names);
    } else if (const auto* constant = std::get_if<ast::ConstDecl>(&decl)) {
      names->insert(constant->name.text);
    } else if (const auto* param = std::get_if<ast::ParamDecl>(&decl)) {
      names->insert(param->name.text);
    } else if (const auto* data = std::get_if<ast::DataDecl>(&decl)) {
      names->insert(data->name.text);
    }
  }
}

}  // namespace netc::sema
