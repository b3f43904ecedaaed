// Pipelines: stage after stage, and repeats of chains.
#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

Value Evaluator::evaluate_pipeline(const ast::PipelineExpr& pipeline, Context& context) {
  Value value = evaluate(*pipeline.head, context);
  Span value_span = pipeline.head->span;
  if (!value.unknown() && !value.is<Tensor>() && !value.items()) {
    Diagnostic& d = error(Code::N0303, pipeline.head->span, "a pipeline starts with a tensor, got " + kind_of(value), "",
                          context);
    if (value.callable()) d.help("start with an input: `x |> " + print(*pipeline.head) + " |> ...`");
    value = Unknown{};
  }
  for (const ast::Stage& stage : pipeline.stages) {
    if (value.unknown()) {
      check_stage_names(stage, context);   // its own mistakes of names are worth a word; its shapes are not known
      if (stage.name) bind_as(*stage.name, Unknown{}, "", context);
      continue;
    }
    value = evaluate_stage(stage, value, value_span, context);
    value_span = stage.span;
  }
  return value;
}

namespace {

// What goes into a stage: the value, or each of a tuple's.
std::vector<GivenArgument> piped_from(const Value& in, Span span) {
  std::vector<GivenArgument> piped;
  if (const auto* items = in.items()) {
    for (const Value& item : *items) piped.push_back({nullptr, item, span});
  } else {
    piped.push_back({nullptr, in, span});
  }
  return piped;
}

}  // namespace

Value Evaluator::evaluate_stage(const ast::Stage& stage, const Value& in, Span in_span, Context& context) {
  const ast::Name* name = stage.name ? &*stage.name : nullptr;
  if (const ast::Repeat* repeat = stage.repeat())
    return evaluate_repeat(*repeat, name, stage.span, in, in_span, context);
  const ast::Expr* expr = stage.expr();
  if (expr->is<ast::Broken>()) {
    if (name) bind_as(*name, Unknown{}, "", context);
    return Unknown{};
  }
  const auto target = callable(*expr, context);
  if (!target) {
    if (name) bind_as(*name, Unknown{}, "", context);
    return Unknown{};
  }
  return apply(*target, piped_from(in, in_span), name, expr->span, context);
}

std::string Evaluator::layer_path(const ast::Name* name, std::string_view kind, Span span, Context& context) {
  if (!name) return context.names->next(kind, span);
  if (const Span* other = context.names->reserve(name->text, name->span); other && !(*other == name->span)) {
    error(Code::N0203, name->span, "`" + name->text + "` is declared twice", "", context)
        .label(*other, "this layer has the name already")
        .help("rename one of them");
    return context.names->next(kind, span);   // weights of its own, so that nothing else goes wrong
  }
  return context.names->path(name->text);
}

void Evaluator::bind_as(const ast::Name& name, const Value& value, const std::string& path, Context& context) {
  Value bound = value;
  if (const auto* tensor = value.as<Tensor>()) bound = Tensor{tensor->node, path};
  if (context.repeat && context.frame) context.frame->repeat_names.emplace_back(name.text, context.repeat->span);
  bind_name(name, std::move(bound), "layer", context);
}

std::optional<std::vector<Value>> Evaluator::repeat_values(const ast::Repeat& repeat, Context& context) {
  const Value over = evaluate(*repeat.over, context);
  if (over.unknown()) return std::nullopt;
  const Span span = repeat.over->span;
  std::vector<Value> values;
  int64_t begin = 0, count = 0;
  if (const auto* i = over.as<int64_t>()) {
    count = *i;
    if (repeat.pattern) {
      error(Code::N0303, span, "`in` wants a range or a list, got a whole number", "", context)
          .fix("count from 0", span, "0 ..< " + print(*repeat.over), Confidence::certain);
      return std::nullopt;
    }
  } else if (const auto* range = over.as<Range>(); range && range->whole) {
    begin = range->begin;
    if (__builtin_sub_overflow(range->end, range->begin, &count)) count = kMostUses + 1;
  } else if (const auto* items = over.items()) {
    values = *items;
    count = static_cast<int64_t>(values.size());
  } else {
    const bool fraction = over.is<Float>() || over.is<Range>();
    error(fraction ? Code::N0302 : Code::N0303, span,
          fraction ? "a repeat count must be a whole number, got " + show(over, graph())
                   : "a repeat wants a count, a range or a list, got " + kind_of(over),
          "", context);
    return std::nullopt;
  }
  if (count < 0 || count > kMostUses) {
    Diagnostic& d = error(Code::N0308, span, "repeat count is " + std::to_string(count), "", context);
    if (!repeat.over->is<ast::IntLiteral>()) d.note("`" + print(*repeat.over) + "` is " + show(over, graph()));
    d.help(count < 0 ? "a count is 0 or more" : "a net has at most " + std::to_string(kMostUses) + " layers");
    return std::nullopt;
  }
  if (values.empty())
    for (int64_t i = 0; i < count; ++i) values.emplace_back(begin + i);
  return values;
}

Value Evaluator::evaluate_repeat(const ast::Repeat& repeat, const ast::Name* name, Span span, const Value& in, Span in_span,
                                 Context& context) {
  const auto values = repeat_values(repeat, context);
  const auto check_inside = [&] {
    Scope scope(context.scope);
    Context inner = context;
    inner.scope = &scope;
    if (repeat.pattern)
      for (const ast::Name& n : repeat.pattern->names) scope.bind(n.text, {Unknown{}, n.span, "repeat", true});
    for (const ast::Stage& stage : repeat.stages) check_stage_names(stage, inner);
  };
  if (!values || !context.names || !net_) {
    if (values) error(Code::N0303, span, "`repeat` stands in nets and blocks", "", context);
    check_inside();
    if (name) bind_as(*name, Unknown{}, "", context);
    return Unknown{};
  }
  const std::string path = layer_path(name, "repeat", span, context);
  net_->instances.insert(path);
  const auto type_of = [&](const Value& value) {
    std::vector<TensorType> types;
    for (const GivenArgument& argument : piped_from(value, span))
      if (const auto* tensor = argument.value.as<Tensor>()) types.push_back(net_->graph[tensor->node].type);
    return types;
  };
  const size_t row = net_->rows.size();
  net_->rows.push_back({context.depth, name ? name->text : "",
                        (repeat.shared ? "repeat shared " : "repeat ") + std::to_string(values->size()), type_of(in), {}, 0,
                        true, kNoNode, span});
  const int64_t weights_before = net_->trainable;
  if (values->empty()) check_inside();
  Value value = in;
  Span value_span = in_span;
  for (size_t i = 0; i < values->size() && !value.unknown(); ++i) {
    Scope scope(context.scope);
    const std::string copy_path = repeat.shared ? path : path + "." + std::to_string(i);
    net_->instances.insert(copy_path);
    const bool again = repeat.shared && i > 0;
    LayerNames names(copy_path, context.names->use() + (again ? "@" + std::to_string(i + 1) : ""));
    Context inner = context;
    inner.scope = &scope;
    inner.names = &names;
    inner.repeat = &repeat;
    inner.depth = context.depth + 2;
    if (repeat.pattern && !bind_pattern(*repeat.pattern, (*values)[i], repeat.over->span, "repeat", inner)) {
      value = Unknown{};
      break;
    }
    const size_t copy_row = net_->rows.size();
    const int64_t copy_before = net_->trainable;
    net_->rows.push_back({context.depth + 1, std::to_string(i), "", type_of(value), {}, 0, true, kNoNode, span});
    for (const ast::Stage& stage : repeat.stages) {
      if (value.unknown()) {
        check_stage_names(stage, inner);
        continue;
      }
      value = evaluate_stage(stage, value, value_span, inner);
      value_span = stage.span;
    }
    ShapeRow& copy = net_->rows[copy_row];
    copy.out = type_of(value);
    copy.weights = net_->trainable - copy_before;
    if (const auto* tensor = value.as<Tensor>()) copy.node = tensor->node;
  }
  ShapeRow& made = net_->rows[row];
  made.weights = net_->trainable - weights_before;
  made.out = type_of(value);
  if (const auto* tensor = value.as<Tensor>()) {
    made.node = tensor->node;
    if (const auto* first = in.as<Tensor>()) net_->stages.push_back({context.frame->id, first->node, tensor->node, span, nullptr, false, false});
  }
  if (name) bind_as(*name, value, path, context);
  return value;
}

}  // namespace netc::sema
