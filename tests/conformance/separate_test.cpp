// The conformance suite on towers with a memory each: every case that can be planned so, with products generated and with
// products left to a library, against the same oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/kernel/partial_sums.h"
#include "compiler/program/fuse.h"
#include "compiler/program/gather_summands.h"
#include "compiler/program/plan_memory.h"
#include "compiler/program/plan_scopes.h"
#include "compiler/program/plan_stages.h"
#include "compiler/program/plan_towers.h"
#include "compiler/program/split_products.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/conformance/conformance_case.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

constexpr int kTowers = 3;
constexpr double kOrderSlack = 2;   // as in conformance_test.cpp

bool can_be_separate(const Program& unfused) { return find_partial_sums(unfused).faults.empty(); }

TowerProgram separate_plan(Program program, const ProductLibrary* library) {
  gather_summands(program);
  fuse(program, {TowerMemory::separate});
  if (library) split_products(program, *library, {TowerMemory::separate});
  plan_separate_scopes(program);
  plan_stages(program);
  plan_memory(program);
  TowerProgram plan = plan_towers(std::move(program), std::vector<TowerPlacement>(kTowers), {TowerMemory::separate, 64, 256});
  for (const std::string& fault : verify(plan)) ADD_FAILURE() << fault << "\n" << to_string(plan) << to_string(plan.program);
  return plan;
}

class SeparateSuite : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(SeparateSuite, AgreesWithTheOracle) {
  static std::vector<ConformanceCase> (*const kFamilies[])() = {row_cases, net_cases, random_cases};
  const CaseSuite suite(kFamilies[std::get<0>(GetParam())]());
  const auto oracle = run_suite(suite, *make_reference_backend(Arithmetic::bounded), *find_target("plain"), false, 1, true);
  ProductLibrary library = cublaslt();
  library.mask_columns = 1;
  const std::vector<Program> programs = suite.programs(*find_target("plain"), false);
  size_t planned = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    const ConformanceCase& c = suite.cases()[i];
    SCOPED_TRACE(c.name);
    Program program = programs[i];
    for (Buffer& buffer : program.buffers) buffer.layout = Layout::row_major, buffer.panel_columns = buffer.padded_rows = 0;
    if (!can_be_separate(program)) continue;
    ++planned;
    const auto backend = make_reference_backend(Arithmetic::f32);
    BackendRun run(*backend, std::vector<TowerProgram>{separate_plan(program, std::get<1>(GetParam()) ? &library : nullptr)}, kTowers);
    const std::vector<std::string> known = run.parameters().names();
    for (auto part : {&Environment::parameters, &Environment::states})
      for (const auto& [name, values] : c.environment.*part)
        if (std::find(known.begin(), known.end(), name) != known.end()) run.set(name, values);
    run.seed = c.environment.seed;
    run.scalars = c.environment.scalars;
    const auto compare = [&](const std::string& what, const std::vector<float>& got) {
      const auto place = oracle[i].find(what);
      ASSERT_NE(place, oracle[i].end()) << what;
      const Observed& want = place->second;
      ASSERT_EQ(got.size(), want.values.size()) << what;
      for (size_t e = 0; e < got.size(); ++e) {
        if (got[e] == want.values[e] || (std::isnan(got[e]) && std::isnan(want.values[e]))) continue;
        const double tolerance = kOrderSlack * want.errors[e] + std::abs(want.values[e]) * 0x1p-24 + 0x1p-126;
        EXPECT_LE(std::abs(double{got[e]} - double{want.values[e]}), tolerance) << what << "[" << e << "]";
      }
    };
    for (int step = 0; step < c.steps; ++step) {
      run.update = c.environment.update + static_cast<uint32_t>(step);
      run.scalars["update_count"] = step + 1;
      run.step(c.environment.inputs, spread(c.environment.rows, kTowers));
      for (const Result& result : c.graph.results) {
        const std::string what = "step " + std::to_string(step) + ", " + result.name;
        if (c.graph[result.node].type.batched) compare(what, run.output(result.name));
        else compare(what, {static_cast<float>(run.result(result.name))});
      }
    }
    for (const std::string& name : known) {
      if (oracle[i].count(name)) compare(name, run.parameter(name));
      for (int tower = 1; tower < kTowers; ++tower) {
        const std::vector<float> a = weight_of_tower(run.parameters(), 0, name), b = weight_of_tower(run.parameters(), tower, name);
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << name << " of tower " << tower;
      }
    }
  }
  EXPECT_GT(planned, programs.size() / 2);
}

std::string suite_name(const ::testing::TestParamInfo<std::tuple<int, bool>>& tested) {
  static const char* const kNames[] = {"Rows", "Nets", "Random"};
  return std::string(kNames[std::get<0>(tested.param)]) + (std::get<1>(tested.param) ? "_library" : "_generated");
}
INSTANTIATE_TEST_SUITE_P(Families, SeparateSuite, ::testing::Combine(::testing::Range(0, 3), ::testing::Bool()), suite_name);

}  // namespace
}  // namespace netc::test
