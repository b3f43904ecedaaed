// How a train is fitted: optimizer, schedule, clipping, frozen weights.
#include "compiler/layers/training_tables.h"
#include "compiler/sema/train_reader.h"

namespace netc::sema {
namespace {

// A path against a pattern with `*` for any text.
bool matches(std::string_view pattern, std::string_view path) {
  size_t p = 0, s = 0, star = std::string_view::npos, back = 0;
  while (s < path.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      back = s;
    } else if (p < pattern.size() && pattern[p] == path[s]) {
      ++p;
      ++s;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      s = ++back;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

void TrainReader::read_optimizer() {
  const ast::Expr* expr = record_.expr("optimizer");
  if (!expr) return;
  const Signature* row = evaluator_.find_row(*expr, optimizer_table(), "optimizer", context_);
  const auto arguments = row ? evaluator_.bind(*row, Evaluator::arguments_of(*expr), expr->span, nullptr, context_) : std::nullopt;
  if (!arguments) {
    sound_ = false;
    return;
  }
  if (!row->available) result_.unavailable.push_back({"optimizer `" + row->name + "`", expr->span});
  spec().optimizer.name = row->name;
  spec().optimizer.span = expr->span;
  for (const ParameterRow& parameter : row->parameters) {
    const double value = parameter.kind == ParameterKind::boolean ? (arguments->flag(parameter.name) ? 1.0 : 0.0)
                                                                   : arguments->number(parameter.name);
    spec().optimizer.arguments.emplace_back(parameter.name, value);
  }
  spec().learning_rate = arguments->number("lr");
  if (row->name == "sgd" && arguments->flag("nesterov") && arguments->number("momentum") == 0)
    fail(Code::N0307, arguments->span("nesterov"), "`nesterov` needs `momentum`").help("for example `momentum: 0.9`");
}

void TrainReader::read_schedule() {
  const ast::Expr* expr = record_.expr("schedule");
  if (!expr) return;
  const Signature* row = evaluator_.find_row(*expr, schedule_table(), "schedule", context_);
  const auto arguments = row ? evaluator_.bind(*row, Evaluator::arguments_of(*expr), expr->span, nullptr, context_) : std::nullopt;
  if (!arguments) {
    sound_ = false;
    return;
  }
  if (!row->available) result_.unavailable.push_back({"schedule `" + row->name + "`", expr->span});
  ScheduleSpec& schedule = spec().schedule;
  schedule.kind = row->name;
  if (row->find("gamma")) schedule.gamma = arguments->number("gamma");
  if (row->find("every"))
    if (const auto* every = arguments->as<Progress>("every")) schedule.every = *every;
  if (row->find("to")) schedule.to = arguments->number("to");
  if (row->find("over"))
    if (const auto* over = arguments->as<Progress>("over")) schedule.over = *over;
  if (row->find("warmup"))
    if (const auto* warmup = arguments->as<Progress>("warmup")) {
      schedule.warmup = *warmup;
      warmup_span_ = arguments->span("warmup");
    }
  if (row->name == "step" && !(schedule.every.amount > 0))
    fail(Code::N0310, arguments->span("every"), "`every` must lie above 0");
  if (row->find("at"))
    if (const auto* at = arguments->as<ProgressList>("at"); at && !at->empty()) {
      last_point_ = at->back();
      points_span_ = arguments->span("at");
    }
  if (row->find("monitor")) check_monitor(arguments->word("monitor"), arguments->span("monitor"));
}

void TrainReader::read_lr_scaling() {
  const ast::Expr* expr = record_.expr("lr_scaling");
  if (!expr || expr->is<ast::NoneLiteral>()) return;
  static const std::vector<Signature> table = [] {
    std::vector<Signature> rows(2);
    rows[0].name = "linear";
    rows[1].name = "sqrt";
    for (Signature& row : rows) row.parameters = {required_named(integer("base", "", 1))};
    return rows;
  }();
  const Signature* row = evaluator_.find_row(*expr, table, "rule for lr_scaling", context_);
  const auto arguments = row ? evaluator_.bind(*row, Evaluator::arguments_of(*expr), expr->span, nullptr, context_) : std::nullopt;
  if (!arguments) {
    sound_ = false;
    return;
  }
  spec().lr_scaling = row->name;
  spec().lr_scaling_base = static_cast<double>(arguments->integer("base"));
}

void TrainReader::read_clip() {
  const ast::Expr* expr = record_.expr("clip");
  if (!expr || expr->is<ast::NoneLiteral>()) return;
  static const std::vector<Signature> table = [] {
    std::vector<Signature> rows(2);
    rows[0].name = "global_norm";
    rows[1].name = "value";
    for (Signature& row : rows) row.parameters = {required(positive("limit"))};
    return rows;
  }();
  const Signature* row = evaluator_.find_row(*expr, table, "way to clip", context_);
  const auto arguments = row ? evaluator_.bind(*row, Evaluator::arguments_of(*expr), expr->span, nullptr, context_) : std::nullopt;
  if (!arguments) {
    sound_ = false;
    return;
  }
  spec().clip.kind = row->name == "value" ? ClipSpec::Kind::value : ClipSpec::Kind::global_norm;
  spec().clip.limit = arguments->number("limit");
}

void TrainReader::read_rest() {
  for (const char* name : {"mix", "ema"})
    if (const ast::Property* property = record_.find(name))
      result_.unavailable.push_back({"`" + std::string(name) + "` of train", property->span});
  if (const ast::Expr* expr = record_.expr("init_from")) {
    const Value value = evaluator_.evaluate(*expr, context_);
    if (const auto* text = value.as<Text>()) {
      spec().init_from = text->value;
      spec().init_from_span = expr->span;
    } else if (!value.unknown() && !value.is<None>()) {
      fail(Code::N0303, expr->span, "`init_from` wants the path of a file as a string, got " + kind_of(value));
    }
  }
  if (const ast::Expr* expr = record_.expr("freeze")) read_freeze(*expr);
}

// Path patterns with `*`; a pattern that matches nothing is an error.
void TrainReader::read_freeze(const ast::Expr& expr) {
  const auto* list = expr.as<ast::ListExpr>();
  std::vector<const ast::Expr*> items;
  if (list)
    for (const ast::ExprPtr& item : list->items) items.push_back(item.get());
  else
    items.push_back(&expr);
  for (const ast::Expr* item : items) {
    const Value value = evaluator_.evaluate(*item, context_);
    const auto* pattern = value.as<Text>();
    if (!pattern) {
      if (!value.unknown()) fail(Code::N0303, item->span, "`freeze` wants path patterns as strings, got " + kind_of(value));
      sound_ = false;
      continue;
    }
    bool found = false;
    std::vector<std::string> paths;
    for (Parameter& parameter : net().graph.parameters) {
      paths.push_back(parameter.path);
      if (!matches(pattern->value, parameter.path)) continue;
      found = true;
      parameter.trainable = false;
    }
    if (found || !net_sound_) continue;
    Diagnostic& d = fail(Code::N0506, item->span, "freeze pattern `" + pattern->value + "` matches nothing");
    if (const auto close = suggest(pattern->value, paths)) d.help("the closest path is `" + *close + "`");
    else if (!paths.empty()) d.note("paths here: " + paths.front() + " ... " + paths.back());
  }
}

}  // namespace netc::sema
