// Statements of blocks and nets.
#include <algorithm>
#include <set>
#include <string_view>

#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

void Evaluator::bind_name(const ast::Name& name, Value value, std::string_view what, Context& context) {
  // Outside a body there is nowhere to keep a name; that no pipeline can start there has been said.
  if (name.text.empty() || !context.scope) return;
  if (const Binding* taken = context.scope->bind(name.text, {std::move(value), name.span, what, false})) {
    if (taken->declared == name.span) return;   // the same `as` in another copy
    error(Code::N0203, name.span, "`" + name.text + "` is declared twice", "", context)
        .label(taken->declared, "first here")
        .help("a name is bound once; rename one of them");
  }
}

bool Evaluator::bind_pattern(const ast::Pattern& pattern, const Value& value, Span value_span, std::string_view what,
                             Context& context) {
  if (!pattern.is_tuple) {
    bind_name(pattern.names[0], value, what, context);
    return true;
  }
  const auto* items = value.items();
  const size_t count = items ? items->size() : 1;
  if (value.unknown() || count != pattern.names.size()) {
    for (const ast::Name& name : pattern.names) bind_name(name, Unknown{}, what, context);
    if (value.unknown()) return false;
    error(Code::N0204, pattern.span,
          std::to_string(pattern.names.size()) + " names for " + std::to_string(count) + (count == 1 ? " value" : " values"), "",
          context)
        .label(value_span, show(value, graph()));
    return false;
  }
  for (size_t i = 0; i < count; ++i) bind_name(pattern.names[i], (*items)[i], what, context);
  return true;
}

bool Evaluator::check_annotation(const ast::Type& type, const Value& value, Context& context) {
  if (value.unknown()) return false;
  const std::string& kind = type.element.text;
  if (!type.shape && !type.classes) {
    const bool plain = kind == "tensor" || kind == "int" || kind == "float" || kind == "string" || kind == "layer" ||
                       (kind == "bool" && !value.is<Tensor>());
    if (plain) {
      const bool fits = (kind == "tensor" && value.is<Tensor>()) || (kind == "int" && value.is<int64_t>()) ||
                        (kind == "float" && number_of(value)) || (kind == "string" && value.is<Text>()) ||
                        (kind == "layer" && value.callable()) || (kind == "bool" && value.is<bool>());
      if (!fits) error(Code::N0416, type.span, "declared " + kind + ", but the value is " + kind_of(value), "", context);
      return fits;
    }
  }
  const auto declared = tensor_type(type, context);
  if (!declared) return false;
  const auto* tensor = value.as<Tensor>();
  if (!tensor) {
    error(Code::N0416, type.span, "declared " + to_string(*declared) + ", but the value is " + kind_of(value), "", context);
    return false;
  }
  const TensorType found = net_->graph[tensor->node].type;
  if (found == *declared) return true;
  Diagnostic& d = error(Code::N0416, type.span, "declared " + to_string(*declared) + ", but the value is " + to_string(found),
                        "", context);
  std::string stages;   // the way the value went, from the input on
  int shown = 0;
  for (NodeId node = tensor->node; node != kNoNode && shown < 12; ++shown) {
    const auto record = std::find_if(net_->stages.begin(), net_->stages.end(), [&](const StageRecord& r) {
      return r.frame == context.frame->id && r.out == node && r.in != r.out;
    });
    if (record == net_->stages.end()) break;
    const std::string_view text = diagnostics_.sources().text(record->span);
    const std::string line = std::string(text.substr(0, 40)) + "   " + to_string(net_->graph[node].type);
    stages = line + (stages.empty() ? "" : "\n" + stages);
    node = record->in;
  }
  if (!stages.empty()) d.note("the stages:\n" + stages);
  return false;
}

bool Evaluator::evaluate_let(const ast::Let& let, Context& context) {
  Value value = evaluate(*let.value, context);
  if (value.callable() && !value.callable()->shared) {
    const std::string name(value.callable()->name());
    error(Code::N0303, let.value->span, "`" + print(*let.value) + "` is a layer, not a value", "", context)
        .help("feed it: `x |> " + name + "`, or make one instance for several uses: `shared " +
              (let.pattern.names.empty() ? std::string("t") : let.pattern.names[0].text) + " = ...`");
    value = Unknown{};
  }
  if (let.type && !check_annotation(*let.type, value, context)) value = Unknown{};
  return bind_pattern(let.pattern, value, let.value->span, "let", context) && !value.unknown();
}

bool Evaluator::evaluate_shared(const ast::Shared& shared, Context& context) {
  const bool is_pipeline = shared.value->is<ast::PipelineExpr>();
  const auto report = [&](Span span) {
    error(Code::N0501, span, "`shared` makes a layer, this is a value", "", context)
        .help("leave the input out: `shared " + shared.name.text + " = dense(...)`, then `x |> " + shared.name.text + "`");
  };
  std::shared_ptr<const Callable> target;
  if (is_pipeline) {
    report(shared.value->span);
    check_names(*shared.value, context);
  } else if (shared.value->is<ast::NameRef>() || shared.value->is<ast::CallExpr>() || shared.value->is<ast::IfExpr>() ||
             shared.value->is<ast::MemberExpr>()) {
    if (const auto* call = shared.value->as<ast::CallExpr>()) {
      target = callable_call(*call, shared.value->span, context);
    } else {
      const Value value = evaluate(*shared.value, context);
      if (value.callable()) target = *value.as<std::shared_ptr<const Callable>>();
      else if (!value.unknown()) report(shared.value->span);
    }
    if (target && !target->tensors.empty()) {
      report(shared.value->span);
      target = nullptr;
    }
  } else if (!shared.value->is<ast::Broken>()) {
    report(shared.value->span);
  }
  if (!target) {
    bind_name(shared.name, Unknown{}, "shared", context);
    return false;
  }
  auto made = std::make_shared<Callable>(*target);
  made->shared = std::make_shared<SharedInstance>();
  made->shared->name = shared.name.text;
  made->shared->declared = shared.name.span;
  if (const Span* other = context.names->reserve(shared.name.text, shared.name.span))
    error(Code::N0203, shared.name.span, "`" + shared.name.text + "` is declared twice", "", context)
        .label(*other, "this layer has the name already");
  made->shared->path = context.names->path(shared.name.text);
  bind_name(shared.name, std::shared_ptr<const Callable>(made), "shared", context);
  return true;
}

bool Evaluator::evaluate_output(const ast::Output& output, Context& context, std::vector<NetOutput>* outputs) {
  Value value;
  Span span = output.name.span;
  if (output.value) {
    value = evaluate(*output.value, context);
    span = output.value->span;
  } else {
    value = evaluate_name(ast::NameRef{output.name.text}, output.name.span, context, false);
  }
  if (!value.unknown() && !value.is<Tensor>()) {
    error(Code::N0303, span, "an output is a tensor, got " + kind_of(value), "", context);
    value = Unknown{};
  }
  if (output.type && !check_annotation(*output.type, value, context)) value = Unknown{};
  for (const NetOutput& other : *outputs)
    if (other.name == output.name.text && !output.value) {
      error(Code::N0203, output.name.span, "output `" + output.name.text + "` is declared twice", "", context)
          .label(other.span, "first here");
      return false;
    }
  if (output.value) {
    bind_name(output.name, value, "output", context);
    if (Binding* binding = context.scope->find(output.name.text)) binding->used = true;
  }
  const bool sound = !value.unknown();
  outputs->push_back({output.name.text, std::move(value), output.name.span});
  return sound;
}

void Evaluator::check_assert(const ast::Assert& statement, Context& context) {
  const auto holds = condition(*statement.condition, context);
  if (!holds || *holds) return;
  Diagnostic& d = error(Code::N0309, statement.condition->span, "assertion failed: " + statement.message, "", context);
  const auto* binary = statement.condition->as<ast::BinaryExpr>();
  if (!binary) return;
  const Value left = evaluate(*binary->left, context), right = evaluate(*binary->right, context);
  for (const auto& [expr, value] : {std::pair{binary->left.get(), &left}, std::pair{binary->right.get(), &right}})
    if (!value->unknown() && !expr->is<ast::IntLiteral>() && !expr->is<ast::FloatLiteral>())
      d.note("`" + print(*expr) + "` is " + show(*value, graph()));
  if (binary->op == ast::BinaryOp::equal && number_of(left) && number_of(left) == number_of(right))
    d.note("a float is never equal to a whole number that is computed: a division here did not come out whole");
}

void Evaluator::warn_of_unused(const Scope& scope, const Context& context) {
  for (std::string_view name : scope.order()) {
    const Binding& binding = scope.at(name);
    if (binding.used || binding.value.unknown() || (binding.what != "let" && binding.what != "shared") || name[0] == '_')
      continue;
    if (binding.what == "let")
      warning(Code::W1104, binding.declared, "`" + std::string(name) + "` is never used", "", context)
          .help("`output " + std::string(name) + "`, or remove it");
  }
  for (std::string_view name : scope.order()) {
    const Binding& binding = scope.at(name);
    const Callable* callable = binding.value.callable();
    if (binding.what != "shared" || !callable || !callable->shared) continue;
    const int uses = callable->shared->uses;
    if (uses == 0 && !binding.used)
      warning(Code::W1101, binding.declared, "shared `" + std::string(name) + "` is never used", "", context);
    else if (uses == 1 && !callable->shared->weight_tied)
      warning(Code::W1102, binding.declared, "shared `" + std::string(name) + "` is used once", "", context)
          .help("a plain stage does the same: `|> " + std::string(callable->name()) + "(...) as " + std::string(name) + "`");
  }
}

Value Evaluator::run_block(const ast::BlockDecl& block, Context& body) {
  Value result;
  bool returned = false, failed = false;
  for (const ast::Statement& statement : block.statements) {
    if (const auto* let = std::get_if<ast::Let>(&statement)) failed = !evaluate_let(*let, body) || failed;
    else if (const auto* shared = std::get_if<ast::Shared>(&statement)) failed = !evaluate_shared(*shared, body) || failed;
    else if (const auto* check = std::get_if<ast::Assert>(&statement)) check_assert(*check, body);
    else if (const auto* leave = std::get_if<ast::Return>(&statement)) {
      if (returned) continue;
      result = evaluate(*leave->value, body);
      returned = true;
    }
  }
  if (!returned) {
    error(Code::N0307, block.name.span, "block `" + block.name.text + "` needs `return`", "", body);
    return Unknown{};
  }
  if (!failed) warn_of_unused(*body.scope, body);
  return result;
}

bool Evaluator::run_net(const ast::NetDecl& net, Context& body, const InputSource& inputs, std::vector<NetOutput>* outputs) {
  bool sound = true;
  std::set<std::string_view> seen;   // a second input of one name is a mistake (bind_name says so) and no leaf
  for (const ast::Statement& statement : net.statements) {
    if (const auto* input = std::get_if<ast::Input>(&statement)) {
      Value value = Unknown{};
      const auto type = tensor_type(input->type, body);
      if (type && seen.insert(input->name.text).second) {
        const NodeId node = inputs(*input, *type);
        if (node != kNoNode) value = Tensor{node, ""};
      }
      sound = sound && !value.unknown();
      bind_name(input->name, std::move(value), "input", body);
      if (Binding* binding = body.scope->find(input->name.text)) binding->used = true;
    } else if (const auto* output = std::get_if<ast::Output>(&statement)) {
      sound = evaluate_output(*output, body, outputs) && sound;
    } else if (const auto* let = std::get_if<ast::Let>(&statement)) {
      sound = evaluate_let(*let, body) && sound;
    } else if (const auto* shared = std::get_if<ast::Shared>(&statement)) {
      sound = evaluate_shared(*shared, body) && sound;
    } else if (const auto* check = std::get_if<ast::Assert>(&statement)) {
      check_assert(*check, body);
    }
  }
  if (outputs->empty()) {
    error(Code::N0307, net.name.span, "net `" + net.name.text + "` needs an `output`", "", body);
    return false;
  }
  if (sound && !net.broken) warn_of_unused(*body.scope, body);
  return sound && !net.broken;
}

bool Evaluator::build_net(const ast::NetDecl& net, const Module& home, const std::vector<GivenArgument>& given, Span call,
                          const InputSource& inputs, std::vector<NetOutput>* outputs) {
  Frame frame;
  frame.id = ++last_frame_;
  frame.declaration = &net;
  frame.place = "net `" + net.name.text + "`";
  frame.name_span = net.name.span;
  frame.statements = &net.statements;
  Scope scope;
  LayerNames names("");
  Context caller;
  caller.module = &home;
  Context body;
  body.module = &home;
  body.scope = &scope;
  body.frame = &frame;
  body.names = &names;
  if (!bind_formals(net.formals, net.name.text, {}, given, call, caller, body, frame)) return false;
  const bool sound = run_net(net, body, inputs, outputs);
  if (sound) warn_of_neighbours(caller);
  return sound;
}

std::vector<netc::Frame> Evaluator::chain(const Frame* frame) const {
  std::vector<netc::Frame> frames;
  if (!frame || !frame->outer) {
    if (!frame || frame->values.empty()) return frames;   // directly in a net: the place says it all
  }
  Span call;
  for (; frame; frame = frame->outer) {
    std::string values;
    for (const auto& [name, value] : frame->values)
      values += (values.empty() ? "" : ", ") + name + " = " + show(value, graph());
    frames.push_back({frame->place, std::move(values), call});
    call = frame->call;
  }
  return frames;
}

Diagnostic& Evaluator::error(Code code, Span span, std::string summary, std::string label, const Context& context) {
  return diagnostics_.error(code, span, std::move(summary), std::move(label)).from(chain(context.frame));
}

Diagnostic& Evaluator::warning(Code code, Span span, std::string summary, std::string label, const Context& context) {
  return diagnostics_.warning(code, span, std::move(summary), std::move(label)).from(chain(context.frame));
}

}  // namespace netc::sema
