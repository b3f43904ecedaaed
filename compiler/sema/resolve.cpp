#include "compiler/sema/resolve.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "compiler/layers/initializers.h"
#include "compiler/layers/losses.h"
#include "compiler/layers/training_tables.h"
#include "compiler/sema/defaults.h"
#include "compiler/sema/local_names.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

// What the calls of an expression are rows of.
enum class Role : uint8_t { net, reader, transform, loss, metric, optimizer, schedule, plain };

class Resolver {
 public:
  Resolver(const Declarations& declarations, const AnalyzeOptions& options) : declarations_(declarations), options_(options) {
    choose_names();
  }

  ast::File resolve(const ast::TrainDecl& train, const ast::PlanDecl* plan, const Analysis& analysis) {
    ast::File file;
    file.language = 1;
    module_ = &declarations_.root();
    ast::TrainDecl new_train = copy_train(train, analysis);
    std::optional<ast::PlanDecl> new_plan = copy_plan(plan, analysis);
    std::vector<ast::Assert> asserts;
    for (const auto& module : declarations_.modules())
      for (const ast::Decl& decl : module->file->decls)
        if (const auto* check = std::get_if<ast::Assert>(&decl)) {
          module_ = module.get();
          locals_.clear();
          asserts.push_back(copy(*check));
        }
    std::vector<ast::Decl> kinds[4];   // values, data, blocks, nets
    for (size_t i = 0; i < needed_.size(); ++i) add_symbol(*needed_[i], kinds);   // grows while it runs
    for (auto& kind : kinds) {
      std::reverse(kind.begin(), kind.end());   // what is used stands before what uses it, mostly
      for (ast::Decl& decl : kind) file.decls.push_back(std::move(decl));
    }
    for (ast::Assert& check : asserts) file.decls.push_back(std::move(check));
    file.decls.push_back(std::move(new_train));
    if (new_plan) file.decls.push_back(std::move(*new_plan));
    return file;
  }

 private:
  // ---------------------------------------------------------------- names
  void choose_names() {
    std::unordered_set<std::string> taken;
    const auto& modules = declarations_.modules();
    for (const auto& module : modules) collect_names(*module->file, &taken);   // no new name may hide a local one
    std::unordered_set<std::string> used;
    for (size_t i = modules.size(); i-- > 0;) {   // the root comes first and keeps its names
      const Module& module = *modules[i];
      for (const std::string& name : module.ordered) {
        const Symbol* symbol = module.find(name);
        if (symbol->home != &module || symbol->kind == Symbol::Kind::module) continue;
        std::string chosen = name;
        if (!used.insert(chosen).second) {
          const std::string stem = identifier(std::filesystem::path(module.path).stem().string());
          for (int n = 1; taken.contains(chosen) || used.contains(chosen); ++n)
            chosen = stem + "_" + name + (n > 1 ? std::to_string(n) : "");
          used.insert(chosen);
        }
        names_[symbol] = chosen;
      }
    }
  }
  static std::string identifier(std::string text) {
    for (char& c : text)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) text = "file_" + text;
    return text;
  }

  std::string name_of(const Symbol& symbol) {
    if (seen_.insert(&symbol).second) needed_.push_back(&symbol);
    return names_.at(&symbol);
  }

  const Symbol* symbol_of(const ast::Expr& expr) const {
    if (const auto* name = expr.as<ast::NameRef>())
      return locals_.contains(name->name) ? nullptr : module_->find(name->name);
    const auto* member = expr.as<ast::MemberExpr>();
    const Symbol* file = member ? symbol_of(*member->object) : nullptr;
    return file && file->kind == Symbol::Kind::module ? file->module->find(member->member.text) : nullptr;
  }

  // ---------------------------------------------------------------- expressions
  ast::ExprPtr copy(const ast::Expr& expr, Role role = Role::net) {
    const Symbol* symbol = symbol_of(expr);
    if (symbol && symbol->kind != Symbol::Kind::module) return make_name(name_of(*symbol));
    if (const auto* name = expr.as<ast::NameRef>()) return copy_name(*name, role);
    if (const auto* call = expr.as<ast::CallExpr>()) return copy_call(*call, role);
    if (const auto* list = expr.as<ast::ListExpr>()) return make_expr(ast::ListExpr{copy(list->items, role)});
    if (const auto* tuple = expr.as<ast::TupleExpr>()) return make_expr(ast::TupleExpr{copy(tuple->items, role)});
    if (const auto* member = expr.as<ast::MemberExpr>())
      return make_expr(ast::MemberExpr{copy(*member->object, Role::plain), member->member});
    if (const auto* index = expr.as<ast::IndexExpr>())
      return make_expr(ast::IndexExpr{copy(*index->object, role), copy(*index->index, role)});
    if (const auto* unary = expr.as<ast::UnaryExpr>()) return make_expr(ast::UnaryExpr{unary->op, copy(*unary->operand, role)});
    if (const auto* binary = expr.as<ast::BinaryExpr>())
      return make_expr(ast::BinaryExpr{binary->op, binary->op_span, copy(*binary->left, role), copy(*binary->right, role)});
    if (const auto* choice = expr.as<ast::IfExpr>())
      return make_expr(ast::IfExpr{copy(*choice->condition, role), copy(*choice->then_value, role), copy(*choice->else_value, role)});
    if (const auto* pipeline = expr.as<ast::PipelineExpr>()) {
      ast::PipelineExpr result;
      result.head = copy(*pipeline->head, role);
      for (const ast::Stage& stage : pipeline->stages) result.stages.push_back(copy(stage, role));
      return make_expr(std::move(result));
    }
    return copy_literal(expr);
  }

  static ast::ExprPtr copy_literal(const ast::Expr& expr) {
    if (const auto* n = expr.as<ast::IntLiteral>()) return make_expr(*n);
    if (const auto* n = expr.as<ast::FloatLiteral>()) return make_expr(*n);
    if (const auto* n = expr.as<ast::PercentLiteral>()) return make_expr(*n);
    if (const auto* n = expr.as<ast::QuantityLiteral>()) return make_expr(*n);
    if (const auto* n = expr.as<ast::StringLiteral>()) return make_expr(*n);
    if (const auto* n = expr.as<ast::DeviceLiteral>()) return make_expr(*n);
    if (const auto* n = expr.as<ast::BoolLiteral>()) return make_expr(*n);
    return make_expr(ast::NoneLiteral{});
  }

  std::vector<ast::ExprPtr> copy(const std::vector<ast::ExprPtr>& items, Role role) {
    std::vector<ast::ExprPtr> result;
    for (const ast::ExprPtr& item : items) result.push_back(copy(*item, role));
    return result;
  }

  // The row that a name is where it is called in that role; null if it is none.
  const Signature* row_of(const std::string& name, Role role) const {
    if (locals_.contains(name)) return nullptr;
    switch (role) {
      case Role::net: return find_layer(name);
      case Role::reader: return find_row(reader_table(), name);
      case Role::transform: return find_row(transform_table(), name);
      case Role::loss: return find_loss(name);
      case Role::metric: return find_metric(name);
      case Role::optimizer: return find_row(optimizer_table(), name);
      case Role::schedule: return find_row(schedule_table(), name);
      case Role::plain: return nullptr;
    }
    return nullptr;
  }
  // Also numbers have a min, max and sqrt: those are left as they are.
  static bool is_also_function(const std::string& name) { return name == "max" || name == "sqrt"; }

  ast::ExprPtr copy_name(const ast::NameRef& name, Role role) {
    const Signature* row = row_of(name.name, role);
    ast::CallExpr call;
    if (row && !is_also_function(name.name)) fill_defaults(*row, &call.args);
    const bool lacks = row && std::any_of(row->parameters.begin(), row->parameters.end(), [](const auto& p) { return p.required; });
    if (call.args.empty() || lacks) return make_name(name.name);   // `learned` may be a word and a layer
    call.callee = make_name(name.name);
    return make_expr(std::move(call));
  }

  ast::ExprPtr copy_call(const ast::CallExpr& call, Role role) {
    ast::CallExpr result;
    const auto* callee = call.callee->as<ast::NameRef>();
    const Symbol* symbol = symbol_of(*call.callee);
    const Signature* row = callee && !symbol ? row_of(callee->name, role) : nullptr;
    result.callee = symbol ? make_name(name_of(*symbol)) : callee ? make_name(callee->name) : copy(*call.callee, Role::plain);
    size_t next = 0;
    for (const ast::Arg& arg : call.args) {
      const ParameterRow* parameter = nullptr;
      if (row && arg.name) parameter = row->find(arg.name->text);
      if (row && !arg.name) {
        while (next < row->parameters.size() && !row->parameters[next].positional) ++next;
        parameter = next < row->parameters.size() ? &row->parameters[next++] : nullptr;
      }
      result.args.push_back({arg.name, copy_argument(*arg.value, parameter, row ? role : Role::net), arg.span});
    }
    if (row && !is_also_function(row->name)) fill_defaults(*row, &result.args);
    return make_expr(std::move(result));
  }

  ast::ExprPtr copy_argument(const ast::Expr& expr, const ParameterRow* parameter, Role role) {
    if (!parameter) return copy(expr, role);
    switch (parameter->kind) {
      case ParameterKind::word:
      case ParameterKind::split:
      case ParameterKind::monitor: return copy_word(expr);
      case ParameterKind::initializer: return copy_initializer(expr);
      case ParameterKind::stages: return copy(expr, Role::transform);
      case ParameterKind::reader: return copy(expr, Role::reader);
      case ParameterKind::padding:
      case ParameterKind::word_or_number:
        if (const auto* name = expr.as<ast::NameRef>())
          if (std::find(parameter->words.begin(), parameter->words.end(), name->name) != parameter->words.end()) return copy_word(expr);
        return copy(expr, Role::plain);
      // Layers may stand where a tensor is expected, `relu(dense(...))`; elsewhere names are values.
      default: return copy(expr, role == Role::net ? Role::net : Role::plain);
    }
  }

  static ast::ExprPtr copy_word(const ast::Expr& expr) {
    if (const auto* name = expr.as<ast::NameRef>()) return make_name(name->name);
    if (const auto* member = expr.as<ast::MemberExpr>())
      return make_expr(ast::MemberExpr{copy_word(*member->object), member->member});
    return copy_literal(expr);
  }

  ast::ExprPtr copy_initializer(const ast::Expr& expr) {
    const auto* call = expr.as<ast::CallExpr>();
    if (!call) return copy_word(expr);
    ast::CallExpr result;
    result.callee = copy_word(*call->callee);
    for (const ast::Arg& arg : call->args) result.args.push_back({arg.name, copy(*arg.value, Role::plain), arg.span});
    if (const auto* name = call->callee->as<ast::NameRef>())
      if (const Signature* row = find_row(initializer_table(), name->name)) fill_defaults(*row, &result.args);
    return make_expr(std::move(result));
  }

  ast::Stage copy(const ast::Stage& stage, Role role) {
    ast::Stage result;
    result.name = stage.name;
    if (const ast::Expr* expr = stage.expr()) {
      result.step = copy(*expr, role);
      return result;
    }
    const ast::Repeat& repeat = *stage.repeat();
    auto made = std::make_unique<ast::Repeat>();
    made->shared = repeat.shared;
    made->pattern = repeat.pattern;
    made->over = copy(*repeat.over, role);
    for (const ast::Stage& inner : repeat.stages) made->stages.push_back(copy(inner, role));
    result.step = std::move(made);
    return result;
  }

  // ---------------------------------------------------------------- declarations
  ast::Type copy(const ast::Type& type) {
    ast::Type result;
    result.element = type.element;
    if (type.classes) result.classes = copy(*type.classes);
    if (type.shape) result.shape = copy(*type.shape, Role::plain);
    return result;
  }
  ast::Assert copy(const ast::Assert& check) { return {copy(*check.condition, Role::plain), check.message, {}, {}}; }

  std::vector<ast::Formal> copy(const std::vector<ast::Formal>& formals) {
    std::vector<ast::Formal> result;
    for (const ast::Formal& formal : formals)
      result.push_back({formal.name, copy(formal.type), formal.default_value ? copy(*formal.default_value) : nullptr, {}});
    return result;
  }

  std::vector<ast::Statement> copy(const std::vector<ast::Statement>& statements) {
    std::vector<ast::Statement> result;
    const auto type_of = [&](const std::optional<ast::Type>& type) {
      return type ? std::optional<ast::Type>(copy(*type)) : std::nullopt;
    };
    for (const ast::Statement& statement : statements) {
      if (const auto* input = std::get_if<ast::Input>(&statement))
        result.emplace_back(ast::Input{input->name, copy(input->type), input->doc, {}});
      else if (const auto* output = std::get_if<ast::Output>(&statement))
        result.emplace_back(ast::Output{output->name, type_of(output->type), output->value ? copy(*output->value) : nullptr, output->doc, {}});
      else if (const auto* let = std::get_if<ast::Let>(&statement))
        result.emplace_back(ast::Let{let->pattern, type_of(let->type), copy(*let->value), let->doc, {}});
      else if (const auto* shared = std::get_if<ast::Shared>(&statement))
        result.emplace_back(ast::Shared{shared->name, copy(*shared->value), shared->doc, {}});
      else if (const auto* leave = std::get_if<ast::Return>(&statement))
        result.emplace_back(ast::Return{copy(*leave->value), {}});
      else if (const auto* check = std::get_if<ast::Assert>(&statement))
        result.emplace_back(copy(*check));
    }
    return result;
  }

  void add_symbol(const Symbol& symbol, std::vector<ast::Decl>* kinds) {
    module_ = symbol.home;
    locals_.clear();
    const ast::Name name{names_.at(&symbol), {}};
    switch (symbol.kind) {
      case Symbol::Kind::constant:
        kinds[0].emplace_back(ast::ConstDecl{name, copy(*symbol.constant->value, Role::plain), symbol.constant->doc, {}});
        break;
      case Symbol::Kind::param: {
        ast::ExprPtr value = literal_of(symbol.value);
        if (!value) value = copy(*symbol.param->value, Role::plain);
        kinds[0].emplace_back(ast::ParamDecl{name, copy(symbol.param->type), std::move(value), symbol.param->doc, {}});
        break;
      }
      case Symbol::Kind::data: kinds[1].emplace_back(copy_data(*symbol.data, name)); break;
      case Symbol::Kind::block:
        locals_ = local_names(symbol.block->formals, symbol.block->statements, *module_);
        kinds[2].emplace_back(ast::BlockDecl{name, copy(symbol.block->formals), copy(symbol.block->statements), symbol.block->doc, {}, {}, false});
        break;
      case Symbol::Kind::net:
        locals_ = local_names(symbol.net->formals, symbol.net->statements, *module_);
        kinds[3].emplace_back(ast::NetDecl{name, copy(symbol.net->formals), copy(symbol.net->statements), symbol.net->doc, {}, {}, false});
        break;
      case Symbol::Kind::module: break;
    }
  }

  // Of a param: a number, bool or string.
  static ast::ExprPtr literal_of(const Value& value) {
    const auto with_sign = [](ast::ExprPtr expr, bool negative) {
      return negative ? make_expr(ast::UnaryExpr{ast::UnaryOp::negate, std::move(expr)}) : std::move(expr);
    };
    if (const auto* i = value.as<int64_t>()) {
      if (*i == INT64_MIN) return nullptr;
      return with_sign(make_int(*i < 0 ? -*i : *i), *i < 0);
    }
    if (const auto* f = value.as<Float>()) return with_sign(make_float(f->value < 0 ? -f->value : f->value), f->value < 0);
    if (const auto* b = value.as<bool>()) return make_expr(ast::BoolLiteral{*b});
    if (const auto* t = value.as<Text>()) return make_expr(ast::StringLiteral{t->value});
    return nullptr;
  }

  ast::DataDecl copy_data(const ast::DataDecl& data, const ast::Name& name) {
    ast::DataDecl result;
    result.name = name;
    result.doc = data.doc;
    for (const ast::Property& split : data.properties)
      if (split.expr()) result.properties.push_back(property(split.key.text, copy(*split.expr(), Role::reader)));
    for (const ast::Field& field : data.fields) {
      ast::Field made;
      made.name = field.name;
      made.type = copy(field.type);
      made.doc = field.doc;
      if (field.from) made.from = copy(*field.from, Role::plain);
      for (const ast::Stage& stage : field.stages) made.stages.push_back(copy(stage, Role::transform));
      result.fields.push_back(std::move(made));
    }
    return result;
  }

  static ast::Property property(std::string key, ast::ExprPtr value) {
    ast::Property made;
    made.key.text = std::move(key);
    made.value = std::move(value);
    return made;
  }

  ast::Property copy_property(const ast::Property& given, Role role) {
    ast::Property made;
    made.key = given.key;
    made.scope = given.scope;
    made.per = given.per;
    if (const ast::Record* record = given.record()) {
      ast::Record inner;
      for (const ast::Property& each : record->properties) inner.properties.push_back(copy_property(each, role));
      made.value = std::move(inner);
    } else {
      made.value = copy(*given.expr(), role);
    }
    return made;
  }

  ast::TrainDecl copy_train(const ast::TrainDecl& train, const Analysis& analysis) {
    ast::TrainDecl result;
    result.name = train.name;
    result.doc = train.doc;
    collect_loss_names(analysis);
    std::unordered_set<std::string> given;
    for (const ast::Property& each : train.body.properties) {
      const std::string& key = each.key.text;
      given.insert(key);
      const Role role = key == "loss" ? Role::loss : key == "metrics" ? Role::metric : key == "optimizer" ? Role::optimizer
                        : key == "schedule" ? Role::schedule : Role::plain;
      // Outputs and fields hide what the file declares.
      locals_ = role == Role::loss || role == Role::metric || key == "inputs" ? loss_names_ : std::unordered_set<std::string>{};
      result.body.properties.push_back(copy_property(each, role));
    }
    locals_.clear();
    const auto add = [&](const char* key, ast::ExprPtr value) {
      if (!given.contains(key)) result.body.properties.push_back(property(key, std::move(value)));
    };
    add("schedule", copy_name(ast::NameRef{"constant"}, Role::schedule));
    add("lr_scaling", make_expr(ast::NoneLiteral{}));
    add("clip", make_expr(ast::NoneLiteral{}));
    add("seed", make_int(static_cast<int64_t>(analysis.train.seed)));
    if (analysis.train.validate) add("validate", make_expr(ast::QuantityLiteral{1, ast::Unit::epochs, "1epoch"}));
    return result;
  }

  void collect_loss_names(const Analysis& analysis) {
    loss_names_ = {"net", "data"};
    for (const Result& result : analysis.graph.results) loss_names_.insert(result.name);
    for (const FieldSpec& field : analysis.data.fields) loss_names_.insert(field.name);
  }

  std::optional<ast::PlanDecl> copy_plan(const ast::PlanDecl* plan, const Analysis& analysis) {
    if (!plan && options_.towers.empty()) return std::nullopt;
    ast::PlanDecl result;
    result.name.text = plan ? plan->name.text : "from_command_line";
    if (plan) result.doc = plan->doc;
    std::unordered_set<std::string> given;
    const auto add = [&](const char* key, ast::ExprPtr value) {
      if (given.insert(key).second) result.body.properties.push_back(property(key, std::move(value)));
    };
    if (!options_.towers.empty()) add("towers", towers_tree());
    const bool joined = analysis.plan.sync == SyncKind::allreduce;
    if (!options_.towers.empty() && joined && (!plan || options_.towers.size() > 1)) add("sync", allreduce_tree(analysis.plan));
    if (plan)
      for (const ast::Property& each : plan->body.properties)
        if (given.insert(each.key.text).second) result.body.properties.push_back(copy_property(each, Role::plain));
    add("accumulate", make_int(1));
    add("hosts", make_int(1));
    add("precision", make_name("f32"));
    add("batch_norm", make_name("local"));
    add("last_batch", make_name("keep"));
    add("deterministic", make_expr(ast::BoolLiteral{false}));
    return result;
  }

  ast::ExprPtr towers_tree() const {
    ast::ListExpr list;
    for (const Device& device : options_.towers) {
      const std::string text = to_string(device);
      list.items.push_back(make_expr(ast::DeviceLiteral{text.substr(0, text.find(':')), device.index}));
    }
    return make_expr(std::move(list));
  }
  static ast::ExprPtr allreduce_tree(const Plan& plan) {
    ast::CallExpr call;
    call.callee = make_name("allreduce");
    call.args.push_back({std::nullopt, make_name("gradients"), {}});
    const auto named = [&](const char* name, ast::ExprPtr value) { call.args.push_back({ast::Name{name, {}}, std::move(value), {}}); };
    const auto bytes = static_cast<double>(plan.bucket_bytes);
    named("bucket", make_expr(ast::QuantityLiteral{bytes, ast::Unit::bytes, std::to_string(plan.bucket_bytes) + "B"}));
    named("overlap", make_expr(ast::BoolLiteral{plan.overlap}));
    return make_expr(std::move(call));
  }

  const Declarations& declarations_;
  const AnalyzeOptions& options_;
  const Module* module_ = nullptr;                     // whose names are looked up
  std::unordered_set<std::string> locals_;             // names bound inside the declaration being copied
  std::unordered_set<std::string> loss_names_;
  std::unordered_map<const Symbol*, std::string> names_;
  std::unordered_set<const Symbol*> seen_;
  std::vector<const Symbol*> needed_;
};

}  // namespace

std::string resolved_text(const Declarations& declarations, const ast::TrainDecl& train, const ast::PlanDecl* plan,
                          const Analysis& analysis, const AnalyzeOptions& options) {
  return print(Resolver(declarations, options).resolve(train, plan, analysis));
}

}  // namespace netc::sema
