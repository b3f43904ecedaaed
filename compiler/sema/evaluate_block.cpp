// Blocks and nets used as blocks: arguments to formals, sizes of the header, the body.
#include <algorithm>

#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

// A type with a shape, `tensor`, or the element type of a scalar; `bool` alone is a compile-time value.
bool is_tensor_formal(const ast::Formal& formal) {
  if (formal.type.shape || formal.type.classes) return true;
  for (std::string_view element : {"tensor", "f32", "f64", "f16", "bf16", "i32", "i64", "u8"})
    if (formal.type.element.text == element) return true;
  return false;
}

std::string header(const std::vector<ast::Formal>& formals, const std::string& name) {
  std::string text = name + "(";
  for (size_t i = 0; i < formals.size(); ++i) {
    text += (i ? ", " : "") + formals[i].name.text + ": " + print(formals[i].type);
    if (formals[i].default_value) text += " = " + print(*formals[i].default_value);
  }
  return text + ")";
}

}  // namespace

bool Evaluator::enters(const void* declaration, const std::string& name, Span call, Context& context) {
  for (const Frame* frame = context.frame; frame; frame = frame->outer)
    if (frame->declaration == declaration) {
      error(Code::N0311, call, "block `" + name + "` uses itself", "", context).help("use `repeat`; there is no recursion");
      return false;
    }
  return true;
}

bool Evaluator::bind_formal(const ast::Formal& formal, const GivenArgument& argument, Context& caller, Context& body,
                            Frame& frame) {
  const std::string& kind = formal.type.element.text;
  const Value& value = argument.value;
  if (value.unknown()) return false;
  const auto wrong = [&](std::string_view wanted) {
    Diagnostic& d = error(Code::N0303, argument.span,
                          "`" + formal.name.text + "` wants " + std::string(wanted) + ", got " + kind_of(value), "", caller);
    d.label(formal.span, "declared here");
    if (wanted == "a tensor" && value.callable())
      d.help("this is a layer; feed it first: `x |> " + std::string(value.callable()->name()) + "`");
    return false;
  };
  Value bound = value;
  if (is_tensor_formal(formal)) {
    if (!value.is<Tensor>()) return wrong("a tensor");
    body.scope->bind(formal.name.text, {value, formal.name.span, "parameter", true});
    return true;
  }
  if (kind == "int") {
    if (value.is<Float>()) {
      error(Code::N0302, argument.span,
            "`" + formal.name.text + "` must be a whole number, got " + show(value, graph()), "", caller)
          .label(formal.span, "declared here");
      return false;
    }
    if (!value.is<int64_t>()) return wrong("a whole number");
  } else if (kind == "float") {
    if (!number_of(value)) return wrong("a number");
    if (value.is<int64_t>()) bound = Float{*number_of(value), false};
  } else if (kind == "bool") {
    if (!value.is<bool>()) return wrong("a bool");
  } else if (kind == "string") {
    if (!value.is<Text>()) return wrong("a string");
  } else if (kind == "layer") {
    if (!value.callable()) return wrong("a layer");
  } else {
    std::vector<std::string> kinds{"int", "float", "bool", "string", "layer", "tensor", "f32", "u8", "i32"};
    Diagnostic& d = error(Code::N0202, formal.type.element.span, "`" + kind + "` is not a type", "", caller);
    if (const auto close = suggest(kind, kinds))
      d.fix("did you mean `" + *close + "`?", formal.type.element.span, *close, Confidence::guess);
    return false;
  }
  if (!argument.is_default) frame.values.emplace_back(formal.name.text, bound);
  body.scope->bind(formal.name.text, {std::move(bound), formal.name.span, "parameter", true});
  return true;
}

// `x: f32[T, D]`: binds sizes that have no value yet and checks the others.
bool Evaluator::bind_sizes(const ast::Formal& formal, const GivenArgument& argument, Context& caller, Context& body) {
  const ast::Type& type = formal.type;
  if (type.element.text == "tensor") return true;
  const TensorType found = net_->graph[argument.value.as<Tensor>()->node].type;
  const auto mismatch = [&]() {
    error(Code::N0416, argument.span,
          "`" + formal.name.text + "` is declared " + print(type) + ", but the value is " + to_string(found), "", caller)
        .label(type.span, "declared here");
    return false;
  };
  const bool class_declared = type.classes != nullptr;
  const bool element_fits = class_declared ? found.classes > 0 : found.classes == 0 && type.element.text == dtype_name(found.dtype);
  if (!element_fits) return mismatch();
  std::vector<std::pair<const ast::Expr*, int64_t>> sizes;
  if (class_declared) sizes.emplace_back(type.classes.get(), found.classes);
  const size_t rank = type.shape ? type.shape->size() : 0;
  if (rank != found.shape.size()) return mismatch();
  for (size_t i = 0; i < rank; ++i) sizes.emplace_back((*type.shape)[i].get(), found.shape[i]);
  for (const auto& [expr, size] : sizes) {
    if (const auto* name = expr->as<ast::NameRef>()) {
      const Binding* known = body.scope->find(name->name);
      if (!known && !body.module->find(name->name)) {
        body.scope->bind(name->name, {Value(size), expr->span, "size", true});
        continue;
      }
      if (known && known->what == "size" && known->value.is<int64_t>() && *known->value.as<int64_t>() != size) {
        error(Code::N0417, argument.span,
              "`" + name->name + "` is " + std::to_string(*known->value.as<int64_t>()) + ", but " + std::to_string(size) +
                  " in `" + formal.name.text + "`",
              to_string(found), caller)
            .label(known->declared, "`" + name->name + "` got its value here")
            .label(expr->span, "and must agree here");
        return false;
      }
    }
    const Value wanted = evaluate(*expr, body);
    if (wanted.unknown()) return false;
    if (!wanted.is<int64_t>() || *wanted.as<int64_t>() != size) return mismatch();
  }
  return true;
}

bool Evaluator::bind_formals(const std::vector<ast::Formal>& formals, const std::string& what,
                             std::vector<GivenArgument> piped, const std::vector<GivenArgument>& given, Span call,
                             Context& caller, Context& body, Frame& frame) {
  std::vector<const GivenArgument*> chosen(formals.size(), nullptr);
  // A `layer` or number among what is piped makes no sense; tensors fill the formals from the front.
  size_t next = 0;
  std::vector<GivenArgument> unnamed = std::move(piped);
  const size_t from_pipe = unnamed.size();
  for (const GivenArgument& argument : given)
    if (!argument.name) unnamed.push_back(argument);
  const size_t tensor_formals =
      static_cast<size_t>(std::count_if(formals.begin(), formals.end(), [](const auto& f) { return is_tensor_formal(f); }));
  if (from_pipe > formals.size() || (from_pipe > 0 && from_pipe > std::max<size_t>(tensor_formals, 1))) {
    Diagnostic& d = error(Code::N0404, call,
                          "`" + what + "` takes " + std::to_string(tensor_formals) +
                              (tensor_formals == 1 ? " tensor" : " tensors") + ", got " + std::to_string(from_pipe),
                          "", caller);
    d.note(header(formals, what));
    return false;
  }
  for (const GivenArgument& argument : unnamed) {
    if (next >= formals.size()) {
      std::string names;
      for (const ast::Formal& formal : formals) names += (names.empty() ? "" : ", ") + formal.name.text;
      error(Code::N0305, argument.span,
            "`" + what + "` takes at most " + std::to_string(formals.size()) + " values" +
                (names.empty() ? "" : " (" + names + ")"),
            "", caller)
          .note(header(formals, what));
      return false;
    }
    chosen[next++] = &argument;
  }
  for (const GivenArgument& argument : given) {
    if (!argument.name) continue;
    size_t at = 0;
    while (at < formals.size() && formals[at].name.text != argument.name->text) ++at;
    if (at == formals.size()) {
      Diagnostic& d = error(Code::N0301, argument.name->span,
                            "`" + what + "` has no argument `" + argument.name->text + "`", "", caller);
      d.note(header(formals, what));
      std::vector<std::string> names;
      for (const ast::Formal& formal : formals) names.push_back(formal.name.text);
      if (const auto close = suggest(argument.name->text, names))
        d.fix("did you mean `" + *close + "`?", argument.name->span, *close, Confidence::guess);
      return false;
    }
    if (chosen[at]) {
      error(Code::N0306, argument.name->span, "`" + argument.name->text + "` is given twice", "", caller)
          .label(chosen[at]->span, "first here");
      return false;
    }
    chosen[at] = &argument;
  }
  // Numbers first: sizes in the types of tensors may name them.
  std::vector<GivenArgument> defaults;
  defaults.reserve(formals.size());
  for (const bool tensors : {false, true})
    for (size_t i = 0; i < formals.size(); ++i) {
      if (is_tensor_formal(formals[i]) != tensors) continue;
      if (!chosen[i] && formals[i].default_value) {
        defaults.push_back({nullptr, evaluate(*formals[i].default_value, body), formals[i].default_value->span, true});
        chosen[i] = &defaults.back();
      }
      if (!chosen[i]) {
        error(tensors ? Code::N0404 : Code::N0307, call, "`" + what + "` needs `" + formals[i].name.text + "`", "", caller)
            .note(header(formals, what));
        return false;
      }
      if (!bind_formal(formals[i], *chosen[i], caller, body, frame)) return false;
      if (tensors && !bind_sizes(formals[i], *chosen[i], caller, body)) return false;
    }
  return true;
}

Value Evaluator::apply_body(const Callable& callable, std::vector<GivenArgument> piped, const std::string& path, Span span,
                            Context& context) {
  const std::string name(callable.name());
  const void* declaration = callable.block ? static_cast<const void*>(callable.block) : callable.net;
  if (callable.block ? callable.block->broken : callable.net->broken) return Unknown{};
  if (!enters(declaration, name, callable.span, context)) return Unknown{};
  for (const auto* list : std::initializer_list<const std::vector<GivenArgument>*>{&piped, &callable.given})
    for (const GivenArgument& argument : *list)
      if (argument.value.unknown()) return Unknown{};

  Frame frame;
  frame.id = ++last_frame_;
  frame.outer = context.frame;
  frame.declaration = declaration;
  frame.place = (callable.block ? "block `" : "net `") + name + "`";
  frame.name_span = callable.block ? callable.block->name.span : callable.net->name.span;
  frame.call = span;
  frame.statements = callable.block ? &callable.block->statements : &callable.net->statements;
  Scope scope;
  std::string use = context.names->use();
  if (callable.shared && callable.shared->uses > 1) use += "@" + std::to_string(callable.shared->uses);
  LayerNames names(path, std::move(use));
  Context body;
  body.module = callable.home;
  body.scope = &scope;
  body.frame = &frame;
  body.names = &names;
  body.depth = context.depth + 1;

  if (callable.net) {
    // The inputs of the net take the tensors, its parameters the arguments.
    std::vector<GivenArgument> tensors = std::move(piped), rest;
    for (const GivenArgument& argument : callable.given) (argument.value.is<Tensor>() ? tensors : rest).push_back(argument);
    std::vector<NetOutput> outputs;
    size_t next = 0;
    const size_t inputs = static_cast<size_t>(std::count_if(callable.net->statements.begin(), callable.net->statements.end(),
                                                             [](const auto& s) { return std::holds_alternative<ast::Input>(s); }));
    if (tensors.size() != inputs) {
      error(Code::N0404, span,
            "`" + name + "` takes " + std::to_string(inputs) + (inputs == 1 ? " tensor" : " tensors") + ", got " +
                std::to_string(tensors.size()),
            "", context)
          .label(callable.net->name.span, "its inputs are declared here");
      return Unknown{};
    }
    if (!bind_formals(callable.net->formals, name, {}, rest, span, context, body, frame)) return Unknown{};
    const InputSource source = [&](const ast::Input& input, const TensorType& type) -> NodeId {
      const GivenArgument& argument = tensors[next++];
      if (!argument.value.is<Tensor>()) return kNoNode;
      const NodeId node = argument.value.as<Tensor>()->node;
      if (net_->graph[node].type == type) return node;
      error(Code::N0416, argument.span,
            "input `" + input.name.text + "` is declared " + to_string(type) + ", but the value is " +
                to_string(net_->graph[node].type),
            "", context)
          .label(input.span, "declared here");
      return kNoNode;
    };
    if (!run_net(*callable.net, body, source, &outputs)) return Unknown{};
    if (outputs.size() == 1) return outputs[0].value;
    Items items;
    std::vector<Value> values;
    for (NetOutput& output : outputs) {
      items.names.push_back(output.name);
      values.push_back(std::move(output.value));
    }
    items.values = std::make_shared<const std::vector<Value>>(std::move(values));
    items.is_tuple = true;
    return items;
  }
  if (!bind_formals(callable.block->formals, name, std::move(piped), callable.given, span, context, body, frame))
    return Unknown{};
  return run_block(*callable.block, body);
}

}  // namespace netc::sema
