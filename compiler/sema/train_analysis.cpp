#include "compiler/sema/train_analysis.h"

#include <algorithm>
#include <cmath>

#include "compiler/layers/losses.h"
#include "compiler/layers/training_tables.h"
#include "compiler/ops/op.h"
#include "compiler/sema/loss_scope.h"
#include "compiler/sema/plan_analysis.h"
#include "compiler/sema/reach.h"
#include "compiler/sema/record.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

const std::vector<RecordField>& train_fields() {
  static const std::vector<RecordField> fields = {
      {"net", "mlp", true, false},
      {"data", "mnist", true, false},
      {"inputs", "", false, false},
      {"loss", "cross_entropy(logits, label)", true, false},
      {"metrics", "", false, false},
      {"optimizer", "adam(lr: 1e-3)", true, false},
      {"schedule", "", false, false},
      {"lr_scaling", "", false, false},
      {"clip", "", false, false},
      {"batch", "128 total", true, true},
      {"epochs", "", false, false},
      {"steps", "", false, false},
      {"seed", "", false, false},
      {"validate", "", false, false},
      {"early_stop", "", false, false},
      {"mix", "", false, false},
      {"ema", "", false, false},
      {"init_from", "", false, false},
      {"freeze", "", false, false},
  };
  return fields;
}

class TrainReader {
 public:
  TrainReader(const ast::TrainDecl& train, const Module& home, const Plan* plan, int gpus, Evaluator& evaluator)
      : declaration_(train), home_(home), plan_(plan), gpus_(gpus), evaluator_(evaluator),
        record_(train.body, train_fields(), Code::N0604, "train", evaluator, with_module(context_, home)) {
    result_.spec.name = train.name.text;
    result_.spec.span = train.span;
  }

  TrainAnalysis read() {
    sound_ = record_.has_required(Code::N0605, "train `" + declaration_.name.text + "`", declaration_.name.span, declaration_.broken) &&
             !declaration_.broken;
    find_data();
    build_net();
    read_losses();
    read_metrics();
    read_optimizer();
    read_schedule();
    read_lr_scaling();
    read_clip();
    read_length();
    read_batch();
    read_seed();
    read_validation();
    read_early_stop();
    read_rest();
    if (sound_) finish();
    result_.sound = sound_;
    result_.data = std::move(data_.spec);
    result_.unavailable.insert(result_.unavailable.end(), data_.unavailable.begin(), data_.unavailable.end());
    return std::move(result_);
  }

 private:
  static Context& with_module(Context& context, const Module& home) {
    context.module = &home;
    return context;
  }
  TrainSpec& spec() { return result_.spec; }
  NetBuild& net() { return evaluator_.net(); }
  Diagnostic& fail(Code code, Span span, std::string summary) {
    sound_ = false;
    return evaluator_.error(code, span, std::move(summary), "", context_);
  }

  // ---------------------------------------------------------------- net and data
  const Symbol* find_symbol(const ast::Expr& expr, Symbol::Kind kind, std::string_view what) {
    const ast::Expr& callee = expr.is<ast::CallExpr>() ? *expr.as<ast::CallExpr>()->callee : expr;
    const Symbol* symbol = nullptr;
    std::string name = print(callee);
    const Module* where = &home_;
    if (const auto* member = callee.as<ast::MemberExpr>()) {   // r.cnn
      const auto* file = member->object->as<ast::NameRef>();
      const Symbol* module = file ? home_.find(file->name) : nullptr;
      where = module && module->kind == Symbol::Kind::module ? module->module : nullptr;
      if (where) symbol = where->find(member->member.text);
    } else if (const auto* ref = callee.as<ast::NameRef>()) {
      symbol = home_.find(ref->name);
      name = ref->name;
    }
    if (symbol && symbol->kind == kind) return symbol;
    sound_ = false;
    if (callee.is<ast::Broken>() || (where && where->incomplete && !symbol)) return nullptr;
    Diagnostic& d = fail(Code::N0202, callee.span, "`" + name + "` is not a " + std::string(what));
    if (symbol) d.label(symbol->span, std::string("it is a ") + kind_name(symbol->kind));
    std::vector<std::string> names;
    for (const std::string& own : home_.ordered)
      if (home_.find(own)->kind == kind) names.push_back(own);
    if (const auto close = suggest(name, names)) d.fix("did you mean `" + *close + "`?", callee.span, *close, Confidence::guess);
    else if (names.empty()) d.note("the file declares no " + std::string(what));
    return nullptr;
  }

  void find_data() {
    const ast::Expr* expr = record_.expr("data");
    if (!expr) return;
    const Symbol* symbol = find_symbol(*expr, Symbol::Kind::data, "data");
    if (!symbol) return;
    data_ = analyze_data(*symbol->data, *symbol->home, evaluator_);
    has_data_ = true;
    sound_ = sound_ && data_.sound;
    spec().data = data_.spec.name;
  }

  // `inputs: { input: field }`
  void read_inputs(const ast::NetDecl& declaration) {
    const ast::Record* record = record_.record("inputs");
    if (!record) return;
    std::vector<std::string> inputs;
    for (const ast::Statement& statement : declaration.statements)
      if (const auto* input = std::get_if<ast::Input>(&statement)) inputs.push_back(input->name.text);
    for (const ast::Property& property : record->properties) {
      if (std::find(inputs.begin(), inputs.end(), property.key.text) == inputs.end()) {
        Diagnostic& d = fail(Code::N0601, property.key.span, "`" + property.key.text + "` is not an input of `" + declaration.name.text + "`");
        if (const auto close = suggest(property.key.text, inputs)) d.fix("did you mean `" + *close + "`?", property.key.span, *close, Confidence::guess);
        continue;
      }
      if (renamed_.contains(property.key.text)) {
        fail(Code::N0306, property.key.span, "`" + property.key.text + "` is given twice");
        continue;
      }
      const ast::Expr* value = property.expr();
      const auto* name = value ? value->as<ast::NameRef>() : nullptr;
      if (const auto* member = value ? value->as<ast::MemberExpr>() : nullptr)
        if (const auto* object = member->object->as<ast::NameRef>(); object && object->name == "data") {
          renamed_[property.key.text] = {member->member.text, value->span};
          continue;
        }
      if (!name) fail(Code::N0303, property.value_span, "`" + property.key.text + "` wants the name of a field");
      else renamed_[property.key.text] = {name->name, value->span};
    }
  }

  NodeId input_node(const ast::Input& input, const TensorType& type) {
    const std::string& name = input.name.text;
    const auto as_declared = [&] { return net().builder.at(input.span).input(name, type); };
    if (!has_data_) return as_declared();
    const auto renamed = renamed_.find(name);
    const std::string field_name = renamed == renamed_.end() ? name : renamed->second.first;
    const FieldAnalysis* field = data_.field(field_name);
    if (!field) {
      if (data_.declaration->broken) return as_declared();
      std::vector<std::string> names;
      for (const FieldAnalysis& other : data_.fields) names.push_back(other.spec.name);
      if (renamed != renamed_.end()) {
        Diagnostic& d = fail(Code::N0802, renamed->second.second, "`" + field_name + "` is not a field of `" + data_.spec.name + "`");
        if (const auto close = suggest(field_name, names)) d.fix("did you mean `" + *close + "`?", renamed->second.second, *close, Confidence::guess);
      } else {
        Diagnostic& d = fail(Code::N0802, input.name.span, "input `" + name + "` has no field of that name in `" + data_.spec.name + "`");
        d.label(data_.declaration->name.span, "its fields: " + join(names));
        if (const auto close = suggest(name, names)) d.fix("did you mean `" + *close + "`?", input.name.span, *close, Confidence::guess);
        else if (!names.empty()) d.help("bind it to another field: `inputs: { " + name + ": " + names[0] + " }` in the train");
      }
      return as_declared();
    }
    if (!field->sound) return as_declared();
    if (field->type.tensor != type) {
      Diagnostic& d = fail(Code::N0803, input.type.span, "input `" + name + "` is " + to_string(type) + ", field is " + to_string(field->type.tensor));
      d.label(field->declaration->span, "the field, after its stages");
      const TensorType& found = field->type.tensor;
      if (found.shape == type.shape && found.dtype == DType::u8 && type.dtype == DType::f32)
        d.help("bring the field there: `field " + field->spec.name + ": ... |> to_float(scale: 1/255)`");
      else if (found.classes > 0 && type.dtype == DType::f32)
        d.help("bring the field there with `one_hot`, or declare the input class(" + std::to_string(found.classes) + ")");
      else
        d.fix("declare the input as the field is", input.type.span, as_written(found), Confidence::guess);
      return as_declared();
    }
    spec().inputs.emplace_back(name, field->spec.name);
    const NodeId node = build_field(*field, name, net());
    fed_[field->spec.name] = node;
    return node;
  }

  static std::string as_written(const TensorType& type) {
    std::string text = type.classes > 0 ? "class(" + std::to_string(type.classes) + ")" : dtype_name(type.dtype);
    if (type.shape.empty()) return text;
    text += "[";
    for (size_t i = 0; i < type.shape.size(); ++i) text += (i ? ", " : "") + std::to_string(type.shape[i]);
    return text + "]";
  }
  static std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
  }

  void build_net() {
    const ast::Expr* expr = record_.expr("net");
    if (!expr) return;
    const Symbol* symbol = find_symbol(*expr, Symbol::Kind::net, "net");
    if (!symbol) return;
    net_ = symbol->net;
    result_.net_declaration = symbol->net;
    spec().net = net_->name.text;
    read_inputs(*net_);
    std::vector<GivenArgument> given;
    for (const ast::Arg& arg : Evaluator::arguments_of(*expr))
      given.push_back({arg.name ? &*arg.name : nullptr, evaluator_.evaluate(*arg.value, context_), arg.value->span});
    const InputSource source = [&](const ast::Input& input, const TensorType& type) { return input_node(input, type); };
    net_sound_ = evaluator_.build_net(*net_, *symbol->home, given, expr->span, source, &outputs_);
    sound_ = sound_ && net_sound_;
    for (const NetOutput& output : outputs_)
      if (output.value.unknown()) net_sound_ = false;
  }

  // ---------------------------------------------------------------- loss and metrics
  LossScope loss_scope() {
    return LossScope{net_ ? net_->name.text : "", net_, outputs_, has_data_ ? &data_ : nullptr,
                     [this](const FieldAnalysis& field) { return target_node(field); }};
  }

  NodeId target_node(const FieldAnalysis& field) {
    const std::string& name = field.spec.name;
    if (const auto known = fed_.find(name); known != fed_.end()) return known->second;
    std::string leaf = name;   // an input of that name may be fed by another field
    for (const auto& [input, from] : spec().inputs)
      if (input == name) leaf = "data." + name;
    spec().inputs.emplace_back(leaf, name);
    return fed_[name] = build_field(field, leaf, net());
  }

  void read_losses() {
    const ast::Property* property = record_.find("loss");
    if (!property) return;
    NodeId total = kNoNode;
    const auto add = [&](const ast::Expr& expr, const std::string& name) {
      if (!net_ || !has_data_) return;
      const NodeId value = loss_value(expr, loss_scope(), name, &evaluator_, context_, &result_.unavailable);
      if (value == kNoNode) {
        sound_ = false;
        return;
      }
      net().builder.at(expr.span).named(name.empty() ? "loss" : "loss." + name);
      const NodeId sum = net().builder.batch_sum(value);
      if (!name.empty()) {
        spec().losses.push_back(name);
        loss_results_.push_back({"loss." + name, sum});
      }
      total = total == kNoNode ? sum : net().builder.add(total, sum);
    };
    if (const ast::Record* terms = property->record()) {
      if (terms->properties.empty()) fail(Code::N0605, property->value_span, "`loss` needs at least one term");
      for (const ast::Property& term : terms->properties) {
        if (std::find(spec().losses.begin(), spec().losses.end(), term.key.text) != spec().losses.end())
          fail(Code::N0306, term.key.span, "`" + term.key.text + "` is given twice");
        else if (const ast::Expr* expr = term.expr()) add(*expr, term.key.text);
        else fail(Code::N0303, term.value_span, "`" + term.key.text + "` wants a loss");
      }
    } else if (!property->expr()->is<ast::Broken>()) {
      add(*property->expr(), "");
    }
    total_ = total;
  }

  void read_metrics() {
    const ast::Record* record = record_.record("metrics");
    if (!record) return;
    for (const ast::Property& property : record->properties) {
      const std::string& name = property.key.text;
      if (std::find(spec().metrics.begin(), spec().metrics.end(), name) != spec().metrics.end()) {
        fail(Code::N0306, property.key.span, "`" + name + "` is given twice");
        continue;
      }
      const ast::Expr* expr = property.expr();
      if (!expr) {
        fail(Code::N0303, property.value_span, "`" + name + "` wants a metric");
        continue;
      }
      if (expr->is<ast::Broken>()) {
        sound_ = false;
        continue;
      }
      const LayerRow* row = evaluator_.find_row(*expr, metric_table(), "metric", context_);
      if (!row) {
        sound_ = false;
        continue;
      }
      all_metrics_.push_back(name);
      if (!net_ || !has_data_) continue;
      const NodeId value = row_value(*row, *expr, loss_scope(), "metric." + name, &evaluator_, context_);
      if (value == kNoNode) {
        sound_ = false;
        continue;
      }
      if (!row->available) result_.unavailable.push_back({"metric `" + row->name + "`", expr->span});
      net().builder.at(expr->span).named("metric." + name);
      metric_results_.push_back({"metric." + name, net().builder.batch_sum(value)});
      spec().metrics.push_back(name);
      spec().metric_kinds.push_back(row->name);
    }
  }

  // ---------------------------------------------------------------- how it is fitted
  void read_optimizer() {
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

  void read_schedule() {
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

  void read_lr_scaling() {
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

  void read_clip() {
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

  std::optional<int64_t> read_count(std::string_view name, int64_t low, ast::Unit unit) {
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
  static std::string show_whole(double value) { return std::to_string(static_cast<int64_t>(value)); }

  void read_length() {
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
  static std::string plain(double value) {
    return value == std::floor(value) ? show_whole(value) : show_number(value);
  }

  void read_batch() {
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
  void report_bare_batch(int64_t batch, Span span) {
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

  void read_seed() {
    if (const auto seed = read_count("seed", 0, ast::Unit::samples)) spec().seed = static_cast<uint64_t>(*seed);
  }

  bool needs_validation(std::string_view field, Span span) {
    if (!has_data_ || data_.has_split("validation") || !data_.sound) return true;
    fail(Code::N0613, span, "`" + std::string(field) + "` needs a validation split")
        .help("in `data " + data_.spec.name + "`: `validation: take(train, 10%, seed: 1)`");
    return false;
  }

  void read_validation() {
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
  bool check_monitor(const std::string& monitor, Span span) {
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

  void read_early_stop() {
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

  bool is_higher_better(const std::string& name) const {
    for (size_t i = 0; i < result_.spec.metrics.size(); ++i) {
      if (result_.spec.metrics[i] != name) continue;
      const std::string& kind = result_.spec.metric_kinds[i];
      return kind != "mse" && kind != "rmse" && kind != "mae" && kind != "perplexity" && kind != "mape";
    }
    return false;   // a loss
  }

  void read_rest() {
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
  void read_freeze(const ast::Expr& expr) {
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

  static bool matches(std::string_view pattern, std::string_view path) {
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

  // ---------------------------------------------------------------- the whole
  void finish() {
    Graph& graph = net().graph;
    graph.results.push_back({"loss.total", total_});
    graph.results.insert(graph.results.end(), loss_results_.begin(), loss_results_.end());
    graph.results.insert(graph.results.end(), metric_results_.begin(), metric_results_.end());
    std::vector<NodeId> needed;
    for (const Result& result : graph.results) needed.push_back(result.node);
    for (const NetOutput& output : outputs_) graph.results.push_back({output.name, output.value.as<Tensor>()->node});
    const std::vector<bool> computed = reached(graph, needed);
    for (ShapeRow& row : net().rows) row.needed = row.node == kNoNode || computed[static_cast<size_t>(row.node)];
    check_gradients();
    check_batch_norm();
    check_augmented();
    for (const Node& node : graph.nodes)
      if (node.op == "unavailable" && is_layer_of_net(node)) {
        const std::string& layer = std::get<std::string>(node.attributes.at("layer"));
        const std::string what = "layer `" + layer + "`" + (find_layer(layer) && find_layer(layer)->available ? " with these arguments" : "");
        result_.unavailable.push_back({what, node.span});
      }
    const OptimizerSpec& optimizer = spec().optimizer;
    result_.table.optimizer = optimizer.name;
    result_.table.optimizer_slots = optimizer_slots(optimizer.name, optimizer.argument("momentum", 0) != 0,
                                                    optimizer.argument("centered", 0) != 0, optimizer.argument("amsgrad", 0) != 0);
  }

  // Losses and metrics without an op have said so under their own name.
  static bool is_layer_of_net(const Node& node) {
    return node.name.rfind("loss", 0) != 0 && node.name.rfind("metric.", 0) != 0;
  }

  // Over one sample a channel of one value has no variance.
  void check_batch_norm() {
    if (spec().batch != 1) return;
    for (const StageRecord& stage : net().stages) {
      if (!stage.layer || stage.layer->name != "batch_norm" || net().graph[stage.out].type.shape.size() != 1) continue;
      fail(Code::N0711, spec().batch_span, "batch norm over one sample")
          .label(stage.span, "the batch norm")
          .help("a larger batch, or a norm over the sample: `layer_norm`, `group_norm`");
      return;
    }
  }

  void check_augmented() {
    for (const FieldAnalysis& field : data_.fields)
      if (field.augmented && !fed_.contains(field.spec.name))
        evaluator_.warning(Code::W1115, *field.augmented, "`augment` on a field that no input uses", "", context_);
  }

  void check_gradients() {
    const Graph& graph = net().graph;
    const std::vector<bool> learning = reached_by_gradient(graph, {total_});
    bool any = false;
    std::vector<Span> told;
    for (size_t i = 0; i < graph.nodes.size(); ++i) any = any || (graph.nodes[i].op == "parameter" && learning[i]);
    if (!any) {
      Diagnostic& d = fail(Code::N0607, record_.find("loss")->value_span, "no loss depends on any weight");
      std::string names;
      for (const NetOutput& output : outputs_) names += (names.empty() ? "" : ", ") + output.name;
      d.note("outputs of the net: " + names);
      return;
    }
    for (const Parameter& parameter : graph.parameters) {
      if (!parameter.trainable) continue;
      const auto leaf = net().weights.find(parameter.path);
      if (leaf == net().weights.end() || learning[static_cast<size_t>(leaf->second)]) continue;
      if (std::find(told.begin(), told.end(), parameter.span) != told.end()) continue;
      told.push_back(parameter.span);
      const std::string layer = parameter.path.substr(0, parameter.path.rfind('.'));
      evaluator_.warning(Code::W1108, parameter.span, "weights of `" + layer + "` get no gradient", "", context_)
          .help("let a loss use what depends on them, or leave the layer out");
    }
  }

  const ast::TrainDecl& declaration_;
  const Module& home_;
  const Plan* plan_;
  int gpus_;
  Evaluator& evaluator_;
  Context context_;
  RecordReader record_;
  TrainAnalysis result_;
  DataAnalysis data_;
  bool has_data_ = false, net_sound_ = false, sound_ = true;
  const ast::NetDecl* net_ = nullptr;
  std::vector<NetOutput> outputs_;
  std::unordered_map<std::string, std::pair<std::string, Span>> renamed_;   // input -> field, and where it says so
  std::unordered_map<std::string, NodeId> fed_;                             // field -> its value
  NodeId total_ = kNoNode;
  std::vector<Result> loss_results_, metric_results_;
  std::vector<std::string> all_metrics_;
  std::optional<Progress> last_point_;
  Span points_span_, warmup_span_;
};

}  // namespace

TrainAnalysis analyze_train(const ast::TrainDecl& train, const Module& home, const Plan* plan, int gpus, Evaluator& evaluator) {
  TrainAnalysis result = TrainReader(train, home, plan, gpus, evaluator).read();
  if (result.net_declaration) {
    result.table.net = result.net_declaration->name.text;
    result.table.rows = evaluator.net().rows;
    result.table.weights = evaluator.net().trainable;
  }
  return result;
}

bool analyze_net(const ast::NetDecl& net, const Module& home, Evaluator& evaluator, ShapeTable* table) {
  for (const ast::Formal& formal : net.formals)
    if (!formal.default_value) return false;
  std::vector<NetOutput> outputs;
  const InputSource source = [&](const ast::Input& input, const TensorType& type) {
    return evaluator.net().builder.at(input.span).input(input.name.text, type);
  };
  const bool sound = evaluator.build_net(net, home, {}, net.name.span, source, &outputs);
  table->net = net.name.text;
  table->rows = evaluator.net().rows;
  table->weights = evaluator.net().trainable;
  return sound;
}

}  // namespace netc::sema
