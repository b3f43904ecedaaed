#include "compiler/compile.h"

#include <chrono>

#include "compiler/autodiff/differentiate.h"
#include "compiler/autodiff/update_rules.h"
#include "compiler/base/errors.h"
#include "compiler/passes/evaluate_mode.h"
#include "compiler/passes/expand_composites.h"
#include "compiler/passes/remove_dead.h"
#include "compiler/passes/select_results.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/program/fuse.h"
#include "compiler/program/gather_summands.h"
#include "compiler/program/lower.h"
#include "compiler/program/name_kernels.h"
#include "compiler/program/plan_layouts.h"
#include "compiler/program/plan_memory.h"
#include "compiler/program/plan_scopes.h"
#include "compiler/program/plan_stages.h"
#include "compiler/program/plan_towers.h"
#include "compiler/program/split_products.h"

namespace netc {

namespace {

constexpr const char* kTotalLoss = "loss.total";

NodeId result_node(const Graph& graph, const std::string& name) {
  for (const Result& result : graph.results)
    if (result.name == name) return result.node;
  throw InternalError("the net has no result `" + name + "`");
}

// Names of the results that are sums over the batch (losses and metrics), or of those that are outputs.
std::vector<std::string> result_names(const Graph& graph, bool batched) {
  std::vector<std::string> names;
  for (const Result& result : graph.results)
    if (graph[result.node].type.batched == batched) names.push_back(result.name);
  return names;
}

// Runs passes, checks what each leaves, times it and prints it.
class Passes {
 public:
  Passes(const CompileRequest& request, std::vector<PassTime>& times) : request_(request), times_(times) {}

  template <class Value, class Run>
  void run(const std::string& name, Value& value, Run pass) {
    const auto begin = std::chrono::steady_clock::now();
    pass(value);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    times_.push_back({name, elapsed.count()});
    if (const std::vector<std::string> faults = verify(value); !faults.empty())
      throw InternalError("after " + name + ": " + faults.front() + "\n" + to_string(value));
    if (request_.dump) request_.dump(name, to_string(value));
  }

 private:
  const CompileRequest& request_;
  std::vector<PassTime>& times_;
};

struct GraphPass {
  const char* name;
  std::function<void(Graph&)> run;
};

struct ProgramPass {
  const char* name;
  std::function<void(Program&)> run;
};

}  // namespace

const Program* find_program(const std::vector<Program>& programs, const std::string& name) {
  for (const Program& program : programs)
    if (program.name == name) return &program;
  return nullptr;
}

Compiled compile(const Graph& net, const TrainSpec& train, const CompileRequest& request) {
  Compiled result;
  Passes passes(request, result.times);

  const std::vector<std::string> sums = result_names(net, false), outputs = result_names(net, true);
  const auto select = [](const std::vector<std::string>& names) {
    return [&names](Graph& g) { g = select_results(std::move(g), names, true); };
  };
  const auto differentiated = [&train](Graph& g) {
    const auto gradients = differentiate(g, result_node(g, kTotalLoss));
    add_updates(g, gradients, train.optimizer, train.clip);
  };
  const std::vector<std::pair<std::string, std::vector<GraphPass>>> beginnings = {
      {"train", {{"select", select(sums)}, {"differentiate", differentiated}}},
      {"evaluate", {{"evaluate_mode", [](Graph& g) { g = evaluate_mode(std::move(g)); }}, {"select", select(sums)}}},
      {"predict", {{"evaluate_mode", [](Graph& g) { g = evaluate_mode(std::move(g)); }}, {"select", select(outputs)}}},
  };
  const std::vector<GraphPass> graph_passes = {
      {"simplify", [](Graph& g) { g = simplify(std::move(g)); }},
      {"expand_composites", [](Graph& g) { g = expand_composites(std::move(g)); }},
      {"simplify", [](Graph& g) { g = simplify(std::move(g)); }},
      {"share", [](Graph& g) { g = share(std::move(g)); }},
      {"remove_dead", [](Graph& g) { g = remove_dead(std::move(g)); }},
  };
  std::vector<ProgramPass> program_passes = {
      {"fuse", [&](Program& p) { if (request.fuse) fuse(p, {request.memory}); }},
      {"name_kernels", [](Program& p) { name_kernels(p); }},
  };
  std::vector<ProgramPass> placement_passes = {
      {"plan_stages", [](Program& p) { plan_stages(p); }},
      {"plan_memory", [](Program& p) { plan_memory(p); }},
  };

  if (request.products)
    program_passes.insert(program_passes.end() - 1, {"split_products", [&](Program& p) { split_products(p, *request.products, {request.memory}); }});
  const bool separate = request.memory == TowerMemory::separate;
  if (separate) {
    program_passes.insert(program_passes.begin(), {"gather_summands", gather_summands});
    placement_passes.insert(placement_passes.begin(), {"plan_scopes", plan_separate_scopes});
  }

  for (const auto& [name, beginning] : beginnings) {
    Graph graph = net;
    for (const GraphPass& pass : beginning) passes.run(name + "/" + pass.name, graph, pass.run);
    for (const GraphPass& pass : graph_passes) passes.run(name + "/" + pass.name, graph, pass.run);
    Program program;
    passes.run(name + "/lower", program, [&, &name = name](Program& p) {
      p = lower(graph, name);
      p.batch_capacity = request.batch_capacity;
    });
    for (const ProgramPass& pass : program_passes) passes.run(name + "/" + pass.name, program, pass.run);
    if (name == "train") result.gradient = std::move(graph);
    result.programs.push_back(std::move(program));
  }
  if (!request.products) plan_layouts(result.programs, request.target);   // a library reads rows
  for (Program& program : result.programs)
    for (const ProgramPass& pass : placement_passes) passes.run(program.name + "/" + pass.name, program, pass.run);
  const auto spread = [&](size_t number, TowerProgram& out) {
    Program& program = result.programs[number];
    passes.run(program.name + "/plan_towers", out, [&](TowerProgram& t) {
      t = plan_towers(program, request.towers, {.memory = request.memory, .bucket_bytes = request.bucket_bytes});
    });
    program = out.program;
  };
  spread(0, result.train);
  if (separate) spread(1, result.evaluate), spread(2, result.predict);
  return result;
}

}  // namespace netc
