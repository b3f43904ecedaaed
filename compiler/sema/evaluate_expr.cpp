#include <algorithm>
#include <limits>

#include "compiler/sema/arithmetic.h"
#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

Value Evaluator::evaluate(const ast::Expr& expr, Context& context) {
  struct Visit {
    Evaluator& e;
    const ast::Expr& expr;
    Context& context;

    Value operator()(const ast::Broken&) { return Unknown{}; }
    Value operator()(const ast::NameRef& n) { return e.evaluate_name(n, expr.span, context, false); }
    Value operator()(const ast::IntLiteral& n) { return n.value; }
    Value operator()(const ast::FloatLiteral& n) { return Float{n.value, false}; }
    Value operator()(const ast::PercentLiteral& n) { return Float{n.value, true}; }
    Value operator()(const ast::QuantityLiteral& n) { return Quantity{n.value, n.unit, n.spelling}; }
    Value operator()(const ast::StringLiteral& n) { return Text{n.value}; }
    Value operator()(const ast::DeviceLiteral& n) { return DeviceWord{n.kind, n.index}; }
    Value operator()(const ast::BoolLiteral& n) { return n.value; }
    Value operator()(const ast::NoneLiteral&) { return None{}; }
    Value operator()(const ast::ListExpr& n) { return e.evaluate_items(n.items, false, context); }
    Value operator()(const ast::TupleExpr& n) { return e.evaluate_items(n.items, true, context); }
    Value operator()(const ast::MemberExpr& n) { return e.evaluate_member(n, expr.span, context); }
    Value operator()(const ast::CallExpr& n) { return e.evaluate_call(n, expr.span, context); }
    Value operator()(const ast::IndexExpr& n) { return e.evaluate_index(n, expr.span, context); }
    Value operator()(const ast::UnaryExpr& n) { return e.evaluate_unary(n, expr.span, context); }
    Value operator()(const ast::BinaryExpr& n) { return e.evaluate_binary(n, expr.span, context); }
    Value operator()(const ast::IfExpr& n) { return e.evaluate_if(n, context); }
    Value operator()(const ast::PipelineExpr& n) { return e.evaluate_pipeline(n, context); }
  };
  return std::visit(Visit{*this, expr, context}, expr.node);
}

Value Evaluator::constant(const Symbol& symbol) {
  if (symbol.state == Symbol::State::done) return symbol.value;
  const bool is_const = symbol.kind == Symbol::Kind::constant;
  const std::string& name = is_const ? symbol.constant->name.text : symbol.param->name.text;
  if (symbol.state == Symbol::State::active) {
    diagnostics_.error(Code::N0207, symbol.span, "`" + name + "` is used before it is declared", "its value needs itself");
    return Unknown{};
  }
  symbol.state = Symbol::State::active;
  Context top;
  top.module = symbol.home;
  Value value = evaluate(is_const ? *symbol.constant->value : *symbol.param->value, top);
  if (!is_const) {
    const std::string& wanted = symbol.param->type.element.text;
    const Span at = symbol.param->value->span;
    const bool fits = value.unknown() || (wanted == "int" && value.is<int64_t>()) ||
                      (wanted == "float" && number_of(value)) || (wanted == "bool" && value.is<bool>()) ||
                      (wanted == "string" && value.is<Text>());
    if (wanted != "int" && wanted != "float" && wanted != "bool" && wanted != "string") {
      diagnostics_.error(Code::N0303, symbol.param->type.span, "a param is int, float, bool or string");
      value = Unknown{};
    } else if (!fits) {
      diagnostics_.error(Code::N0303, at, "`" + name + "` wants " + wanted + ", got " + kind_of(value));
      value = Unknown{};
    } else if (wanted == "float" && value.is<int64_t>()) {
      value = Float{static_cast<double>(*value.as<int64_t>()), false};
    }
  }
  symbol.value = std::move(value);
  symbol.state = Symbol::State::done;
  return symbol.value;
}

Value Evaluator::evaluate_symbol(const Symbol& symbol, Span span, Context& context) {
  switch (symbol.kind) {
    case Symbol::Kind::constant:
    case Symbol::Kind::param: return constant(symbol);
    case Symbol::Kind::module: return ModuleName{symbol.module};
    case Symbol::Kind::block:
    case Symbol::Kind::net: {
      auto made = std::make_shared<Callable>();
      made->block = symbol.block;
      made->net = symbol.net;
      made->home = symbol.home;
      made->span = span;
      return std::shared_ptr<const Callable>(std::move(made));
    }
    case Symbol::Kind::data:
      error(Code::N0303, span, "`" + symbol.data->name.text + "` is a data set, not a value", "", context);
      return Unknown{};
  }
  return Unknown{};
}

Value Evaluator::evaluate_name(const ast::NameRef& ref, Span span, Context& context, bool as_layer) {
  if (context.scope)
    if (Binding* binding = context.scope->find(ref.name)) {
      binding->used = true;
      return binding->value;
    }
  if (const Symbol* symbol = context.module->find(ref.name)) return evaluate_symbol(*symbol, span, context);
  if (const LayerRow* layer = find_layer(ref.name)) {
    auto made = std::make_shared<Callable>();
    made->layer = layer;
    made->span = span;
    return std::shared_ptr<const Callable>(std::move(made));
  }
  report_unknown_name(ref.name, span, as_layer, context);
  return Unknown{};
}

Value Evaluator::evaluate_items(const std::vector<ast::ExprPtr>& items, bool is_tuple, Context& context) {
  std::vector<Value> values;
  values.reserve(items.size());
  bool failed = false;
  for (const ast::ExprPtr& item : items) {
    values.push_back(evaluate(*item, context));
    failed = failed || values.back().unknown();
  }
  if (failed) return Unknown{};
  return make_items(std::move(values), is_tuple);
}

namespace {

// The path and shown name of what a member may belong to: a named layer, a shared instance, a part of one.
struct Owner {
  std::string path;
  bool built = true;
};

std::optional<Owner> owner_of(const Value& value) {
  if (const auto* tensor = value.as<Tensor>(); tensor && !tensor->instance.empty()) return Owner{tensor->instance, true};
  if (const auto* instance = value.as<Instance>()) return Owner{instance->path, true};
  if (const Callable* callable = value.callable(); callable && callable->shared)
    return Owner{callable->shared->path, callable->shared->built};
  return std::nullopt;
}

}  // namespace

Value Evaluator::evaluate_member(const ast::MemberExpr& member, Span span, Context& context) {
  const Value object = evaluate(*member.object, context);
  const std::string& name = member.member.text;
  if (object.unknown()) return Unknown{};
  if (const auto* module = object.as<ModuleName>()) {
    if (const Symbol* symbol = module->module->find(name); symbol && symbol->home == module->module)
      return evaluate_symbol(*symbol, span, context);
    if (!module->module->incomplete)
      error(Code::N0201, member.member.span, "no value called `" + name + "` in " + module->module->path, "", context);
    return Unknown{};
  }
  if (const auto* items = object.as<Items>(); items && !items->names.empty()) {
    for (size_t i = 0; i < items->names.size(); ++i)
      if (items->names[i] == name) return (*items->values)[i];
    Diagnostic& d = error(Code::N0205, member.member.span,
                          "`" + print(*member.object) + "` has no output or field `" + name + "`", "", context);
    if (const auto close = suggest(name, items->names))
      d.fix("did you mean `" + *close + "`?", member.member.span, *close, Confidence::guess);
    return Unknown{};
  }
  const auto* tensor = object.as<Tensor>();
  if (tensor && name == "shape") {
    std::vector<Value> sizes;
    for (int64_t size : net_->graph[tensor->node].type.shape) sizes.emplace_back(size);
    return make_items(std::move(sizes), false);
  }
  const std::string shown = print(*member.object);
  if (const Callable* callable = object.callable(); callable && callable->shared) callable->shared->weight_tied = true;
  if (const auto owner = owner_of(object)) {
    if (!owner->built) {
      error(Code::N0504, span, "`" + shown + "." + name + "` is used before `" + shown + "` has seen an input", "",
            context)
          .help("move it below the first `|> " + shown + "`");
      return Unknown{};
    }
    return parameter_of(owner->path, member.member, shown, context);
  }
  Diagnostic& d = error(Code::N0205, member.member.span,
                        "`" + shown + "` has no parameter `" + name + "`: it is " + kind_of(object), "", context);
  if (tensor) d.help("name the layer that made it with `as`, then `name." + name + "`; a tensor has `.shape`");
  return Unknown{};
}

Value Evaluator::parameter_of(const std::string& path, const ast::Name& member, std::string_view shown, Context& context) {
  const std::string full = path + "." + member.text;
  if (const auto found = net_->weights.find(full); found != net_->weights.end())
    return Weight{full, found->second, false};
  if (net_->instances.contains(full)) return Instance{full};
  Diagnostic& d = error(Code::N0205, member.span, "`" + std::string(shown) + "` has no parameter `" + member.text + "`", "",
                        context);
  std::vector<std::string> names;
  for (const Parameter& parameter : net_->graph.parameters)
    if (parameter.path.starts_with(path + ".")) names.push_back(parameter.path.substr(path.size() + 1));
  if (names.empty()) {
    d.note("it has no parameters");
    return Unknown{};
  }
  std::string list;
  for (size_t i = 0; i < names.size() && i < 12; ++i) list += (i ? ", " : "") + names[i];
  d.note("its parameters: " + list);
  if (const auto close = suggest(member.text, names))
    d.fix("did you mean `" + *close + "`?", member.span, *close, Confidence::guess);
  return Unknown{};
}

Value Evaluator::evaluate_index(const ast::IndexExpr& index, Span span, Context& context) {
  const Value object = evaluate(*index.object, context);
  const Value at = evaluate(*index.index, context);
  if (object.unknown() || at.unknown()) return Unknown{};
  const auto* items = object.items();
  if (!items) {
    Diagnostic& d = error(Code::N0303, span, "`[...]` wants a list before it, got " + kind_of(object), "", context);
    if (object.is<Tensor>()) d.help("part of a tensor: `slice(axis, start, stop)`");
    return Unknown{};
  }
  const auto* i = at.as<int64_t>();
  if (!i) {
    error(Code::N0302, index.index->span, "an index must be a whole number, got " + show(at, graph()), "", context);
    return Unknown{};
  }
  const int64_t size = static_cast<int64_t>(items->size());
  if (*i < -size || *i >= size) {
    error(Code::N0310, index.index->span,
          size == 0 ? "the list is empty"
                    : "the index must lie in " + std::to_string(-size) + " ..< " + std::to_string(size) + ", got " +
                          std::to_string(*i),
          "", context);
    return Unknown{};
  }
  return (*items)[static_cast<size_t>(*i < 0 ? *i + size : *i)];
}

Value Evaluator::evaluate_unary(const ast::UnaryExpr& unary, Span span, Context& context) {
  const Value operand = evaluate(*unary.operand, context);
  if (operand.unknown()) return Unknown{};
  if (unary.op == ast::UnaryOp::logical_not) {
    if (const auto* b = operand.as<bool>()) return !*b;
    error(Code::N0303, unary.operand->span, "`not` wants a bool, got " + kind_of(operand), "", context);
    return Unknown{};
  }
  if (const auto* i = operand.as<int64_t>()) {
    if (*i != std::numeric_limits<int64_t>::min()) return -*i;
    error(Code::N0310, span, "the result lies outside of 64 bits", "", context);
    return Unknown{};
  }
  if (const auto* f = operand.as<Float>()) return Float{-f->value, f->percent};
  if (const auto* tensor = operand.as<Tensor>()) {
    if (is_floating(net_->graph[tensor->node].type.dtype))
      return Tensor{net_->builder.at(span).named("").neg(tensor->node), ""};
    error(Code::N0406, span, "`-` computes in floating point, this is " + show(operand, graph()), "", context);
    return Unknown{};
  }
  error(Code::N0303, unary.operand->span, "`-` wants a number or a tensor, got " + kind_of(operand), "", context);
  return Unknown{};
}

Value Evaluator::evaluate_binary(const ast::BinaryExpr& binary, Span span, Context& context) {
  const Value left = evaluate(*binary.left, context);
  if (binary.op == ast::BinaryOp::logical_and || binary.op == ast::BinaryOp::logical_or) {
    // The right side is evaluated only if it decides, so that `rank == 3 and x.shape[2] == 1` is safe.
    const bool is_and = binary.op == ast::BinaryOp::logical_and;
    const auto* l = left.as<bool>();
    if (l && *l != is_and) {
      check_names(*binary.right, context);
      return *l;
    }
    const Value right = evaluate(*binary.right, context);
    if (left.unknown() || right.unknown()) return Unknown{};
    const auto* r = right.as<bool>();
    if (l && r) return *r;
    const ast::Expr& wrong = l ? *binary.right : *binary.left;
    const Value& value = l ? right : left;
    if (value.is<Tensor>())
      error(Code::N0312, wrong.span, "a tensor cannot decide what is compiled", "", context);
    else
      error(Code::N0303, wrong.span, std::string("`") + spelling(binary.op) + "` wants a bool, got " + kind_of(value), "",
            context);
    return Unknown{};
  }
  const Value right = evaluate(*binary.right, context);
  if (left.unknown() || right.unknown()) return Unknown{};
  if (left.is<Tensor>() || right.is<Tensor>()) return tensor_operation(binary, left, right, span, context);
  ArithmeticFailure failure;
  Value result = arithmetic(binary, left, right, &failure);
  if (failure.code) {
    const Span where = failure.at_right ? binary.right->span : failure.at_operator ? binary.op_span : span;
    Diagnostic& d = error(*failure.code, where, failure.summary, "", context);
    if (!failure.note.empty()) d.note(failure.note);
    return Unknown{};
  }
  return result;
}

std::optional<bool> Evaluator::condition(const ast::Expr& expr, Context& context) {
  const Value value = evaluate(expr, context);
  if (value.unknown()) return std::nullopt;
  if (const auto* b = value.as<bool>()) return *b;
  if (value.is<Tensor>())
    error(Code::N0312, expr.span, "a tensor cannot decide what is compiled", show(value, graph()), context)
        .help("choose by parameters and shapes; values of tensors are known only when the net runs");
  else
    error(Code::N0303, expr.span, "a condition wants a bool, got " + kind_of(value), "", context);
  return std::nullopt;
}

Value Evaluator::evaluate_if(const ast::IfExpr& expr, Context& context) {
  const auto chosen = condition(*expr.condition, context);
  if (!chosen) {
    check_names(*expr.then_value, context);
    check_names(*expr.else_value, context);
    return Unknown{};
  }
  check_names(*chosen ? *expr.else_value : *expr.then_value, context);
  return evaluate(*chosen ? *expr.then_value : *expr.else_value, context);
}

}  // namespace netc::sema
