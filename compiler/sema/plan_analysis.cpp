#include "compiler/sema/plan_analysis.h"

#include <algorithm>
#include <cmath>

#include "compiler/layers/signature.h"
#include "compiler/sema/record.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

Signature call_of(std::string name, std::vector<ParameterRow> parameters) {
  Signature signature;
  signature.name = std::move(name);
  signature.parameters = std::move(parameters);
  return signature;
}

const std::vector<RecordField>& plan_fields() {
  static const std::vector<RecordField> fields = {
      {"towers", "cpu:0", true, false},  {"hosts", "1", false, false},       {"sync", "allreduce(gradients)", true, false},
      {"accumulate", "4", false, false}, {"precision", "f32", false, false}, {"batch_norm", "local", false, false},
      {"last_batch", "keep", false, false}, {"deterministic", "true", false, false}, {"memory", "8GiB per tower", false, true},
  };
  return fields;
}

class PlanReader {
 public:
  PlanReader(const ast::PlanDecl& plan, const Module& home, Evaluator& evaluator)
      : declaration_(plan), evaluator_(evaluator),
        record_(plan.body, plan_fields(), Code::N0702, "plan", evaluator, with_module(context_, home)) {
    plan_.name = plan.name.text;
    plan_.span = plan.span;
  }

  std::optional<Plan> read() {
    sound_ = record_.has_required(Code::N0703, "plan `" + declaration_.name.text + "`", declaration_.name.span, declaration_.broken) &&
             !declaration_.broken;
    if (const ast::Expr* towers = record_.expr("towers")) read_towers(*towers);
    if (const ast::Expr* sync = record_.expr("sync")) read_sync(*sync);
    read_count("hosts", &plan_.hosts);
    read_count("accumulate", &plan_.accumulate);
    if (const ast::Expr* precision = record_.expr("precision")) read_precision(*precision);
    plan_.batch_norm_synchronized = read_word("batch_norm", {"local", "synchronized"}) == 1;
    plan_.last_batch_drop = read_word("last_batch", {"keep", "drop"}) == 1;
    if (const ast::Expr* expr = record_.expr("deterministic")) {
      const Value value = evaluator_.evaluate(*expr, context_);
      if (const auto* b = value.as<bool>()) plan_.deterministic = *b;
      else if (!value.unknown()) fail(Code::N0303, expr->span, "`deterministic` wants true or false, got " + kind_of(value));
    }
    if (const ast::Property* memory = record_.find("memory")) read_memory(*memory);
    check_together();
    if (!sound_) return std::nullopt;
    return std::move(plan_);
  }

 private:
  static Context& with_module(Context& context, const Module& home) {
    context.module = &home;
    return context;
  }
  Diagnostic& fail(Code code, Span span, std::string summary) {
    sound_ = false;
    return evaluator_.error(code, span, std::move(summary), "", context_);
  }

  void read_count(std::string_view name, int64_t* result) {
    const ast::Expr* expr = record_.expr(name);
    if (!expr) return;
    const Value value = evaluator_.evaluate(*expr, context_);
    const auto* i = value.as<int64_t>();
    if (i && *i >= 1 && *i <= 1'000'000) {
      *result = *i;
    } else if (i) {
      fail(Code::N0310, expr->span, "`" + std::string(name) + "` must lie in 1 .. 1000000, got " + std::to_string(*i));
    } else if (!value.unknown()) {
      fail(value.is<Float>() ? Code::N0302 : Code::N0303, expr->span,
           "`" + std::string(name) + "` must be a whole number, got " + show(value, nullptr));
    } else {
      sound_ = false;
    }
  }

  // The number of the word, 0 if absent or wrong.
  int read_word(std::string_view name, const std::vector<std::string>& words) {
    const ast::Expr* expr = record_.expr(name);
    if (!expr) return 0;
    const auto* word = expr->as<ast::NameRef>();
    for (size_t i = 0; word && i < words.size(); ++i)
      if (words[i] == word->name) return static_cast<int>(i);
    Diagnostic& d = fail(Code::N0303, expr->span, "`" + std::string(name) + "` wants " + words[0] + " or " + words[1] + ", got `" + print(*expr) + "`");
    if (word)
      if (const auto close = suggest(word->name, words)) d.fix("did you mean `" + *close + "`?", expr->span, *close, Confidence::guess);
    return 0;
  }

  void read_towers(const ast::Expr& expr) {
    if (const auto* word = expr.as<ast::NameRef>(); word && word->name == "auto") {
      plan_.towers_auto = true;
      return;
    }
    if (const auto* list = expr.as<ast::ListExpr>()) {
      if (list->items.empty()) fail(Code::N0303, expr.span, "`towers` needs at least one device");
      for (const ast::ExprPtr& item : list->items) read_tower(*item);
    } else {
      read_tower(expr);
    }
    for (size_t i = 0; i < plan_.towers.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const TowerSpec &a = plan_.towers[j], &b = plan_.towers[i];
        const bool same = a.device == b.device && a.all == b.all;
        const bool covered = a.device.kind == b.device.kind && (a.all || b.all);
        if (!same && !covered) continue;
        fail(Code::N0708, b.span, to_string(b) + " is listed twice").label(a.span, same ? "first here" : "counted here already");
        break;
      }
  }

  static std::string to_string(const TowerSpec& tower) {
    std::string text = netc::to_string(tower.device);
    return tower.all ? text.substr(0, text.find(':')) + ":*" : text;
  }

  bool read_device(const ast::Expr& expr, TowerSpec* tower) {
    const Value value = evaluator_.evaluate(expr, context_);
    const auto* device = value.as<DeviceWord>();
    if (!device) {
      if (!value.unknown())
        fail(Code::N0303, expr.span, "a tower wants a device, got " + kind_of(value)).help("for example `cpu:0`, `gpu:0` or `gpu:*`");
      sound_ = false;
      return false;
    }
    tower->device.kind = device->kind == "cpu" ? DeviceKind::cpu : device->kind == "gpu" ? DeviceKind::gpu : DeviceKind::sim;
    tower->device.index = std::max(device->index, 0);
    tower->all = device->index < 0;
    tower->span = expr.span;
    return true;
  }

  void read_tower(const ast::Expr& expr) {
    TowerSpec tower;
    const auto* call = expr.as<ast::CallExpr>();
    if (!call) {
      if (read_device(expr, &tower)) plan_.towers.push_back(tower);
      return;
    }
    const std::string* name = Evaluator::called_name(expr);
    if (!name || *name != "tower") {
      fail(Code::N0202, call->callee->span, "`" + print(*call->callee) + "` is not a tower").help("write `tower(cpu:0, threads: 8)`");
      return;
    }
    bool device = false;
    for (const ast::Arg& arg : call->args) {
      const std::string key = arg.name ? arg.name->text : "device";
      if (key == "device") {
        if (device) {
          fail(Code::N0305, arg.span, "`tower` takes at most 1 unnamed value (device)");
          return;
        }
        device = true;
        if (!read_device(*arg.value, &tower)) return;
      } else if (key == "share") {
        read_share(*arg.value, &tower);
      } else if (key == "threads") {
        read_threads(*arg.value, &tower);
      } else {
        Diagnostic& d = fail(Code::N0301, arg.name->span, "`tower` has no argument `" + key + "`");
        d.note("tower(device, share = 1, threads = all)");
        if (const auto close = suggest(key, {"share", "threads"})) d.fix("did you mean `" + *close + "`?", arg.name->span, *close, Confidence::guess);
      }
    }
    if (!device) {
      fail(Code::N0307, expr.span, "`tower` needs a device").note("tower(device, share = 1, threads = all)");
      return;
    }
    tower.span = expr.span;
    plan_.towers.push_back(tower);
  }

  void read_share(const ast::Expr& expr, TowerSpec* tower) {
    if (const auto* word = expr.as<ast::NameRef>(); word && word->name == "auto") {
      tower->share_auto = true;
      return;
    }
    const Value value = evaluator_.evaluate(expr, context_);
    const auto number = number_of(value);
    if (number && *number > 0 && std::isfinite(*number)) tower->share = *number;
    else if (number) fail(Code::N0310, expr.span, "`share` must lie in numbers above 0, got " + show(value, nullptr));
    else if (!value.unknown()) fail(Code::N0303, expr.span, "`share` wants a number or `auto`, got " + kind_of(value));
  }

  void read_threads(const ast::Expr& expr, TowerSpec* tower) {
    if (const auto* word = expr.as<ast::NameRef>(); word && word->name == "all") return;
    const Value value = evaluator_.evaluate(expr, context_);
    const auto* i = value.as<int64_t>();
    if (i && *i >= 1 && *i <= 4096) tower->threads = static_cast<int>(*i);
    else if (i) fail(Code::N0310, expr.span, "`threads` must lie in 1 .. 4096, got " + std::to_string(*i));
    else if (!value.unknown()) fail(Code::N0303, expr.span, "`threads` wants a whole number or `all`, got " + kind_of(value));
  }

  // The first argument must be that word; the rest are bound to a signature.
  std::optional<Arguments> bind_after_word(const ast::Expr& expr, std::string_view word, const Signature& signature) {
    const auto& args = Evaluator::arguments_of(expr);
    const auto* first = args.empty() || args[0].name ? nullptr : args[0].value->as<ast::NameRef>();
    if (!first || first->name != word) {
      fail(Code::N0307, expr.span, "`" + signature.name + "` needs what it works on")
          .help("write `" + signature.name + "(" + std::string(word) + ")`");
      return std::nullopt;
    }
    const auto bound = evaluator_.bind(signature, args, expr.span, nullptr, context_);
    if (!bound) sound_ = false;
    return bound;
  }

  void read_sync(const ast::Expr& expr) {
    sync_span_ = expr.span;
    if (expr.is<ast::NoneLiteral>()) {
      plan_.sync = SyncKind::none;
      return;
    }
    static const Signature allreduce = call_of(
        "allreduce", {required(word("what", {"gradients"})), quantity("bucket", "25MiB"), flag("overlap", "true"), quantity("timeout", "10min")});
    static const Signature average = call_of("average", {required(word("what", {"weights"})), required_named(other("every", ParameterKind::progress))});
    const std::string* name = Evaluator::called_name(expr);
    if (name && *name == "allreduce") {
      plan_.sync = SyncKind::allreduce;
      const ast::Expr* bucket = nullptr;
      const ast::Expr* timeout = nullptr;
      for (const ast::Arg& arg : Evaluator::arguments_of(expr)) {
        if (arg.name && arg.name->text == "bucket") bucket = arg.value.get();
        if (arg.name && arg.name->text == "timeout") timeout = arg.value.get();
      }
      const auto arguments = bind_after_word(expr, "gradients", allreduce);
      if (!arguments) return;
      plan_.overlap = arguments->flag("overlap");
      double bytes = static_cast<double>(plan_.bucket_bytes);
      if (bucket) read_quantity(*bucket, "bucket", ast::Unit::bytes, "a size in bytes", &bytes);
      if (timeout) read_quantity(*timeout, "timeout", ast::Unit::seconds, "a time", &plan_.timeout_seconds);
      plan_.bucket_bytes = static_cast<int64_t>(bytes);
    } else if (name && *name == "average") {
      plan_.sync = SyncKind::average;
      const auto arguments = bind_after_word(expr, "weights", average);
      if (!arguments) return;
      const Progress every = *arguments->as<Progress>("every");
      if (every.epochs || every.amount < 1) fail(Code::N0304, arguments->span("every"), "`every` wants steps, 1 or more");
      plan_.average_every = static_cast<int64_t>(every.amount);
    } else if (name && *name == "parameter_server") {
      read_server(expr);
    } else {
      Diagnostic& d = fail(Code::N0202, expr.span, "`" + print(expr) + "` is not a way to join towers");
      d.note("sync: none; allreduce(gradients); average(weights, every: 16steps); parameter_server(cpu:0)");
      if (name)
        if (const auto close = suggest(*name, {"allreduce", "average", "parameter_server"})) d.help("did you mean `" + *close + "`?");
    }
  }

  void read_server(const ast::Expr& expr) {
    plan_.sync = SyncKind::parameter_server;
    TowerSpec server;
    bool has_device = false, has_staleness = false;
    for (const ast::Arg& arg : Evaluator::arguments_of(expr)) {
      if (!arg.name) {
        if (!read_device(*arg.value, &server)) return;
        has_device = true;
      } else if (arg.name->text == "mode") {
        const auto* mode = arg.value->as<ast::NameRef>();
        if (mode && (mode->name == "synchronous" || mode->name == "asynchronous")) plan_.server_asynchronous = mode->name == "asynchronous";
        else fail(Code::N0303, arg.value->span, "`mode` wants synchronous or asynchronous, got `" + print(*arg.value) + "`");
      } else if (arg.name->text == "staleness") {
        double steps = 0;
        has_staleness = read_quantity(*arg.value, "staleness", ast::Unit::steps, "steps", &steps);
        plan_.staleness = static_cast<int64_t>(steps);
      } else {
        fail(Code::N0301, arg.name->span, "`parameter_server` has no argument `" + arg.name->text + "`")
            .note("parameter_server(device, mode = synchronous, staleness = none)");
      }
    }
    if (!has_device) fail(Code::N0307, expr.span, "`parameter_server` needs a device").help("for example `parameter_server(cpu:0)`");
    if (plan_.server_asynchronous && !has_staleness)
      fail(Code::N0307, expr.span, "`mode: asynchronous` needs `staleness`").help("for example `staleness: 4steps`");
    plan_.server = server.device;
  }

  bool read_quantity(const ast::Expr& expr, const std::string& name, ast::Unit unit, const std::string& wanted, double* result) {
    const Value value = evaluator_.evaluate(expr, context_);
    const auto* q = value.as<Quantity>();
    if (q && q->unit == unit && q->value > 0 && q->value < 9e18) {
      *result = q->value;
      return true;
    }
    sound_ = false;
    if (value.unknown()) return false;
    if (q && q->unit == unit) fail(Code::N0310, expr.span, "`" + name + "` must lie above 0, got " + q->spelling);
    else fail(q ? Code::N0304 : Code::N0303, expr.span, "`" + name + "` wants " + wanted + ", got " + kind_of(value));
    return false;
  }

  // Read by read_quantity; the signature only knows its name.
  static ParameterRow quantity(std::string name, std::string fallback) { return other(std::move(name), ParameterKind::reader, std::move(fallback)); }

  void read_precision(const ast::Expr& expr) {
    const std::string* name = Evaluator::called_name(expr);
    const auto& args = Evaluator::arguments_of(expr);
    if (name && args.empty() && *name == "f32") return;
    if (name && args.empty() && *name == "tf32") {
      plan_.precision = Precision::tf32;
      return;
    }
    const auto* format = name && *name == "mixed" && args.size() == 1 && !args[0].name ? args[0].value->as<ast::NameRef>() : nullptr;
    if (format && format->name == "bf16") plan_.precision = Precision::mixed_bf16;
    else if (format && format->name == "f16") plan_.precision = Precision::mixed_f16;
    else fail(Code::N0303, expr.span, "`precision` wants f32, tf32, mixed(bf16) or mixed(f16), got `" + print(expr) + "`");
  }

  void read_memory(const ast::Property& property) {
    const ast::Expr* expr = record_.expr("memory");
    if (!expr) return;
    double bytes = 0;
    if (!read_quantity(*expr, "memory", ast::Unit::bytes, "a size in bytes", &bytes)) return;
    if (property.scope != ast::Scope::per || property.per.text != "tower")
      fail(Code::N0303, property.value_span, "`memory` is per tower").fix("write it", property.value_span, print(*expr) + " per tower", Confidence::certain);
    plan_.memory_bytes_per_tower = static_cast<int64_t>(bytes);
  }

  void check_together() {
    const size_t towers = plan_.towers.size();
    if (plan_.sync == SyncKind::none && towers > 1 && sync_span_.known())
      fail(Code::N0709, sync_span_, std::to_string(towers) + " towers with `sync: none` would train apart")
          .fix("average their gradients", sync_span_, "allreduce(gradients)", Confidence::guess);
    if (plan_.batch_norm_synchronized && (plan_.sync == SyncKind::average || plan_.server_asynchronous))
      fail(Code::N0712, record_.find("batch_norm")->value_span, "synchronized batch norm needs synchronous towers")
          .label(sync_span_, "these run apart");
  }

  const ast::PlanDecl& declaration_;
  Evaluator& evaluator_;
  Context context_;
  RecordReader record_;
  Plan plan_;
  Span sync_span_;
  bool sound_ = true;
};

}  // namespace

std::optional<Plan> analyze_plan(const ast::PlanDecl& plan, const Module& home, Evaluator& evaluator) {
  return PlanReader(plan, home, evaluator).read();
}

Plan implied_plan() {
  Plan plan;
  plan.towers_auto = true;
  plan.sync = SyncKind::allreduce;
  return plan;
}

void override_towers(Plan* plan, const std::vector<Device>& towers) {
  if (towers.empty()) return;
  plan->towers_auto = false;
  plan->towers.clear();
  for (const Device& device : towers) {
    TowerSpec tower;
    tower.device = device;
    plan->towers.push_back(tower);
  }
  if (plan->sync == SyncKind::none && towers.size() > 1) plan->sync = SyncKind::allreduce;
}

int64_t tower_count(const Plan& plan, int gpus) {
  if (plan.towers_auto) return std::max(gpus, 1);
  int64_t count = 0;
  for (const TowerSpec& tower : plan.towers) {
    if (!tower.all) ++count;
    else if (tower.device.kind == DeviceKind::gpu && gpus > 0) count += gpus;
    else return 0;
  }
  return count;
}

void check_batch(const Plan& plan, int64_t batch, BatchScope scope, Span batch_span, Diagnostics& diagnostics) {
  if (scope != BatchScope::per_tower || plan.towers.size() < 2) return;
  const TowerSpec* uneven = nullptr;
  double total = 0, least = plan.towers[0].share;
  for (const TowerSpec& tower : plan.towers) {
    if (tower.share != plan.towers[0].share || tower.share_auto) uneven = &tower;
    total += tower.share;
    least = std::min(least, tower.share);
  }
  if (!uneven) return;
  Diagnostic& d = diagnostics.error(Code::N0705, uneven->span, "`per tower` with unequal shares has two readings");
  if (plan.towers[0].span.known() && &plan.towers[0] != uneven) d.label(plan.towers[0].span, "not the same share here");
  d.label(batch_span, "the slow tower's " + std::to_string(batch) + ", or the average?");
  if (uneven->share_auto) {
    d.help("give the sum, `batch: N total`; the shares split it");
    return;
  }
  const int64_t sum = batch * static_cast<int64_t>(plan.towers.size());
  std::string parts;
  for (const TowerSpec& tower : plan.towers) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", static_cast<double>(sum) * tower.share / total);
    parts += (parts.empty() ? "" : " and ") + std::string(text);
  }
  d.fix("give the sum; the shares split it (" + parts + ")", batch_span, std::to_string(sum) + " total", Confidence::choice);
}

}  // namespace netc::sema
