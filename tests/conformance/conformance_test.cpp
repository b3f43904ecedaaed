// One meaning on every backend: each case, fused and not, on one and on three towers, within the tolerance that running
// error analysis computes for each element.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/backend/cpu/host_compiler.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/conformance/conformance_case.h"
#include "tests/conformance/registered_backends.h"

namespace netc::test {
namespace {

// The analysis follows sums in ascending order; a backend may add in another fixed order, whose partial sums are of the
// same size.
constexpr double kOrderSlack = 2;

struct Family {
  std::string name;
  std::vector<ConformanceCase> (*cases)();
};

const std::vector<Family> kFamilies = {{"Rows", row_cases}, {"Nets", net_cases}, {"Random", random_cases}};

// Made once a process: the cases and what the oracle says of them.
struct Judged {
  CaseSuite suite;
  std::vector<Observations> oracle;

  explicit Judged(const Family& family)
      : suite(family.cases()),
        oracle(run_suite(suite, *make_reference_backend(Arithmetic::bounded), *find_target("plain"), false, 1, true)) {}
};

const Judged& judged(size_t family) {
  static std::vector<std::unique_ptr<Judged>> all(kFamilies.size());
  if (!all[family]) all[family] = std::make_unique<Judged>(kFamilies[family]);
  return *all[family];
}

double tolerance(const Observed& want, size_t i) {
  return kOrderSlack * want.errors[i] + std::abs(want.values[i]) * 0x1p-24 + 0x1p-126;   // values are read as f32
}

void compare(const Observations& got, const Observations& want) {
  ASSERT_EQ(got.size(), want.size());
  for (const auto& [name, expected] : want) {
    SCOPED_TRACE(name);
    const std::vector<float>& values = got.at(name).values;
    ASSERT_EQ(values.size(), expected.values.size());
    int told = 0;
    for (size_t i = 0; i < values.size() && told < 3; ++i) {
      if (std::isnan(expected.values[i]) && std::isnan(values[i])) continue;
      if (values[i] == expected.values[i]) continue;   // infinities too
      const double difference = std::abs(double{values[i]} - double{expected.values[i]});
      if (difference <= tolerance(expected, i)) continue;
      ++told;
      ADD_FAILURE() << "[" << i << "] is " << values[i] << ", not " << expected.values[i] << " within "
                    << tolerance(expected, i);
    }
  }
}

struct Setup {
  size_t backend, family;
  bool fused;
};

void PrintTo(const Setup& setup, std::ostream* out) { *out << registered_backends()[setup.backend].name; }

class Conformance : public ::testing::TestWithParam<Setup> {};

TEST_P(Conformance, AgreesWithTheOracle) {
  const RegisteredBackend& registered = registered_backends()[GetParam().backend];
  const Judged& reference = judged(GetParam().family);
  for (const int towers : {1, 3}) {
    SCOPED_TRACE(std::to_string(towers) + " towers");
    std::unique_ptr<Backend> backend;
    try {
      backend = registered.make(towers);
    } catch (const CompilerMissing& missing) {
      GTEST_SKIP() << missing.what();
    }
    const auto got = run_suite(reference.suite, *backend, registered.target, GetParam().fused, towers, false, registered.memory);
    size_t left_out = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (registered.memory == TowerMemory::separate && got[i].empty() && !reference.suite.can_be_separate(i)) {
        ++left_out;   // no plan for towers with a memory each, which tests/towers proves to be refused
        continue;
      }
      const std::string& name = reference.suite.cases()[i].name;
      if (registered.unsupported.contains(name)) continue;
      SCOPED_TRACE(name);
      compare(got[i], reference.oracle[i]);
    }
    EXPECT_LE(left_out * 20, got.size()) << left_out << " cases left out";
  }
}

std::vector<Setup> setups() {
  std::vector<Setup> all;
  for (size_t family = 0; family < kFamilies.size(); ++family)
    for (size_t backend = 0; backend < registered_backends().size(); ++backend)
      for (const bool fused : {false, true})
        if (fused || registered_backends()[backend].unfused_too) all.push_back({backend, family, fused});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, ::testing::ValuesIn(setups()), [](const auto& tested) {
  return kFamilies[tested.param.family].name + "_" + registered_backends()[tested.param.backend].name +
         (tested.param.fused ? "_fused" : "_unfused");
});

// A tolerance as large as the values would prove nothing. Few elements may have one: those where a branch hangs on a
// rounding, or where a quotient's divisor may vanish.
class Tolerances : public ::testing::TestWithParam<size_t> {};

TEST_P(Tolerances, AreSmallBesideTheValues) {
  const Judged& reference = judged(GetParam());
  int64_t loose = 0, elements = 0;
  std::string worst;
  for (size_t i = 0; i < reference.oracle.size(); ++i)
    for (const auto& [name, expected] : reference.oracle[i]) {
      double largest = 1e-3;
      for (float v : expected.values) largest = std::max(largest, std::abs(double{v}));
      int64_t here = 0;
      for (size_t j = 0; j < expected.values.size(); ++j) here += !(tolerance(expected, j) < 1e-3 * largest);
      if (here > 0) worst += "\n  " + reference.suite.cases()[i].name + ", " + name + ": " + std::to_string(here) + " of " +
                             std::to_string(expected.values.size());
      loose += here;
      elements += static_cast<int64_t>(expected.values.size());
    }
  EXPECT_LT(static_cast<double>(loose), 0.02 * static_cast<double>(elements)) << worst;
}

INSTANTIATE_TEST_SUITE_P(Families, Tolerances, ::testing::Range<size_t>(0, kFamilies.size()),
                         [](const auto& tested) { return kFamilies[tested.param].name; });

}  // namespace
}  // namespace netc::test
