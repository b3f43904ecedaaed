#include "compiler/sema/analyze.h"

#include <memory>
#include <unordered_set>

#include "compiler/sema/declarations.h"
#include "compiler/sema/evaluator.h"
#include "compiler/sema/params.h"
#include "compiler/sema/plan_analysis.h"
#include "compiler/sema/resolve.h"
#include "compiler/sema/train_analysis.h"

namespace netc {
namespace sema {
namespace {

// The trains and plans of the root file, in order.
struct Runs {
  std::vector<const ast::TrainDecl*> trains;
  std::vector<const ast::PlanDecl*> plans;
};

Runs runs_of(const ast::File& file) {
  Runs runs;
  for (const ast::Decl& decl : file.decls) {
    if (const auto* train = std::get_if<ast::TrainDecl>(&decl)) runs.trains.push_back(train);
    else if (const auto* plan = std::get_if<ast::PlanDecl>(&decl)) runs.plans.push_back(plan);
  }
  return runs;
}

template <class Decl>
std::string names_of(const std::vector<const Decl*>& decls) {
  std::string names;
  for (const Decl* decl : decls) names += (names.empty() ? "" : ", ") + decl->name.text;
  return names.empty() ? "none" : names;
}

// The one chosen by name, or the only one. Null, after N0211 where a choice is missing or wrong.
template <class Decl>
const Decl* choose(const std::vector<const Decl*>& decls, const std::string& name, const std::string& kind, bool must_choose,
                   bool incomplete, Diagnostics& diagnostics) {
  for (const Decl* decl : decls)
    if (decl->name.text == name) return decl;
  if (!name.empty()) {
    if (!incomplete)
      diagnostics.error(Code::N0211, Span{}, "the file has no " + kind + " called `" + name + "`")
          .note(kind + "s in the file: " + names_of(decls));
    return nullptr;
  }
  if (decls.size() == 1) return decls[0];
  if (decls.size() > 1 && must_choose)
    diagnostics.error(Code::N0211, Span{}, "the file has " + std::to_string(decls.size()) + " " + kind + "s: say which with --" + kind)
        .note(kind + "s in the file: " + names_of(decls));
  return nullptr;
}

class Analyzer {
 public:
  Analyzer(const ast::File& root, const UseLoader& loader, const AnalyzeOptions& options, Diagnostics& diagnostics)
      : root_(root), options_(options), diagnostics_(diagnostics), declarations_(root, loader, diagnostics),
        evaluator_(diagnostics) {}

  Analysis analyze() {
    apply_params(options_.params, declarations_, diagnostics_);
    evaluate_top_level();
    const Runs runs = runs_of(root_);
    const bool incomplete = declarations_.root().incomplete;
    const ast::TrainDecl* train = choose(runs.trains, options_.train, "train", !options_.every_train, incomplete, diagnostics_);
    const bool named_badly = !options_.train.empty() && !train;
    if (!train && options_.every_train && !named_badly && !runs.trains.empty()) train = runs.trains[0];
    read_plans(runs, train != nullptr);
    if (train) read_train(*train, true);
    if (options_.every_train && options_.train.empty())
      for (const ast::TrainDecl* other : runs.trains)
        if (other != train) read_train(*other, false);
    if (options_.every_train || (runs.trains.empty() && options_.train.empty())) read_unused();
    result_.complete = result_.complete && !diagnostics_.has_errors();
    if (options_.resolve && result_.complete) result_.resolved = resolved_text(declarations_, *train, plan_declaration_, result_, options_);
    return std::move(result_);
  }

 private:
  void evaluate_top_level() {
    const Module& module = declarations_.root();
    for (const std::string& name : module.ordered) {
      const Symbol* symbol = module.find(name);
      if (symbol->kind == Symbol::Kind::constant || symbol->kind == Symbol::Kind::param) evaluator_.constant(*symbol);
    }
    for (const auto& each : declarations_.modules()) {
      Context top;
      top.module = each.get();
      for (const ast::Decl& decl : each->file->decls)
        if (const auto* check = std::get_if<ast::Assert>(&decl)) evaluator_.check_assert(*check, top);
    }
  }

  void read_plans(const Runs& runs, bool has_train) {
    const bool must_choose = has_train && !options_.every_train && options_.towers.empty();
    const ast::PlanDecl* chosen = choose(runs.plans, options_.plan, "plan", must_choose, declarations_.root().incomplete, diagnostics_);
    if (!chosen && options_.every_train && options_.plan.empty() && !runs.plans.empty()) chosen = runs.plans[0];
    for (const ast::PlanDecl* declaration : runs.plans) {
      if (declaration != chosen && !options_.every_train) continue;
      auto plan = analyze_plan(*declaration, declarations_.root(), evaluator_);
      if (declaration == chosen) plan_ = std::move(plan);
      else if (plan) other_plans_.push_back(std::move(*plan));
    }
    plan_declaration_ = chosen;
    if (!chosen) plan_ = implied_plan();
    if (plan_) override_towers(&*plan_, options_.towers);
  }

  void read_train(const ast::TrainDecl& declaration, bool is_chosen) {
    NetBuild net;
    evaluator_.build_into(&net);
    TrainAnalysis train = analyze_train(declaration, declarations_.root(), plan_ ? &*plan_ : nullptr, options_.gpus, evaluator_);
    evaluator_.build_into(nullptr);
    if (train.net_declaration) built_.insert(train.net_declaration);
    if (train.sound || train.net_declaration) result_.tables.push_back(std::move(train.table));
    if (!is_chosen) return;
    result_.complete = train.sound && plan_.has_value();
    result_.graph = std::move(net.graph);
    result_.data = std::move(train.data);
    result_.train = std::move(train.spec);
    result_.unavailable = std::move(train.unavailable);
    if (plan_) result_.plan = *plan_;
  }

  // Nets no train uses, and blocks nothing uses: at least their names are looked up.
  void read_unused() {
    const Module& module = declarations_.root();
    for (const std::string& name : module.ordered) {
      const Symbol* symbol = module.find(name);
      if (symbol->home != &module) continue;
      if (symbol->kind == Symbol::Kind::net && !built_.contains(symbol->net)) {
        NetBuild net;
        ShapeTable table;
        evaluator_.build_into(&net);
        if (analyze_net(*symbol->net, module, evaluator_, &table)) result_.tables.push_back(std::move(table));
        evaluator_.build_into(nullptr);
      } else if (symbol->kind == Symbol::Kind::data) {
        analyze_data(*symbol->data, module, evaluator_);
      } else if (symbol->kind == Symbol::Kind::block) {
        NetBuild net;   // for lookups only
        evaluator_.build_into(&net);
        evaluator_.check_names(*symbol->block, module);
        evaluator_.build_into(nullptr);
      }
    }
  }

  const ast::File& root_;
  const AnalyzeOptions& options_;
  Diagnostics& diagnostics_;
  Declarations declarations_;
  Evaluator evaluator_;
  std::optional<Plan> plan_;
  const ast::PlanDecl* plan_declaration_ = nullptr;
  std::vector<Plan> other_plans_;
  std::unordered_set<const ast::NetDecl*> built_;
  Analysis result_;
};

}  // namespace
}  // namespace sema

Analysis analyze(const ast::File& root, const UseLoader& loader, const AnalyzeOptions& options, Diagnostics& diagnostics) {
  return sema::Analyzer(root, loader, options, diagnostics).analyze();
}

}  // namespace netc
