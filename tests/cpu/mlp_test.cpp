// A whole training step: against the reference backend, and bit for bit over towers, threads and batch sizes.
#include "tests/cpu/mlp_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/backend/reference/reference_backend.h"
#include "tests/cpu/backend_runs.h"
#include "tests/cpu/targets_to_run.h"
#include "tests/cpu/temporary_folder.h"

namespace netc {
namespace {

class MlpTest : public testing::TestWithParam<Target> {
 protected:
  std::unique_ptr<Backend> cpu() const {
    return make_cpu_backend(options_for(GetParam(), folder_.path()));
  }
  TemporaryFolder folder_;
};

TEST_P(MlpTest, MatchesTheReferenceAtAwkwardSizes) {
  for (const auto& units : {std::vector<int64_t>{5, 3, 2}, {33, 17, 40, 10}}) {
    for (bool panels : {true, false}) {
      if (GetParam().name == "wide" && !panels) continue;   // slow to compile, and told apart by kernel_test
      MlpShape shape;
      shape.units = units;
      shape.batch_capacity = 19;
      shape.panels = panels;
      const Program program = MlpProgram(shape, GetParam()).build();
      ASSERT_THAT(verify(program), testing::IsEmpty());
      for (int64_t rows : {1, 7, 19}) {
        RunSetup setup;
        setup.tower_rows = {rows};
        setup.tower_threads = {1};
        setup.classes = units.back();
        setup.steps = 2;
        auto reference = make_reference_backend(Arithmetic::f32);
        auto fast = cpu();
        const RunResult expected = run_program(*reference, program, setup), actual = run_program(*fast, program, setup);
        for (const auto& [name, values] : expected)
          EXPECT_LT(largest_difference(actual.at(name), values), 2e-5)
              << name << ", " << rows << " rows, " << testing::PrintToString(units) << (panels ? " panels" : " row-major");
      }
    }
  }
}

TEST_P(MlpTest, GivesTheSameBitsForAnyTowersAndThreads) {
  MlpShape shape;
  shape.units = {50, 70, 40, 10};
  for (int64_t batch : {1, 7, 128, 483}) {
    shape.batch_capacity = batch;
    const Program program = MlpProgram(shape, GetParam()).build();
    auto backend = cpu();
    RunResult first;
    for (int64_t towers : {1, 2, 3, 5})
      for (bool thread_each : {false, true}) {   // all cores shared by the towers, or a thread for every tower
        RunSetup setup;
        setup.steps = 3;
        setup.tower_rows.clear();
        for (int64_t t = 0; t < towers; ++t) setup.tower_rows.push_back(batch / towers + (t < batch % towers));
        if (thread_each) setup.tower_threads.assign(static_cast<size_t>(towers), 1);
        const RunResult result = run_program(*backend, program, setup);
        if (first.empty()) first = result;
        EXPECT_TRUE(same_bits(first, result)) << batch << " rows, " << towers << " towers" << (thread_each ? ", a thread each" : "");
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, MlpTest, testing::ValuesIn(targets_to_run()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace netc
