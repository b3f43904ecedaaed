#include "compiler/sema/loss_scope.h"

#include <algorithm>

#include "compiler/layers/losses.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

const NetOutput* find_output(const LossScope& scope, std::string_view name) {
  for (const NetOutput& output : scope.outputs)
    if (output.name == name) return &output;
  return nullptr;
}

bool is_inner_value(const LossScope& scope, const std::string& name) {
  if (!scope.net) return false;
  for (const ast::Statement& statement : scope.net->statements)
    if (const auto* let = std::get_if<ast::Let>(&statement))
      for (const ast::Name& bound : let->pattern.names)
        if (bound.text == name) return true;
  return false;
}

// Binds the names an expression uses, in a scope of its own.
class NameBinder {
 public:
  NameBinder(const LossScope& names, Evaluator& evaluator, Context& context, Scope* scope)
      : names_(names), evaluator_(evaluator), context_(context), scope_(*scope) {}

  // False after an error, or where an output or field failed before.
  bool bind(const ast::Expr& expr) {
    if (const auto* name = expr.as<ast::NameRef>()) return bind_name(name->name, expr.span);
    if (const auto* member = expr.as<ast::MemberExpr>()) return bind_member(*member);
    if (const auto* unary = expr.as<ast::UnaryExpr>()) return bind(*unary->operand);
    if (const auto* binary = expr.as<ast::BinaryExpr>()) return bind(*binary->left) & bind(*binary->right);
    if (const auto* list = expr.as<ast::ListExpr>()) {
      bool sound = true;
      for (const ast::ExprPtr& item : list->items) sound = bind(*item) && sound;
      return sound;
    }
    if (const auto* call = expr.as<ast::CallExpr>()) {
      bool sound = true;
      for (const ast::Arg& arg : call->args) sound = bind(*arg.value) && sound;
      return sound;
    }
    return !expr.is<ast::Broken>();
  }

  // `net.price` and `data.price` become names of their own.
  Value finish_members(std::vector<std::string> names, std::vector<Value> values) {
    Items items;
    items.names = std::move(names);
    items.values = std::make_shared<const std::vector<Value>>(std::move(values));
    items.is_tuple = true;
    return items;
  }
  void finish() {
    if (!net_names_.empty()) scope_.bind("net", {finish_members(net_names_, net_values_), Span{}, "net", true});
    if (!data_names_.empty()) scope_.bind("data", {finish_members(data_names_, data_values_), Span{}, "data", true});
  }

 private:
  bool bind_output(const NetOutput& output, std::string_view name) {
    if (output.value.unknown()) return false;
    scope_.bind(name, {output.value, output.span, "output", true});
    return true;
  }
  bool bind_field(const FieldAnalysis& field, std::string_view name) {
    if (!field.sound) return false;
    scope_.bind(name, {Tensor{names_.field_node(field), ""}, field.declaration->name.span, "field", true});
    return true;
  }

  bool bind_name(const std::string& name, Span span) {
    if (scope_.find(name)) return true;
    const NetOutput* output = find_output(names_, name);
    const FieldAnalysis* field = names_.data ? names_.data->field(name) : nullptr;
    if (output && field) {
      evaluator_.error(Code::N0608, span, "`" + name + "` is an output and a field", "", context_)
          .label(output->span, "the output")
          .label(field->declaration->name.span, "the field")
          .choose("write one of", span, {"net." + name, "data." + name});
      return false;
    }
    if (output) return bind_output(*output, output->name);
    if (field) return bind_field(*field, field->spec.name);
    const Symbol* symbol = context_.module->find(name);
    if (symbol && (symbol->kind == Symbol::Kind::constant || symbol->kind == Symbol::Kind::param)) return true;
    return unknown(name, span);
  }

  bool unknown(const std::string& name, Span span) {
    if (names_.data && names_.data->declaration->broken) return false;
    const std::string data_name = names_.data ? names_.data->spec.name : "data";
    Diagnostic& d = evaluator_.error(Code::N0601, span,
                                     "`" + name + "` is neither an output of `" + names_.net_name + "` nor a field of `" + data_name + "`",
                                     "", context_);
    std::vector<std::string> known;
    for (const NetOutput& output : names_.outputs) known.push_back(output.name);
    std::string outputs, fields;
    for (const std::string& output : known) outputs += (outputs.empty() ? "" : ", ") + output;
    if (names_.data)
      for (const FieldAnalysis& field : names_.data->fields) {
        known.push_back(field.spec.name);
        fields += (fields.empty() ? "" : ", ") + field.spec.name;
      }
    d.note("outputs: " + (outputs.empty() ? "none" : outputs) + ";  fields: " + (fields.empty() ? "none" : fields));
    if (is_inner_value(names_, name)) d.help("it is a value inside the net: make it an output, `output " + name + "`");
    else if (const auto close = suggest(name, known)) d.fix("did you mean `" + *close + "`?", span, *close, Confidence::guess);
    return false;
  }

  bool bind_member(const ast::MemberExpr& member) {
    const auto* object = member.object->as<ast::NameRef>();
    const std::string& name = member.member.text;
    if (object && object->name == "net") {
      const NetOutput* output = find_output(names_, name);
      if (!output) return unknown(name, member.member.span);
      if (output->value.unknown()) return false;
      net_names_.push_back(name);
      net_values_.push_back(output->value);
      return true;
    }
    if (object && object->name == "data" && names_.data) {
      const FieldAnalysis* field = names_.data->field(name);
      if (!field) return unknown(name, member.member.span);
      if (!field->sound) return false;
      data_names_.push_back(name);
      data_values_.push_back(Tensor{names_.field_node(*field), ""});
      return true;
    }
    return bind(*member.object);
  }

  const LossScope& names_;
  Evaluator& evaluator_;
  Context& context_;
  Scope& scope_;
  std::vector<std::string> net_names_, data_names_;
  std::vector<Value> net_values_, data_values_;
};

}  // namespace

NodeId row_value(const LayerRow& row, const ast::Expr& expr, const LossScope& names, const std::string& path,
                 Evaluator* evaluator, Context& context) {
  Scope scope;
  NameBinder binder(names, *evaluator, context, &scope);
  // Only values are names here; words of a row (`average: macro`) are read by bind.
  bool sound = true;
  for (const ast::Arg& arg : Evaluator::arguments_of(expr)) {
    const ParameterRow* parameter = arg.name ? row.find(arg.name->text) : nullptr;
    if (parameter && parameter->kind == ParameterKind::word) continue;
    sound = binder.bind(*arg.value) && sound;
  }
  if (!sound) return kNoNode;
  binder.finish();
  Context inner = context;
  inner.scope = &scope;
  const auto arguments = evaluator->bind(row, Evaluator::arguments_of(expr), expr.span, nullptr, inner);
  if (!arguments) return kNoNode;
  return evaluator->build_row(row, *arguments, expr.span, path, names.outputs);
}

NodeId loss_value(const ast::Expr& expr, const LossScope& scope, const std::string& name, Evaluator* evaluator,
                  Context& context, std::vector<Unavailable>* unavailable) {
  const std::string path = name.empty() ? "loss" : "loss." + name;
  if (expr.is<ast::Broken>()) return kNoNode;
  const auto* binary = expr.as<ast::BinaryExpr>();
  if (!binary) {
    const LayerRow* row = evaluator->find_row(expr, loss_table(), "loss", context);
    if (!row) return kNoNode;
    if (!row->available) unavailable->push_back({"loss `" + row->name + "`", expr.span});
    const NodeId value = row_value(*row, expr, scope, path, evaluator, context);
    if (value != kNoNode && row->available && evaluator->net().graph[value].op == "unavailable")
      unavailable->push_back({"loss `" + row->name + "` with these arguments", expr.span});
    return value;
  }
  GraphBuilder& b = evaluator->net().builder;
  if (binary->op == ast::BinaryOp::add || binary->op == ast::BinaryOp::subtract) {
    const NodeId left = loss_value(*binary->left, scope, name, evaluator, context, unavailable);
    const NodeId right = loss_value(*binary->right, scope, name, evaluator, context, unavailable);
    if (left == kNoNode || right == kNoNode) return kNoNode;
    b.at(expr.span).named(path);
    return binary->op == ast::BinaryOp::add ? b.add(left, right) : b.sub(left, right);
  }
  const bool is_product = binary->op == ast::BinaryOp::multiply, is_quotient = binary->op == ast::BinaryOp::divide;
  const auto is_loss = [](const ast::Expr& side) {
    const std::string* called = Evaluator::called_name(side);
    return side.is<ast::BinaryExpr>() || (called && side.is<ast::CallExpr>() && find_loss(*called));
  };
  const bool loss_left = is_quotient || (is_product && is_loss(*binary->left) && !is_loss(*binary->right));
  if (is_product || is_quotient) {
    const ast::Expr& factor_expr = loss_left ? *binary->right : *binary->left;
    const ast::Expr& loss_expr = loss_left ? *binary->left : *binary->right;
    const Value factor = evaluator->evaluate(factor_expr, context);
    const NodeId value = loss_value(loss_expr, scope, name, evaluator, context, unavailable);
    if (factor.unknown() || value == kNoNode) return kNoNode;
    const auto number = number_of(factor);
    if (!number) {
      evaluator->error(Code::N0303, factor_expr.span, "a factor of a loss is a number, got " + kind_of(factor), "", context);
      return kNoNode;
    }
    if (is_quotient && *number == 0) {
      evaluator->error(Code::N0313, factor_expr.span, "division by zero", "", context);
      return kNoNode;
    }
    b.at(expr.span).named(path);
    return b.mul(value, b.constant(is_quotient ? 1 / *number : *number));
  }
  evaluator->error(Code::N0303, binary->op_span, "losses are added and multiplied with numbers, nothing else", "", context);
  return kNoNode;
}

}  // namespace netc::sema
