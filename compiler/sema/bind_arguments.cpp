// Arguments of rows of the standard library: which parameter each is for, and whether it is of the right kind and range.
#include <cmath>

#include "compiler/layers/initializers.h"
#include "compiler/sema/evaluator.h"
#include "compiler/sema/foreign_names.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

const ast::NameRef* name_in(const ast::Expr& expr, const std::vector<std::string>& words) {
  const auto* name = expr.as<ast::NameRef>();
  if (!name) return nullptr;
  for (const std::string& word : words)
    if (word == name->name) return name;
  return nullptr;
}

// Kinds that read the tree and not a value.
bool takes_words(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::word:
    case ParameterKind::initializer:
    case ParameterKind::split:
    case ParameterKind::monitor:
    case ParameterKind::reader:
    case ParameterKind::stages: return true;
    default: return false;
  }
}

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

std::string range_text(const ParameterRow& row) {
  const bool low = std::isfinite(row.low) && row.low > -9e18, high = std::isfinite(row.high);
  const auto bound = [&](double value) {
    return row.kind == ParameterKind::number || row.kind == ParameterKind::numbers || value != std::floor(value)
               ? (value == std::floor(value) ? std::to_string(static_cast<int64_t>(value)) : show_number(value))
               : std::to_string(static_cast<int64_t>(value));
  };
  if (low && high) return bound(row.low) + (row.high_excluded ? " ..< " : " .. ") + bound(row.high);
  if (low) return row.low_excluded ? "numbers above " + bound(row.low) : bound(row.low) + " and above";
  return "up to " + bound(row.high);
}

bool in_range(const ParameterRow& row, double value) {
  if (std::isnan(value)) return false;
  if (value < row.low || (row.low_excluded && value == row.low)) return false;
  return value < row.high || (!row.high_excluded && value == row.high);
}

std::string plain_number(double value) {
  return value == std::floor(value) && std::fabs(value) < 1e15 ? std::to_string(static_cast<int64_t>(value)) : show_number(value);
}

}  // namespace

const std::string* Evaluator::called_name(const ast::Expr& expr) {
  if (const auto* name = expr.as<ast::NameRef>()) return &name->name;
  if (const auto* call = expr.as<ast::CallExpr>())
    if (const auto* name = call->callee->as<ast::NameRef>()) return &name->name;
  return nullptr;
}

const std::vector<ast::Arg>& Evaluator::arguments_of(const ast::Expr& expr) {
  static const std::vector<ast::Arg> none;
  const auto* call = expr.as<ast::CallExpr>();
  return call ? call->args : none;
}

void Evaluator::report_unknown_argument(const Signature& signature, const ast::Arg& arg, Context& context) {
  const std::string& given = arg.name->text;
  Diagnostic& d = error(Code::N0301, arg.name->span, "`" + signature.name + "` has no argument `" + given + "`", "", context);
  d.note(to_text(signature));
  std::vector<std::string> names;
  for (const ParameterRow& row : signature.parameters) names.push_back(row.name);
  if (given == "activation") {
    d.help("an activation is a stage of its own: `|> " + signature.name + "(...) |> relu`");
  } else if (const auto known = foreign_argument(given, names)) {
    d.fix("the name here is `" + *known + "`", arg.name->span, *known, Confidence::certain);
  } else if (const auto close = suggest(given, names)) {
    d.fix("did you mean `" + *close + "`?", arg.name->span, *close, Confidence::guess);
  }
}

void Evaluator::report_missing(const Signature& signature, const ParameterRow& row, Span call, Context& context) {
  Diagnostic& d = error(Code::N0307, call, "`" + signature.name + "` needs `" + row.name + "`", "", context);
  d.note(to_text(signature));
  if (!signature.summary.empty()) d.note(signature.summary);
}

std::optional<Arguments> Evaluator::bind(const Signature& signature, const std::vector<ast::Arg>& args, Span call,
                                         std::vector<GivenArgument>* tensors, Context& context) {
  Arguments result(signature);
  std::vector<Span> given(signature.parameters.size());
  bool sound = true;
  size_t next = 0;   // the parameter that the next unnamed argument is for
  for (const ast::Arg& arg : args) {
    const ast::Expr& expr = *arg.value;
    size_t at = 0;
    if (arg.name) {
      while (at < signature.parameters.size() && signature.parameters[at].name != arg.name->text) ++at;
      if (at == signature.parameters.size()) {
        if (!signature.any_names) report_unknown_argument(signature, arg, context);
        if (!signature.any_names) sound = false;
        continue;
      }
      if (given[at].known()) {
        error(Code::N0306, arg.name->span, "`" + arg.name->text + "` is given twice", "", context).label(given[at], "first here");
        sound = false;
        continue;
      }
    } else {
      while (next < signature.parameters.size() && (!signature.parameters[next].positional || given[next].known())) ++next;
      const bool as_word = next < signature.parameters.size() && takes_words(signature.parameters[next].kind);
      if (tensors && !as_word) {   // `scale_channels(s)`, `softmax(logits)`
        Value value = evaluate(expr, context);
        if (value.is<Tensor>()) {
          tensors->push_back({nullptr, std::move(value), expr.span});
          continue;
        }
        if (value.unknown()) {
          sound = false;
          continue;
        }
      }
      if (next == signature.parameters.size()) {
        const int most = signature.positional_count();
        std::string names;
        for (const ParameterRow& row : signature.parameters)
          if (row.positional) names += (names.empty() ? "" : ", ") + row.name;
        Diagnostic& d = error(Code::N0305, expr.span,
                              "`" + signature.name + "` takes " +
                                  (most == 0 ? std::string("no unnamed values")
                                             : "at most " + std::to_string(most) +
                                                   (most == 1 ? " unnamed value (" : " unnamed values (") + names + ")"),
                              "", context);
        d.note(to_text(signature));
        const auto* name = expr.as<ast::NameRef>();
        if (name && find_layer(name->name) && find_layer(name->name)->parameters.empty())
          d.help("an activation is a stage of its own: `|> " + name->name + "`");
        else
          d.help("write it as `name: value`");
        sound = false;
        continue;
      }
      at = next;
    }
    given[at] = arg.span;
    const ParameterRow& row = signature.parameters[at];
    ArgumentValue value;
    if (convert(row, expr, &value, context))
      result.set(row.name, std::move(value), expr.span);
    else
      sound = false;
  }
  for (size_t i = 0; sound && i < signature.parameters.size(); ++i)
    if (signature.parameters[i].required && !given[i].known()) {
      report_missing(signature, signature.parameters[i], call, context);
      sound = false;
    }
  if (!sound) return std::nullopt;
  return result;
}

void Evaluator::report_wrong_kind(const ParameterRow& row, const Value& value, Span span, std::string_view wanted,
                                  Context& context) {
  if (value.unknown()) return;
  const bool quantities = value.is<Quantity>() && (row.kind == ParameterKind::progress || row.kind == ParameterKind::progress_list ||
                                                   row.kind == ParameterKind::share);
  Diagnostic& d = error(quantities ? Code::N0304 : Code::N0303, span,
                        "`" + row.name + "` wants " + std::string(wanted) + ", got " + kind_of(value), "", context);
  if ((row.kind == ParameterKind::progress || row.kind == ParameterKind::progress_list) && number_of(value))
    d.choose("say what it counts", span, {show(value, nullptr) + "steps", show(value, nullptr) + "epochs"});
  if (row.kind == ParameterKind::word || row.kind == ParameterKind::padding)
    if (const auto* text = value.as<Text>())
      for (const std::string& word : row.words)
        if (word == text->value) d.fix("words are written without quotes", span, word, Confidence::certain);
}

bool Evaluator::convert_number(const ParameterRow& row, const Value& value, Span span, double* result, Context& context) {
  const auto number = number_of(value);
  if (!number) {
    report_wrong_kind(row, value, span, "a number", context);
    return false;
  }
  if (!in_range(row, *number)) {
    Diagnostic& d = error(Code::N0310, span, "`" + row.name + "` must lie in " + range_text(row) + ", got " + plain_number(*number),
                          "", context);
    if (row.high == 1 && *number > 1 && *number <= 100)
      d.fix("a share is written in percent", span, plain_number(*number) + "%", Confidence::guess);
    return false;
  }
  *result = *number;
  return true;
}

bool Evaluator::convert_integer(const ParameterRow& row, const Value& value, Span span, int64_t* result, Context& context) {
  if (const auto* f = value.as<Float>()) {
    Diagnostic& d = error(Code::N0302, span, "`" + row.name + "` must be a whole number, got " + show(value, nullptr), "", context);
    const double down = std::floor(f->value), up = std::ceil(f->value);
    if (row.kind == ParameterKind::padding)
      d.help("an even window has no middle: `same` pads one more at the end");
    else if (std::fabs(f->value) < 1e15)
      d.note("the nearest whole numbers are " + plain_number(down) + (down == up ? "" : " and " + plain_number(up)));
    return false;
  }
  const auto* i = value.as<int64_t>();
  if (!i) {
    report_wrong_kind(row, value, span, "a whole number", context);
    return false;
  }
  if (!in_range(row, static_cast<double>(*i))) {
    error(Code::N0310, span, "`" + row.name + "` must lie in " + range_text(row) + ", got " + std::to_string(*i), "", context);
    return false;
  }
  *result = *i;
  return true;
}

bool Evaluator::convert_integers(const ParameterRow& row, const Value& value, Span span, Integers* result, Context& context) {
  if (const auto* items = value.items()) {
    for (const Value& item : *items) {
      if (const auto* inner = item.items(); inner && row.kind == ParameterKind::padding) {   // [[top, bottom], [left, right]]
        for (const Value& entry : *inner) {
          int64_t i = 0;
          if (!convert_integer(row, entry, span, &i, context)) return false;
          result->push_back(i);
        }
        continue;
      }
      int64_t i = 0;
      if (!convert_integer(row, item, span, &i, context)) return false;
      result->push_back(i);
    }
    if (result->size() > 64) {
      error(Code::N0303, span, "`" + row.name + "` has " + std::to_string(result->size()) + " entries", "", context);
      return false;
    }
    return true;
  }
  int64_t i = 0;
  if (!convert_integer(row, value, span, &i, context)) return false;
  result->push_back(i);
  return true;
}

bool Evaluator::convert_word(const ParameterRow& row, const ast::Expr& expr, ArgumentValue* result, Context& context) {
  if (const auto* name = name_in(expr, row.words)) {
    if (context.scope)
      if (const Binding* binding = context.scope->find(name->name))
        warning(Code::W1116, expr.span, "`" + name->name + "` here is the word, not your `let " + name->name + "`", "", context)
            .label(binding->declared, "this one is not meant")
            .help("rename the let");
    *result = name->name;
    return true;
  }
  if (const auto* name = expr.as<ast::NameRef>(); name && !(context.scope && context.scope->find(name->name)) &&
                                                  !context.module->find(name->name)) {
    Diagnostic& d = error(Code::N0303, expr.span, "`" + row.name + "` wants " + join_words(row.words) + ", got `" + name->name + "`",
                          "", context);
    if (const auto close = suggest(name->name, row.words))
      d.fix("did you mean `" + *close + "`?", expr.span, *close, Confidence::guess);
    return false;
  }
  report_wrong_kind(row, evaluate(expr, context), expr.span, join_words(row.words), context);
  return false;
}

bool Evaluator::convert_initializer(const ast::Expr& expr, ArgumentValue* result, Context& context) {
  const Signature* initializer = find_row(expr, initializer_table(), "initialiser", context);
  if (!initializer) return false;
  const auto arguments = bind(*initializer, arguments_of(expr), expr.span, nullptr, context);
  if (!arguments) return false;
  if (!initializer->available) {
    error(Code::N0918, expr.span, "initialiser `" + initializer->name + "` is not available in this version", "", context);
    return false;
  }
  InitializerChoice choice;
  choice.name = initializer->name;
  for (const ParameterRow& parameter : initializer->parameters) choice.numbers.push_back(arguments->number(parameter.name));
  *result = std::move(choice);
  return true;
}

bool Evaluator::convert_progress(const ParameterRow& row, const Value& value, Span span, Progress* result, Context& context) {
  const auto* q = value.as<Quantity>();
  if (!q || (q->unit != ast::Unit::epochs && q->unit != ast::Unit::steps)) {
    report_wrong_kind(row, value, span, "epochs or steps", context);
    return false;
  }
  if (q->value < 0 || (q->unit == ast::Unit::steps && q->value != std::floor(q->value))) {
    error(Code::N0302, span, "`" + row.name + "` must be a whole number of steps, got " + q->spelling, "", context);
    return false;
  }
  *result = Progress{q->value, q->unit == ast::Unit::epochs};
  return true;
}

bool Evaluator::convert_weight(const ParameterRow& row, const Value& value, Span span, ArgumentValue* result, Context& context) {
  if (const auto* weight = value.as<Weight>()) {
    *result = WeightArgument{weight->path, weight->node, weight->transposed};
    return true;
  }
  report_wrong_kind(row, value, span, "a parameter of another layer, `table.weight`", context);
  return false;
}

bool Evaluator::convert(const ParameterRow& row, const ast::Expr& expr, ArgumentValue* result, Context& context) {
  switch (row.kind) {
    case ParameterKind::word: return convert_word(row, expr, result, context);
    case ParameterKind::initializer: return convert_initializer(expr, result, context);
    case ParameterKind::reader:
    case ParameterKind::stages: return true;   // read from the tree by whoever knows them
    case ParameterKind::split: {
      const std::vector<std::string> splits{"train", "validation", "test"};
      if (const auto* name = name_in(expr, splits)) {
        *result = name->name;
        return true;
      }
      error(Code::N0801, expr.span, "`" + print(expr) + "` is not a split", "", context).note("splits: train, validation, test");
      return false;
    }
    case ParameterKind::monitor: {
      const auto* member = expr.as<ast::MemberExpr>();
      const auto* split = member ? member->object->as<ast::NameRef>() : nullptr;
      if (split) {
        *result = split->name + "." + member->member.text;
        return true;
      }
      error(Code::N0303, expr.span, "`" + row.name + "` wants a split and a metric, got `" + print(expr) + "`", "", context)
          .help("for example `validation.loss`");
      return false;
    }
    case ParameterKind::padding:
    case ParameterKind::word_or_number:
      if (const auto* name = expr.as<ast::NameRef>(); name && !row.words.empty() &&
                                                      (name_in(expr, row.words) ||
                                                       !((context.scope && context.scope->find(name->name)) ||
                                                         context.module->find(name->name))))
        return convert_word(row, expr, result, context);
      break;
    default: break;
  }
  const Value value = evaluate(expr, context);
  if (value.unknown()) return false;
  if (value.is<None>() && (row.fallback == "none" || row.kind == ParameterKind::weight)) {
    *result = NoArgument{};
    return true;
  }
  switch (row.kind) {
    case ParameterKind::integer: {
      int64_t i = 0;
      if (!convert_integer(row, value, expr.span, &i, context)) return false;
      *result = i;
      return true;
    }
    case ParameterKind::word_or_number:
    case ParameterKind::number: {
      double number = 0;
      if (!convert_number(row, value, expr.span, &number, context)) return false;
      *result = number;
      return true;
    }
    case ParameterKind::boolean:
      if (const auto* b = value.as<bool>()) {
        *result = *b;
        return true;
      }
      report_wrong_kind(row, value, expr.span, "true or false", context);
      return false;
    case ParameterKind::text:
      if (const auto* text = value.as<Text>()) {
        *result = text->value;
        return true;
      }
      report_wrong_kind(row, value, expr.span, "a string", context);
      return false;
    case ParameterKind::texts: {
      Texts texts;
      if (const auto* text = value.as<Text>()) texts.push_back(text->value);
      if (const auto* items = value.items())
        for (const Value& item : *items)
          if (const auto* text = item.as<Text>()) texts.push_back(text->value);
      if (texts.empty() || (value.items() && texts.size() != value.items()->size())) {
        report_wrong_kind(row, value, expr.span, "a string or a list of strings", context);
        return false;
      }
      *result = std::move(texts);
      return true;
    }
    case ParameterKind::weight: return convert_weight(row, value, expr.span, result, context);
    case ParameterKind::tensor:
      if (const auto* tensor = value.as<Tensor>()) {
        *result = TensorArgument{tensor->node, print(expr)};
        return true;
      }
      report_wrong_kind(row, value, expr.span, "a tensor", context);
      return false;
    case ParameterKind::sizes:
    case ParameterKind::padding:
    case ParameterKind::shape: {
      if (row.kind == ParameterKind::shape && !value.items()) {
        report_wrong_kind(row, value, expr.span, "a list of whole numbers", context);
        return false;
      }
      ParameterRow entry = row;
      if (row.kind == ParameterKind::padding) entry.low = 0;
      Integers integers;
      if (!convert_integers(entry, value, expr.span, &integers, context)) return false;
      if (integers.empty() && row.kind != ParameterKind::shape) {
        report_wrong_kind(row, value, expr.span, "a whole number or a list of them", context);
        return false;
      }
      *result = std::move(integers);
      return true;
    }
    case ParameterKind::numbers: {
      Numbers numbers;
      const std::vector<Value> one{value};
      for (const Value& item : value.items() ? *value.items() : one) {
        double number = 0;
        if (!convert_number(row, item, expr.span, &number, context)) return false;
        numbers.push_back(number);
      }
      *result = std::move(numbers);
      return true;
    }
    case ParameterKind::progress: {
      Progress progress;
      if (!convert_progress(row, value, expr.span, &progress, context)) return false;
      *result = progress;
      return true;
    }
    case ParameterKind::progress_list: {
      ProgressList list;
      if (!value.items()) {
        report_wrong_kind(row, value, expr.span, "a list of epochs or steps", context);
        return false;
      }
      for (const Value& item : *value.items()) {
        Progress progress;
        if (!convert_progress(row, item, expr.span, &progress, context)) return false;
        if (!list.empty() && list.back().epochs == progress.epochs && list.back().amount >= progress.amount) {
          error(Code::N0610, expr.span, "schedule points must rise", "", context);
          return false;
        }
        list.push_back(progress);
      }
      *result = std::move(list);
      return true;
    }
    case ParameterKind::share: {
      if (const auto* q = value.as<Quantity>(); q && q->unit == ast::Unit::samples && q->value == std::floor(q->value)) {
        *result = Share{0, static_cast<int64_t>(q->value)};
        return true;
      }
      const auto* f = value.as<Float>();
      if (!f) {
        report_wrong_kind(row, value, expr.span, "a share (10%) or a number of samples (500samples)", context);
        return false;
      }
      if (!(f->value > 0 && f->value < 1)) {
        error(Code::N0310, expr.span, "`" + row.name + "` must lie between 0% and 100%, got " + show(value, nullptr), "", context);
        return false;
      }
      *result = Share{f->value, 0};
      return true;
    }
    case ParameterKind::part: {
      const auto* range = value.as<Range>();
      if (!range) {
        report_wrong_kind(row, value, expr.span, "a range of shares (0% ..< 80%)", context);
        return false;
      }
      if (!(range->low >= 0 && range->low < range->high && range->high <= 1)) {
        error(Code::N0310, expr.span, "`" + row.name + "` must lie in 0% ..< 100% and rise", "", context);
        return false;
      }
      *result = Part{range->low, range->high};
      return true;
    }
    default: break;
  }
  return false;
}

}  // namespace netc::sema
