#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/base/errors.h"
#include "compiler/kernel/partial_sums.h"
#include "compiler/ops/op.h"
#include "compiler/passes/expand_composites.h"
#include "compiler/passes/remove_dead.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/program/fuse.h"
#include "compiler/program/lower.h"
#include "compiler/program/plan_layouts.h"
#include "compiler/program/plan_memory.h"
#include "compiler/program/plan_scopes.h"
#include "compiler/program/plan_stages.h"
#include "compiler/program/plan_towers.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/conformance/conformance_case.h"
#include "tests/ops/op_cases.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

void rename_leaves(ConformanceCase& c) {
  const std::string prefix = c.name + "/";
  for (Node& node : c.graph.nodes)
    if (node.op == "parameter" || node.op == "state") node.name = prefix + node.name;
  for (Parameter& parameter : c.graph.parameters) parameter.path = prefix + parameter.path;
  for (State& state : c.graph.states) state.name = prefix + state.name;
  for (auto part : {&Environment::parameters, &Environment::states}) {
    std::map<std::string, std::vector<double>> renamed;
    for (auto& [name, values] : c.environment.*part) renamed[prefix + name] = std::move(values);
    c.environment.*part = std::move(renamed);
  }
}

// Batched results are outputs and unbatched scalars are sums, as f32; other unbatched results are stored in a slot.
void expose_results(ConformanceCase& c) {
  GraphBuilder b(c.graph);
  std::vector<Result> results = std::move(c.graph.results);
  c.graph.results.clear();
  for (Result& result : results) {
    if (b.type(result.node).dtype != DType::f32)
      result.node = b.op("cast", {result.node}, {{"dtype", std::string("f32")}});
    const TensorType type = b.type(result.node);
    if (type.batched || type.shape.empty()) {
      c.graph.results.push_back(result);
      continue;
    }
    const std::string slot = c.name + "/result " + result.name;
    c.graph.updates.push_back({b.state(slot, type, 0), result.node});
    c.environment.states[slot].assign(static_cast<size_t>(element_count(type.shape)), 0);
  }
}

void round_to_f32(Environment& environment) {
  for (auto part : {&Environment::inputs, &Environment::parameters, &Environment::states})
    for (auto& [name, values] : environment.*part)
      for (double& v : values) v = static_cast<float>(v);
}

}  // namespace

Environment made_up_environment(const Graph& graph, int64_t rows, uint64_t seed) {
  Environment environment;
  environment.rows = rows;
  environment.seed = seed;
  environment.scalars = {{"learning_rate", 0.01}, {"inverse_batch", 1.0 / static_cast<double>(rows)}};
  Draws draws(seed);
  for (const Node& node : graph.nodes) {
    if (node.op != "input" && node.op != "parameter" && node.op != "state") continue;
    std::vector<double> values;
    const int64_t count = element_count(node.type.shape) * (node.type.batched ? rows : 1);
    // Weight matrices are scaled so that what comes out of them is as large as what goes in.
    const bool is_matrix = node.op == "parameter" && node.type.shape.size() == 2;
    const double size = is_matrix ? std::sqrt(3.0 / static_cast<double>(node.type.shape[0])) : 1;
    for (int64_t i = 0; i < count; ++i) {
      if (!is_floating(node.type.dtype)) values.push_back(static_cast<double>(draws.below(node.type.classes > 0 ? node.type.classes : 256)));
      else values.push_back(node.op == "state" ? 0 : draws.uniform(-size, size));
    }
    auto& part = node.op == "input" ? environment.inputs : node.op == "parameter" ? environment.parameters : environment.states;
    part[node.name] = std::move(values);
  }
  return environment;
}

CaseSuite::CaseSuite(std::vector<ConformanceCase> cases) : cases_(std::move(cases)) {
  std::set<std::string> names;
  for (ConformanceCase& c : cases_) {
    if (!names.insert(c.name).second) throw InternalError("two conformance cases are named " + c.name);
    rename_leaves(c);
    c.graph = expand_composites(simplify(std::move(c.graph)));
    expose_results(c);
    c.graph = remove_dead(share(simplify(std::move(c.graph))));
    round_to_f32(c.environment);
  }
}

namespace {

Program program_of(const ConformanceCase& c, const Target& target, bool fused, TowerMemory memory) {
  Program program = lower(c.graph, c.name);
  program.batch_capacity = c.environment.rows;
  if (fused) fuse(program, {memory});
  plan_layouts(std::span(&program, 1), target);
  if (memory == TowerMemory::separate) plan_separate_scopes(program);
  plan_stages(program);
  plan_memory(program);
  for (const std::string& fault : verify(program)) throw InternalError(c.name + ": " + fault + "\n" + to_string(program));
  return program;
}

}  // namespace

std::vector<Program> CaseSuite::programs(const Target& target, bool fused) const {
  std::vector<Program> programs;
  for (const ConformanceCase& c : cases_) programs.push_back(program_of(c, target, fused, TowerMemory::shared));
  return programs;
}

std::vector<TowerProgram> CaseSuite::separate_programs(const Target& target, bool fused, int towers) const {
  std::vector<TowerPlacement> placements;
  for (int tower = 0; tower < towers; ++tower) placements.push_back({{DeviceKind::sim, tower}, 1, 1});
  std::vector<TowerProgram> programs;
  for (size_t i = 0; i < cases_.size(); ++i) {
    if (!can_be_separate(i)) continue;
    const ConformanceCase& c = cases_[i];
    programs.push_back(plan_towers(program_of(c, target, fused, TowerMemory::separate), placements, {.memory = TowerMemory::separate}));
    for (const std::string& fault : verify(programs.back())) throw InternalError(c.name + ": " + fault);
  }
  return programs;
}

bool CaseSuite::can_be_separate(size_t number) const {
  return find_partial_sums(lower(cases_[number].graph, cases_[number].name)).faults.empty();
}

std::vector<Observations> run_suite(const CaseSuite& suite, Backend& backend, const Target& target, bool fused,
                                    int towers, bool with_errors, TowerMemory memory) {
  BackendRun run = memory == TowerMemory::separate ? BackendRun(backend, suite.separate_programs(target, fused, towers), towers)
                                                   : BackendRun(backend, suite.programs(target, fused), towers);
  std::vector<Observations> all;
  size_t next = 0;
  for (size_t number = 0; number < suite.cases().size(); ++number) {
    if (memory == TowerMemory::separate && !suite.can_be_separate(number)) {
      all.emplace_back();
      continue;
    }
    const size_t i = next++;   // of the programs
    const ConformanceCase& c = suite.cases()[number];
    const std::vector<std::string> known = run.parameters().names();
    const auto is_used = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
    for (auto part : {&Environment::parameters, &Environment::states})
      for (const auto& [name, values] : c.environment.*part)
        if (is_used(name)) run.set(name, values);
    run.seed = c.environment.seed;
    run.scalars = c.environment.scalars;
    Observations seen;
    for (int step = 0; step < c.steps; ++step) {
      run.update = c.environment.update + static_cast<uint32_t>(step);
      run.scalars["update_count"] = step + 1;
      run.step(c.environment.inputs, spread(c.environment.rows, towers), i);
      for (const Result& result : c.graph.results) {
        Observed& observed = seen["step " + std::to_string(step) + ", " + result.name];
        if (c.graph[result.node].type.batched) observed.values = run.output(result.name, i);
        else observed.values = {static_cast<float>(run.result(result.name, i))};
        if (with_errors) observed.errors = error_bounds(run.loaded(i), result.name);
      }
    }
    for (auto part : {&Environment::parameters, &Environment::states})
      for (const auto& [name, values] : c.environment.*part) {
        if (!is_used(name)) continue;
        seen[name].values = run.parameter(name);
        if (with_errors) seen[name].errors = error_bounds(run.parameters(), name);
      }
    all.push_back(std::move(seen));
  }
  return all;
}

}  // namespace netc::test
