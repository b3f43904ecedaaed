// Names that lead nowhere, and names in code that is not evaluated.
#include <algorithm>
#include <unordered_set>

#include "compiler/layers/initializers.h"
#include "compiler/layers/losses.h"
#include "compiler/layers/training_tables.h"
#include "compiler/sema/evaluator.h"
#include "compiler/sema/foreign_names.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

template <class Table>
void add_words(const Table& table, std::unordered_set<std::string>* words) {
  for (const auto& row : table)
    for (const ParameterRow& parameter : row.parameters) words->insert(parameter.words.begin(), parameter.words.end());
}

// What a name is in another role: "a loss", "an optimizer"; empty if nothing.
std::string other_role(const std::string& name) {
  if (find_layer(name)) return "a layer";
  if (find_loss(name)) return "a loss";
  if (find_metric(name)) return "a metric";
  if (find_row(optimizer_table(), name)) return "an optimizer";
  if (find_row(schedule_table(), name)) return "a schedule";
  if (find_row(reader_table(), name)) return "a reader";
  if (find_row(transform_table(), name)) return "a transform";
  if (find_row(initializer_table(), name)) return "an initialiser";
  return "";
}

// Adds the best help for a name that is not one of `names`.
void suggest_for(Diagnostic& d, const std::string& name, Span span, const std::vector<std::string>& names) {
  if (const auto foreign = foreign_layer(name); foreign && std::find(names.begin(), names.end(), *foreign) != names.end()) {
    d.fix("the name here is `" + *foreign + "`", span, *foreign, Confidence::certain);
    return;
  }
  if (const auto close = suggest(name, names)) {
    const bool only_case = text_distance(name, *close) == 0 && name != *close;
    d.fix(only_case ? "names of layers are written in lower case" : "did you mean `" + *close + "`?", span, *close,
          only_case ? Confidence::certain : Confidence::guess);
  }
}

}  // namespace

bool Evaluator::is_known_word(const std::string& name) const {
  static const std::unordered_set<std::string> words = [] {
    std::unordered_set<std::string> all;
    add_words(layer_table(), &all);
    add_words(loss_table(), &all);
    add_words(metric_table(), &all);
    add_words(transform_table(), &all);
    add_words(reader_table(), &all);
    for (const Signature& row : initializer_table()) all.insert(row.name);
    return all;
  }();
  return words.contains(name);
}

void Evaluator::report_unknown_name(std::string_view given, Span span, bool as_layer, Context& context) {
  const std::string name(given);
  if (name.empty() || context.module->incomplete) return;   // it may be in what could not be read
  if (context.frame) {
    for (const auto& [inside, repeat] : context.frame->repeat_names) {
      if (inside != name) continue;
      error(Code::N0206, span, "`" + name + "` lives inside this repeat", "", context)
          .label(Span{repeat.file, repeat.begin, repeat.begin + 6}, "every copy has its own")
          .help("let it be the value of the chain, or name the whole repeat with `as`");
      return;
    }
    for (const ast::Statement& statement : *context.frame->statements) {
      const ast::Name* declared = nullptr;
      const auto look = [&](const ast::Name& candidate) {
        if (candidate.text == name) declared = &candidate;
      };
      if (const auto* let = std::get_if<ast::Let>(&statement)) std::for_each(let->pattern.names.begin(), let->pattern.names.end(), look);
      else if (const auto* shared = std::get_if<ast::Shared>(&statement)) look(shared->name);
      else if (const auto* input = std::get_if<ast::Input>(&statement)) look(input->name);
      else if (const auto* output = std::get_if<ast::Output>(&statement); output && output->value) look(output->name);
      if (!declared || declared->span.begin < span.begin) continue;
      error(Code::N0207, span, "`" + name + "` is used before it is declared", "", context)
          .label(declared->span, "declared here")
          .help("move the declaration up");
      return;
    }
  }
  if (is_function(name)) {
    error(Code::N0303, span, "`" + name + "` is a function: `" + name + "(...)`", "", context);
    return;
  }
  std::vector<std::string> names = context.scope ? context.scope->visible() : std::vector<std::string>();
  if (as_layer) {
    for (const LayerRow& row : layer_table()) names.push_back(row.name);
    for (const std::string& own : context.module->ordered) {
      const Symbol::Kind kind = context.module->find(own)->kind;
      if (kind == Symbol::Kind::block || kind == Symbol::Kind::net) names.push_back(own);
    }
    Diagnostic& d = error(Code::N0202, span, "`" + name + "` is not a layer", "", context);
    if (const std::string role = other_role(name); !role.empty()) d.note("`" + name + "` is " + role);
    suggest_for(d, name, span, names);
    return;
  }
  for (const std::string& own : context.module->ordered)
    if (context.module->find(own)->kind != Symbol::Kind::data) names.push_back(own);
  Diagnostic& d = error(Code::N0201, span, "no value called `" + name + "` here", "", context);
  if (const auto close = suggest(name, names)) {
    d.fix("did you mean `" + *close + "`?", span, *close, Confidence::guess);
    if (Binding* binding = context.scope ? context.scope->find(*close) : nullptr) d.label(binding->declared, "this one is close");
    else if (const Symbol* symbol = context.module->find(*close)) d.label(symbol->span, "this one is close");
  } else if (is_known_word(name)) {
    d.note("`" + name + "` is a word for some arguments, not a value");
  } else if (const std::string role = other_role(name); !role.empty()) {
    d.note("`" + name + "` is " + role);
  } else if (!names.empty() && context.scope) {
    std::string list;
    for (size_t i = 0; i < names.size() && i < 10; ++i) list += (i ? ", " : "") + names[i];
    d.note("names here: " + list + (names.size() > 10 ? ", ..." : ""));
  }
}

void Evaluator::report_not_a(const ast::Expr& expr, std::string_view kind, const std::vector<std::string>& names, Context& context) {
  if (expr.is<ast::Broken>()) return;
  const std::string* name = called_name(expr);
  const auto* call = expr.as<ast::CallExpr>();
  const Span span = call ? call->callee->span : expr.span;
  const std::string article = std::string_view("aeiou").find(kind[0]) != std::string_view::npos ? "an " : "a ";
  Diagnostic& d = error(Code::N0202, span, "`" + (name ? *name : print(expr)) + "` is not " + article + std::string(kind), "", context);
  if (!name) return;
  if (const std::string role = other_role(*name); !role.empty() && role != article + std::string(kind)) d.note("`" + *name + "` is " + role);
  suggest_for(d, *name, span, names);
}

void Evaluator::check_stage_names(const ast::Stage& stage, Context& context) {
  if (const ast::Repeat* repeat = stage.repeat()) {
    check_names(*repeat->over, context);
    Scope scope(context.scope);
    Context inner = context;
    inner.scope = &scope;
    if (repeat->pattern)
      for (const ast::Name& name : repeat->pattern->names) scope.bind(name.text, {Unknown{}, name.span, "repeat", true});
    for (const ast::Stage& inside : repeat->stages) check_stage_names(inside, inner);
  } else {
    const ast::Expr& expr = *stage.expr();
    if (const auto* name = expr.as<ast::NameRef>()) evaluate_name(*name, expr.span, context, true);
    else check_names(expr, context);
  }
  if (stage.name && context.scope) context.scope->bind(stage.name->text, {Unknown{}, stage.name->span, "layer", true});
}

void Evaluator::check_names(const ast::Expr& expr, Context& context) {
  const auto all = [&](const std::vector<ast::ExprPtr>& items) {
    for (const ast::ExprPtr& item : items) check_names(*item, context);
  };
  if (const auto* name = expr.as<ast::NameRef>()) {
    if (!is_known_word(name->name) || (context.scope && context.scope->find(name->name)))
      evaluate_name(*name, expr.span, context, false);
  } else if (const auto* member = expr.as<ast::MemberExpr>()) {
    check_names(*member->object, context);
  } else if (const auto* call = expr.as<ast::CallExpr>()) {
    const auto* callee = call->callee->as<ast::NameRef>();
    const bool own = callee && ((context.scope && context.scope->find(callee->name)) || context.module->find(callee->name));
    const LayerRow* row = callee && !own ? find_layer(callee->name) : nullptr;
    if (row) {
      for (const ast::Arg& arg : call->args)
        if (arg.name && !row->find(arg.name->text)) report_unknown_argument(*row, arg, context);
    } else if (callee && !own && (is_function(callee->name) || callee->name == "transpose" || is_known_word(callee->name))) {
      // nothing to look up
    } else if (callee) {
      evaluate_name(*callee, call->callee->span, context, true);
    } else {
      check_names(*call->callee, context);
    }
    for (const ast::Arg& arg : call->args) check_names(*arg.value, context);
  } else if (const auto* list = expr.as<ast::ListExpr>()) {
    all(list->items);
  } else if (const auto* tuple = expr.as<ast::TupleExpr>()) {
    all(tuple->items);
  } else if (const auto* index = expr.as<ast::IndexExpr>()) {
    check_names(*index->object, context);
    check_names(*index->index, context);
  } else if (const auto* unary = expr.as<ast::UnaryExpr>()) {
    check_names(*unary->operand, context);
  } else if (const auto* binary = expr.as<ast::BinaryExpr>()) {
    check_names(*binary->left, context);
    check_names(*binary->right, context);
  } else if (const auto* choice = expr.as<ast::IfExpr>()) {
    check_names(*choice->condition, context);
    check_names(*choice->then_value, context);
    check_names(*choice->else_value, context);
  } else if (const auto* pipeline = expr.as<ast::PipelineExpr>()) {
    Scope scope(context.scope);   // names given with `as` in code not taken are not bound outside
    Context inner = context;
    inner.scope = &scope;
    check_names(*pipeline->head, inner);
    for (const ast::Stage& stage : pipeline->stages) check_stage_names(stage, inner);
  }
}

void Evaluator::check_names(const ast::BlockDecl& block, const Module& home) {
  if (block.broken) return;
  Scope scope;
  Frame frame;
  frame.declaration = &block;
  frame.statements = &block.statements;
  Context context;
  context.module = &home;
  context.scope = &scope;
  context.frame = &frame;
  for (const ast::Formal& formal : block.formals) {
    scope.bind(formal.name.text, {Unknown{}, formal.name.span, "parameter", true});
    if (formal.default_value) check_names(*formal.default_value, context);
    std::vector<const ast::Expr*> sizes;
    if (formal.type.classes) sizes.push_back(formal.type.classes.get());
    if (formal.type.shape)
      for (const ast::ExprPtr& size : *formal.type.shape) sizes.push_back(size.get());
    for (const ast::Expr* size : sizes)
      if (const auto* name = size->as<ast::NameRef>()) scope.bind(name->name, {Unknown{}, size->span, "size", true});
  }
  for (const ast::Statement& statement : block.statements) {
    if (const auto* let = std::get_if<ast::Let>(&statement)) {
      check_names(*let->value, context);
      for (const ast::Name& name : let->pattern.names) scope.bind(name.text, {Unknown{}, name.span, "let", true});
    } else if (const auto* shared = std::get_if<ast::Shared>(&statement)) {
      check_names(*shared->value, context);
      scope.bind(shared->name.text, {Unknown{}, shared->name.span, "shared", true});
    } else if (const auto* check = std::get_if<ast::Assert>(&statement)) {
      check_names(*check->condition, context);
    } else if (const auto* leave = std::get_if<ast::Return>(&statement)) {
      check_names(*leave->value, context);
    }
  }
}

}  // namespace netc::sema
