// How long a train runs, on which batches, and what is measured on the way.
#include <algorithm>
#include <cmath>

#include "compiler/sema/plan_analysis.h"
#include "compiler/sema/train_reader.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

std::optional<int64_t> TrainReader::read_count(std::string_view name, int64_t low, ast::Unit unit) {
  const ast::Expr* expr = record_.expr(name);
  if (!expr) return std::nullopt;
  const Value value = evaluator_.evaluate(*expr, context_);
  const auto* i = value.as<int64_t>();
  if (i && *i >= low) return *i;
  sound_ = false;
  if (value.unknown()) return std::nullopt;
  if (i) {
    fail(Code::N0310, expr->span, "`" + std::string(name) + "` must lie in " + std::to_string(low) + " and above, got " + std::to_string(*i));
  } else if (const auto* q = value.as<Quantity>(); q && q->unit == unit) {
    fail(Code::N0303, expr->span, "`" + std::string(name) + "` counts " + std::string(name) + " already")
        .fix("leave the unit out", expr->span, show_whole(q->value), Confidence::certain);
  } else {
    fail(value.is<Float>() ? Code::N0302 : Code::N0303, expr->span,
         "`" + std::string(name) + "` must be a whole number, got " + (value.is<Float>() ? show(value, nullptr) : kind_of(value)));
  }
  return std::nullopt;
}

std::string TrainReader::show_whole(double value) { return std::to_string(static_cast<int64_t>(value)); }

void TrainReader::read_length() {
  const ast::Property *epochs = record_.find("epochs"), *steps = record_.find("steps");
  spec().epochs = read_count("epochs", 1, ast::Unit::epochs);
  spec().steps = read_count("steps", 1, ast::Unit::steps);
  if (epochs && steps) {
    fail(Code::N0606, steps->key.span, "give `epochs` or `steps`, one of them").label(epochs->key.span, "the other one");
  } else if (!epochs && !steps && !declaration_.broken) {
    fail(Code::N0606, declaration_.name.span, "give `epochs` or `steps`, one of them").help("for example `epochs: 20`");
  }
  const Progress& warmup = spec().schedule.warmup;
  const auto& whole = warmup.epochs ? spec().epochs : spec().steps;
  if (whole && warmup.amount > static_cast<double>(*whole)) {
    const char* unit = warmup.epochs ? " epochs" : " steps";
    fail(Code::N0611, warmup_span_, "warm-up of " + plain(warmup.amount) + unit + " in a run of " + std::to_string(*whole) + unit);
  }
  if (last_point_) {
    const auto& end = last_point_->epochs ? spec().epochs : spec().steps;
    if (end && last_point_->amount >= static_cast<double>(*end))
      fail(Code::N0610, points_span_, "schedule points must rise and end before the run does (" + std::to_string(*end) + ")");
  }
}

std::string TrainReader::plain(double value) {
  return value == std::floor(value) ? show_whole(value) : show_number(value);
}

void TrainReader::read_batch() {
  const ast::Property* property = record_.find("batch");
  const ast::Expr* expr = record_.expr("batch");
  if (!property || !expr) return;
  spec().batch_span = property->value_span;
  const auto batch = read_count("batch", 1, ast::Unit::samples);
  if (!batch) return;
  spec().batch = *batch;
  if (property->scope == ast::Scope::total) {
    spec().batch_scope = BatchScope::total;
  } else if (property->scope == ast::Scope::per) {
    if (property->per.text == "tower") spec().batch_scope = BatchScope::per_tower;
    else if (property->per.text == "host") spec().batch_scope = BatchScope::per_host;
    else {
      Diagnostic& d = fail(Code::N0701, property->value_span, "say what " + std::to_string(*batch) + " counts: `per tower` or `total`");
      d.choose("write one of", property->value_span, {std::to_string(*batch) + " per tower", std::to_string(*batch) + " total"});
    }
  } else {
    report_bare_batch(*batch, property->value_span);
  }
  if (plan_) check_batch(*plan_, *batch, spec().batch_scope, property->value_span, evaluator_.diagnostics());
}

// Both readings, worked out for the plan as far as it is known.
void TrainReader::report_bare_batch(int64_t batch, Span span) {
  Diagnostic& d = fail(Code::N0701, span, "say what " + std::to_string(batch) + " counts: `per tower` or `total`");
  const int64_t towers = plan_ ? tower_count(*plan_, gpus_) : 0;
  int64_t samples = 0;
  for (const ReaderSpec& split : data_.spec.splits)
    if (split.split == "train" && split.reader == "synthetic") samples = split.samples;
  const auto updates = [&](int64_t of) { return samples > 0 ? ", " + std::to_string((samples + of - 1) / of) + " updates per epoch" : std::string(); };
  if (towers > 0) {
    const int64_t each = batch * towers * plan_->accumulate;
    const std::string plan_name = plan_->name.empty() ? "the implied plan" : "plan `" + plan_->name + "`";
    const std::string number = std::to_string(batch);
    d.note("with " + plan_name + " (" + std::to_string(towers) + (towers == 1 ? " tower" : " towers") +
           (plan_->accumulate > 1 ? ", " + std::to_string(plan_->accumulate) + " passes" : "") + "):\n" + number +
           " per tower   " + std::to_string(each) + " samples per update" + updates(each) + "\n" + number + " total       " +
           number + " samples per update" + updates(batch));
  } else {
    d.note("`per tower`: every tower gets " + std::to_string(batch) + " in every pass, so that the update grows with the machine\n" +
           "`total`: " + std::to_string(batch) + " samples an update on every machine");
  }
  d.choose("write one of", span, {std::to_string(batch) + " per tower", std::to_string(batch) + " total"});
}

void TrainReader::read_seed() {
  if (const auto seed = read_count("seed", 0, ast::Unit::samples)) spec().seed = static_cast<uint64_t>(*seed);
}

bool TrainReader::needs_validation(std::string_view field, Span span) {
  if (!has_data_ || data_.has_split("validation") || !data_.sound) return true;
  fail(Code::N0613, span, "`" + std::string(field) + "` needs a validation split")
      .help("in `data " + data_.spec.name + "`: `validation: take(train, 10%, seed: 1)`");
  return false;
}

void TrainReader::read_validation() {
  if (has_data_ && data_.has_split("validation")) spec().validate = Progress{1, true};
  const ast::Expr* expr = record_.expr("validate");
  if (!expr) return;
  const Value value = evaluator_.evaluate(*expr, context_);
  const auto* q = value.as<Quantity>();
  if (!q || (q->unit != ast::Unit::epochs && q->unit != ast::Unit::steps) || !(q->value > 0)) {
    if (!value.unknown()) {
      Diagnostic& d = fail(q ? Code::N0304 : Code::N0303, expr->span, "`validate` wants epochs or steps, got " + kind_of(value));
      if (number_of(value)) d.choose("say what it counts", expr->span, {show(value, nullptr) + "steps", show(value, nullptr) + "epochs"});
    }
    sound_ = false;
    return;
  }
  if (needs_validation("validate", record_.find("validate")->key.span)) spec().validate = Progress{q->value, q->unit == ast::Unit::epochs};
}

// `validation.accuracy`: a split and what is measured on it.
bool TrainReader::check_monitor(const std::string& monitor, Span span) {
  const size_t dot = monitor.find('.');
  const std::string split = monitor.substr(0, dot), name = monitor.substr(dot + 1);
  if (split != "validation" && split != "train") {
    fail(Code::N0609, span, "`" + monitor + "` is not measured").help("a monitor is a split and a metric: `validation.loss`");
    return false;
  }
  if (split == "validation" && !needs_validation("monitor", span)) return false;
  std::vector<std::string> names = all_metrics_;
  names.push_back("loss");
  for (const std::string& term : spec().losses) names.push_back(term);
  if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  Diagnostic& d = fail(Code::N0609, span, "`" + name + "` is not measured on " + split);
  d.note("measured are: " + join(names));
  if (const auto close = suggest(name, names)) d.fix("did you mean `" + *close + "`?", span, split + "." + *close, Confidence::guess);
  return false;
}

void TrainReader::read_early_stop() {
  const ast::Record* record = record_.record("early_stop");
  if (!record) return;
  static const std::vector<RecordField> fields = {{"monitor", "validation.loss", true, false},
                                                  {"patience", "5epochs", true, false},
                                                  {"min_delta", "0", false, false},
                                                  {"restore", "best", true, false}};
  RecordReader reader(*record, fields, Code::N0604, "early_stop", evaluator_, context_);
  if (!reader.has_required(Code::N0605, "`early_stop`", record_.find("early_stop")->key.span, false)) {
    sound_ = false;
    return;
  }
  EarlyStop stop;
  if (const ast::Expr* expr = reader.expr("monitor")) {
    const auto* member = expr->as<ast::MemberExpr>();
    const auto* split = member ? member->object->as<ast::NameRef>() : nullptr;
    if (!split) {
      fail(Code::N0303, expr->span, "`monitor` wants a split and a metric, got `" + print(*expr) + "`").help("for example `validation.loss`");
    } else {
      stop.monitor = split->name + "." + member->member.text;
      if (check_monitor(stop.monitor, expr->span)) stop.higher_is_better = is_higher_better(member->member.text);
    }
  }
  if (const ast::Expr* expr = reader.expr("patience")) {
    const Value value = evaluator_.evaluate(*expr, context_);
    const auto* q = value.as<Quantity>();
    if (q && (q->unit == ast::Unit::epochs || q->unit == ast::Unit::steps)) stop.patience = {q->value, q->unit == ast::Unit::epochs};
    else if (!value.unknown()) fail(q ? Code::N0304 : Code::N0303, expr->span, "`patience` wants epochs or steps, got " + kind_of(value));
    else sound_ = false;
  }
  if (const ast::Expr* expr = reader.expr("min_delta")) {
    const auto number = number_of(evaluator_.evaluate(*expr, context_));
    if (number && *number >= 0) stop.min_delta = *number;
    else fail(Code::N0303, expr->span, "`min_delta` wants a number of at least 0, got `" + print(*expr) + "`");
  }
  if (const ast::Expr* expr = reader.expr("restore")) {
    const auto* word = expr->as<ast::NameRef>();
    if (word && (word->name == "best" || word->name == "last")) stop.restore_best = word->name == "best";
    else fail(Code::N0303, expr->span, "`restore` wants best or last, got `" + print(*expr) + "`");
  }
  spec().early_stop = stop;
}

bool TrainReader::is_higher_better(const std::string& name) const {
  for (size_t i = 0; i < result_.spec.metrics.size(); ++i) {
    if (result_.spec.metrics[i] != name) continue;
    const std::string& kind = result_.spec.metric_kinds[i];
    return kind != "mse" && kind != "rmse" && kind != "mae" && kind != "perplexity" && kind != "mape";
  }
  return false;   // a loss
}

}  // namespace netc::sema
