// Calls: layers, blocks and nets applied to tensors.
#include <algorithm>

#include "compiler/sema/evaluator.h"
#include "compiler/sema/hash.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

std::vector<GivenArgument> Evaluator::evaluate_arguments(const std::vector<ast::Arg>& args, Context& context) {
  std::vector<GivenArgument> given;
  given.reserve(args.size());
  for (const ast::Arg& arg : args)
    given.push_back({arg.name ? &*arg.name : nullptr, evaluate(*arg.value, context), arg.value->span});
  return given;
}

std::shared_ptr<const Callable> Evaluator::callable_call(const ast::CallExpr& call, Span span, Context& context) {
  Value callee;
  if (const auto* name = call.callee->as<ast::NameRef>())
    callee = evaluate_name(*name, call.callee->span, context, true);
  else
    callee = evaluate(*call.callee, context);
  if (callee.unknown()) {
    for (const ast::Arg& arg : call.args) check_names(*arg.value, context);
    return nullptr;
  }
  const Callable* target = callee.callable();
  if (!target) {
    error(Code::N0202, call.callee->span, "`" + print(*call.callee) + "` is not a layer, it is " + kind_of(callee), "", context);
    return nullptr;
  }
  if (call.args.empty()) return *callee.as<std::shared_ptr<const Callable>>();
  auto made = std::make_shared<Callable>(*target);
  made->span = span;
  if (target->layer) {
    if (target->arguments || target->shared) {
      error(Code::N0305, span, "`" + print(*call.callee) + "` has its arguments already", "", context);
      return nullptr;
    }
    made->arguments = bind(*target->layer, call.args, span, &made->tensors, context);
    if (!made->arguments) return nullptr;
  } else {
    std::vector<GivenArgument> more = evaluate_arguments(call.args, context);
    for (const GivenArgument& argument : more)
      if (argument.value.unknown()) return nullptr;
    made->given.insert(made->given.end(), more.begin(), more.end());
  }
  return made;
}

std::shared_ptr<const Callable> Evaluator::callable(const ast::Expr& expr, Context& context) {
  if (const auto* call = expr.as<ast::CallExpr>()) {
    const auto* name = call->callee->as<ast::NameRef>();
    if (!name || !is_function(name->name) || find_layer(name->name)) return callable_call(*call, expr.span, context);
  }
  Value value;
  if (const auto* name = expr.as<ast::NameRef>())
    value = evaluate_name(*name, expr.span, context, true);
  else
    value = evaluate(expr, context);
  if (value.unknown()) return nullptr;
  if (value.callable()) return *value.as<std::shared_ptr<const Callable>>();
  Diagnostic& d = error(Code::N0202, expr.span, "`" + print(expr) + "` is not a layer, it is " + kind_of(value), "", context);
  if (value.is<Tensor>()) d.help("a stage is a layer, a block, a net or a shared instance");
  return nullptr;
}

Value Evaluator::evaluate_call(const ast::CallExpr& call, Span span, Context& context) {
  const auto* name = call.callee->as<ast::NameRef>();
  const bool is_own = name && ((context.scope && context.scope->find(name->name)) || context.module->find(name->name));
  if (name && !is_own) {
    if (name->name == "transpose") return evaluate_transpose(call, span, context);
    if (is_function(name->name)) {
      const bool is_layer = find_layer(name->name) != nullptr;   // max, sqrt: by what they are given
      const bool has_unnamed = std::any_of(call.args.begin(), call.args.end(), [](const ast::Arg& a) { return !a.name; });
      if (!is_layer) return evaluate_function(name->name, call, evaluate_arguments(call.args, context), span, context);
      if (has_unnamed) {
        std::vector<GivenArgument> given;
        for (const ast::Arg& arg : call.args)
          if (!arg.name) given.push_back({nullptr, evaluate(*arg.value, context), arg.value->span});
        for (const GivenArgument& argument : given)
          if (argument.value.unknown()) return Unknown{};
        if (!given[0].value.is<Tensor>()) return evaluate_function(name->name, call, std::move(given), span, context);
        std::vector<ast::Arg> none;
        Callable layer;
        layer.layer = find_layer(name->name);
        layer.span = span;
        const bool named = std::any_of(call.args.begin(), call.args.end(), [](const ast::Arg& a) { return a.name.has_value(); });
        if (named) {
          layer.arguments = bind(*layer.layer, call.args, span, &layer.tensors, context);
          if (!layer.arguments) return Unknown{};
        } else {
          layer.tensors = std::move(given);
        }
        return apply(layer, {}, nullptr, span, context);
      }
    }
  }
  const auto target = callable_call(call, span, context);
  if (!target) return Unknown{};
  // `softmax(logits)` is a value; `dense(10)` without a tensor is a layer yet to be fed.
  const auto is_tensor = [](const GivenArgument& a) { return a.value.is<Tensor>() && !a.name; };
  const bool fed = !target->tensors.empty() || std::any_of(target->given.begin(), target->given.end(), [&](const auto& a) {
                     return is_tensor(a) || (a.value.template is<Tensor>());
                   });
  const auto* formals = target->block ? &target->block->formals : target->net ? &target->net->formals : nullptr;
  const bool wants_none = target->block && formals && std::none_of(formals->begin(), formals->end(), [](const ast::Formal& f) {
                            return f.type.element.text == "tensor" || f.type.shape || f.type.classes;
                          });
  if (fed || wants_none) return apply(*target, {}, nullptr, span, context);
  return Value(target);
}

namespace {

// The stage as a row of the table of shapes says it: "dense 1024", "dropout 20%", "basic 16".
std::string row_kind(const Callable& callable) {
  std::string text(callable.name());
  if (callable.layer && callable.arguments) {
    for (const std::string& shown : callable.layer->shown) {
      const ParameterRow& parameter = *callable.layer->find(shown);
      const ArgumentValue& value = callable.arguments->value(shown);
      if (const auto* i = std::get_if<int64_t>(&value)) text += " " + std::to_string(*i);
      else if (const auto* d = std::get_if<double>(&value))
        text += " " + show(Float{*d, parameter.high == 1}, nullptr);
      else if (const auto* s = std::get_if<std::string>(&value)) text += " " + *s;
      else if (const auto* list = std::get_if<Integers>(&value)) {
        std::string joined;
        for (int64_t size : *list) joined += (joined.empty() ? "" : "x") + std::to_string(size);
        text += " " + joined;
      }
    }
  }
  for (const GivenArgument& argument : callable.given)
    if (!argument.name && number_of(argument.value)) text += " " + show(argument.value, nullptr);
  return text;
}

// Which use of a shared instance this is: noise differs from use to use, weights do not.
std::string use_of(const Callable& callable) {
  return callable.shared && callable.shared->uses > 1 ? "@" + std::to_string(callable.shared->uses) : std::string();
}

}  // namespace

Value Evaluator::apply(const Callable& callable, std::vector<GivenArgument> piped, const ast::Name* name, Span span,
                       Context& context) {
  if (!context.names || !net_) {
    error(Code::N0303, span, "`" + std::string(callable.name()) + "` is a layer, and layers stand in nets and blocks", "", context);
    return Unknown{};
  }
  if (++net_->uses > kMostUses) {
    const Frame* root = context.frame;
    while (root->outer) root = root->outer;
    diagnostics_.error(Code::N0308, root->name_span,
                       "this net has more than " + std::to_string(kMostUses) + " layers")
        .help("look for repeats inside repeats, and blocks that use blocks several times");
    return Unknown{};
  }
  std::string path;
  SharedInstance* shared = callable.shared.get();
  if (shared) {
    path = shared->path;
    ++shared->uses;
    if (name && context.names->reserve(name->text, name->span) == nullptr) net_->instances.insert(path);
  } else {
    path = layer_path(name, callable.name(), span, context);
  }
  net_->instances.insert(path);
  std::vector<TensorType> in;
  for (const auto* list : {static_cast<const std::vector<GivenArgument>*>(&piped), &callable.tensors, &callable.given})
    for (const GivenArgument& argument : *list)
      if (const auto* tensor = argument.value.as<Tensor>()) in.push_back(net_->graph[tensor->node].type);
  const NodeId first_in = !piped.empty() && piped[0].value.is<Tensor>() ? piped[0].value.as<Tensor>()->node : kNoNode;

  const size_t row = net_->rows.size();
  net_->rows.push_back({context.depth, name ? name->text : shared ? shared->name : "", row_kind(callable), std::move(in), {},
                        0, true, kNoNode, span});
  const int64_t weights_before = net_->trainable;
  Value result = callable.layer ? apply_layer(callable, std::move(piped), path, span, context)
                                : apply_body(callable, std::move(piped), path, span, context);
  if (shared) shared->built = true;
  ShapeRow& made = net_->rows[row];
  made.weights = net_->trainable - weights_before;
  const auto note_result = [&](const Value& value) {
    if (const auto* tensor = value.as<Tensor>()) {
      if (made.node == kNoNode) made.node = tensor->node;
      made.out.push_back(net_->graph[tensor->node].type);
      const bool has_bias = callable.layer && callable.layer->find("bias") && (!callable.arguments || callable.arguments->flag("bias"));
      net_->stages.push_back({context.frame->id, first_in, tensor->node, span, callable.layer, has_bias, shared != nullptr});
    }
  };
  note_result(result);
  if (const auto* items = result.items())
    for (const Value& item : *items) note_result(item);
  if (name) bind_as(*name, result, path, context);
  return result;
}

Value Evaluator::apply_layer(const Callable& callable, std::vector<GivenArgument> piped, const std::string& path, Span span,
                             Context& context) {
  const LayerRow& row = *callable.layer;
  piped.insert(piped.end(), callable.tensors.begin(), callable.tensors.end());
  std::optional<Arguments> none;
  if (!callable.arguments) {   // a bare word: all defaults, unless something is required
    for (const ParameterRow& parameter : row.parameters)
      if (parameter.required) {
        report_missing(row, parameter, callable.span, context);
        return Unknown{};
      }
    none.emplace(row);
  }
  std::vector<NodeId> inputs;
  std::vector<Span> spans;
  for (const GivenArgument& argument : piped) {
    if (argument.value.unknown()) return Unknown{};
    const auto* tensor = argument.value.as<Tensor>();
    if (!tensor) {
      error(Code::N0303, argument.span, "`" + row.name + "` wants a tensor, got " + kind_of(argument.value), "", context);
      return Unknown{};
    }
    inputs.push_back(tensor->node);
    spans.push_back(argument.span);
  }
  const int given = static_cast<int>(inputs.size());
  if (row.inputs < 0 ? given == 0 : given != row.inputs) {
    const std::string wants = row.inputs < 0 ? "one or more tensors"
                              : std::to_string(row.inputs) + (row.inputs == 1 ? " tensor" : " tensors");
    Diagnostic& d = error(Code::N0404, span, "`" + row.name + "` takes " + wants + ", got " + std::to_string(given), "", context);
    for (size_t i = 0; i < inputs.size(); ++i) d.label(spans[i], to_string(net_->graph[inputs[i]].type));
    if (given > row.inputs && row.inputs == 1) d.help("join them first: `concat(a, b) |> " + row.name + "`");
    else if (given < row.inputs) d.help("give several with `(a, b) |> " + row.name + "`");
    return Unknown{};
  }
  // Saved and put back: the arguments of a layer may build layers, but not between here and there.
  const Context* outer = std::exchange(building_, &context);
  std::string outer_path = std::exchange(layer_path_, path);
  const Span outer_span = std::exchange(layer_span_, span);
  net_->builder.at(span).named(path);
  const std::string stream_key = path + context.names->use() + use_of(callable);
  LayerUse use{row, callable.arguments ? *callable.arguments : *none, std::move(inputs), std::move(spans), span,
               random_stream(stream_key)};
  LayerCall call(std::move(use), net_->builder, *this);
  const std::vector<NodeId> results = row.build(call);
  building_ = outer;
  layer_path_ = std::move(outer_path);
  layer_span_ = outer_span;
  if (results.empty()) return Unknown{};
  if (results.size() == 1) return Tensor{results[0], ""};
  std::vector<Value> values;
  for (NodeId node : results) values.emplace_back(Tensor{node, ""});
  return make_items(std::move(values), true);
}

std::string Evaluator::name_of(NodeId node) const {
  if (outputs_)
    for (const NetOutput& output : *outputs_)
      if (const auto* tensor = output.value.as<Tensor>(); tensor && tensor->node == node) return output.name;
  return "";
}

NodeId Evaluator::build_row(const LayerRow& row, const Arguments& arguments, Span span, const std::string& path,
                            const std::vector<NetOutput>& outputs) {
  Context context;
  building_ = &context;
  outputs_ = &outputs;
  layer_path_ = path;
  layer_span_ = span;
  net_->builder.at(span).named(path);
  LayerCall call(LayerUse{row, arguments, {}, {}, span, random_stream(path)}, net_->builder, *this);
  const std::vector<NodeId> results = row.build(call);
  building_ = nullptr;
  outputs_ = nullptr;
  return results.empty() ? kNoNode : results[0];
}

NodeId Evaluator::weight(const std::string& name, TensorType type, Initializer init, bool trainable) {
  const std::string path = layer_path_ + "." + name;
  if (const auto known = net_->weights.find(path); known != net_->weights.end()) {
    const TensorType has = net_->graph[known->second].type;
    if (has == type) return known->second;
    error(Code::N0502, layer_span_, "shared weight is " + to_string(has) + ", this use needs " + to_string(type), "",
          *building_)
        .note("`" + path + "` was made by the first use, for another shape of the input");
    return kNoNode;
  }
  net_->graph.parameters.push_back({path, type, init, trainable, layer_span_});
  if (trainable) net_->trainable += element_count(type.shape);
  const NodeId leaf = net_->graph.add({"parameter", {}, {}, std::move(type), path, layer_span_});
  net_->weights.emplace(path, leaf);
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    net_->instances.insert(layer_path_ + "." + name.substr(0, dot));
  return leaf;
}

Diagnostic& Evaluator::error(Code code, Span span, std::string summary, std::string label) {
  return error(code, span, std::move(summary), std::move(label), *building_);
}

Diagnostic& Evaluator::warning(Code code, Span span, std::string summary, std::string label) {
  return warning(code, span, std::move(summary), std::move(label), *building_);
}

}  // namespace netc::sema
