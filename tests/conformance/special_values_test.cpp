// What every backend must do at the edges: NaN and infinities, ids that do not fit, draws and row numbers of towers.
// Kernels by hand, all in one load; expectations by the definition of each operation (scalar_op.h) and of random.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/base/errors.h"
#include "compiler/kernel/analysis.h"
#include "compiler/kernel/random.h"
#include "compiler/kernel/scalar_op.h"
#include "compiler/program/plan_scopes.h"
#include "compiler/program/plan_towers.h"
#include "runtime/backend/cpu/host_compiler.h"
#include "tests/conformance/registered_backends.h"
#include "tests/kernel/hand_program.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

constexpr ExprOp kUnary[] = {ExprOp::neg,  ExprOp::abs,   ExprOp::exp,        ExprOp::log, ExprOp::log1p,
                             ExprOp::expm1, ExprOp::sqrt, ExprOp::rsqrt,      ExprOp::reciprocal, ExprOp::tanh,
                             ExprOp::erf,  ExprOp::floor, ExprOp::sign,       ExprOp::sin, ExprOp::cos};
constexpr ExprOp kBinary[] = {ExprOp::add, ExprOp::sub, ExprOp::mul, ExprOp::div, ExprOp::max, ExprOp::min, ExprOp::pow};
constexpr ExprOp kCompare[] = {ExprOp::lt, ExprOp::le, ExprOp::gt, ExprOp::ge, ExprOp::eq, ExprOp::ne};

const std::vector<float> kSpecial = {0.0F, 1.0F, -1.0F, 0.5F, -0.5F, 2.0F, 1e-6F, -1e-6F, 3.7F, -3.7F, 20.0F, -20.0F, 88.0F,
                                     -80.0F, 100.0F, -200.0F, 1e20F, -1e20F, kInfinity, -kInfinity, kNan};

// y has one column for each operation on x (and z).
HandProgram operations() {
  HandProgram p(1024);
  p.name = "operations";
  const BufferId x = p.input("x", 1), z = p.input("z", 1);
  const BufferId unary = p.output("unary", std::size(kUnary)), binary = p.output("binary", std::size(kBinary));
  const BufferId compare = p.output("compare", std::size(kCompare));
  KernelBuilder k("operations");
  const AxisId r = k.parallel("r", kBatch);
  const ExprId a = k.load(x, at(r), at_constant(0)), b = k.load(z, at(r), at_constant(0));
  for (size_t i = 0; i < std::size(kUnary); ++i)
    k.store(unary, at(r), at_constant(static_cast<int64_t>(i)), k.unary(kUnary[i], a));
  for (size_t i = 0; i < std::size(kBinary); ++i)
    k.store(binary, at(r), at_constant(static_cast<int64_t>(i)), k.binary(kBinary[i], a, b));
  for (size_t i = 0; i < std::size(kCompare); ++i)
    k.store(compare, at(r), at_constant(static_cast<int64_t>(i)),
            k.select(k.binary(kCompare[i], a, b), k.constant(1), k.constant(0)));
  p.step(k.take());
  return p;
}

// max, min and sum of each row, and which row of the batch it is.
HandProgram rows() {
  HandProgram p(64);
  p.name = "rows";
  const BufferId x = p.input("x", 19), y = p.output("y", 4);
  KernelBuilder k("rows");
  const AxisId r = k.parallel("r", kBatch), c = k.axis("c", {19, false});
  k.phase({c});
  const ExprId v = k.load(x, at(r), at(c));
  const ExprId most = k.reduce(Combine::max, v), least = k.reduce(Combine::min, v), sum = k.reduce(Combine::sum, v);
  k.phase();
  k.store(y, at(r), at_constant(0), most);
  k.store(y, at(r), at_constant(1), least);
  k.store(y, at(r), at_constant(2), sum);
  k.store(y, at(r), at_constant(3), k.cast(k.axis_value(r), DType::f32));
  p.step(k.take());
  return p;
}

HandProgram draws() {
  HandProgram p(64);
  p.name = "draws";
  const BufferId x = p.input("x", 21), y = p.output("y", 21);
  KernelBuilder k("draws");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {21, false});
  const ExprId keep = k.binary(ExprOp::ge, k.random(77, at(r), at(c)), k.constant(0x33333333, DType::i64));
  k.store(y, at(r), at(c), k.select(keep, k.load(x, at(r), at(c)), k.constant(0)));
  p.step(k.take());
  return p;
}

HandProgram table() {
  HandProgram p(64);
  p.name = "table";
  const BufferId ids = p.input("ids", 1, DType::i32), weights = p.parameter("weights", 5, 18), y = p.output("y", 18);
  KernelBuilder k("gather");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {18, false});
  k.store(y, at(r), at(c), k.load(weights, at_gathered(k.load(ids, at(r), at_constant(0), DType::i32)), at(c)));
  p.step(k.take());
  return p;
}

HandProgram types() {
  HandProgram p(64);
  p.name = "types";
  const BufferId bytes = p.input("bytes", 9, DType::u8), words = p.input("words", 9, DType::i32);
  const BufferId truths = p.input("truths", 9, DType::boolean), y = p.output("y", 9), whole = p.output("whole", 9, DType::i32);
  KernelBuilder k("types");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {9, false});
  const ExprId byte = k.cast(k.load(bytes, at(r), at(c), DType::i32), DType::f32);
  const ExprId sum = k.binary(ExprOp::add, byte, k.cast(k.load(words, at(r), at(c), DType::i32), DType::f32));
  k.store(y, at(r), at(c), k.select(k.load(truths, at(r), at(c), DType::boolean), sum, k.unary(ExprOp::neg, sum)));
  k.store(whole, at(r), at(c), k.cast(k.binary(ExprOp::mul, sum, k.constant(0.25)), DType::i32));
  p.step(k.take());
  return p;
}

enum ProgramNumber : size_t { kOperations, kRows, kDraws, kTable, kTypes };

class SpecialValues : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    try {
      registered_backends()[GetParam()].make(1);
    } catch (const CompilerMissing& missing) {
      GTEST_SKIP() << missing.what();
    }
  }
  BackendRun load(int towers = 1) {
    const RegisteredBackend& registered = registered_backends()[GetParam()];
    backend_ = registered.make(towers);
    std::vector<Program> programs = {operations(), rows(), draws(), table(), types()};
    for (const Program& program : programs) EXPECT_EQ(verify(program), std::vector<std::string>{}) << program.name;
    if (registered.memory == TowerMemory::shared) return BackendRun(*backend_, std::move(programs), towers);
    std::vector<TowerProgram> plans;
    for (Program& program : programs) {
      plan_separate_scopes(program);
      plans.push_back(plan_towers(std::move(program), std::vector<TowerPlacement>(static_cast<size_t>(towers), {{DeviceKind::sim, 0}, 1, 1}),
                                  {.memory = TowerMemory::separate}));
    }
    return BackendRun(*backend_, plans, towers);
  }
  std::unique_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Backends, SpecialValues, ::testing::Range<size_t>(0, registered_backends().size()),
                         [](const auto& tested) { return registered_backends()[tested.param].name; });

// Alike: both NaN, the same infinity, or within 4 ulp and what flushing a denormal loses.
void expect_alike(float got, float want, const std::string& what) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << what << " is " << got << ", not NaN";
  } else if (std::isinf(want)) {
    EXPECT_EQ(got, want) << what;
  } else {
    EXPECT_NEAR(got, want, std::abs(want) * 0x1p-21 + std::numeric_limits<float>::min()) << what;
  }
}

TEST_P(SpecialValues, OperationsAtTheEdges) {
  NamedValues inputs{{"x", {}}, {"z", {}}};
  for (const float a : kSpecial)
    for (const float b : kSpecial) {
      inputs["x"].push_back(a);
      inputs["z"].push_back(b);
    }
  const auto count = static_cast<int64_t>(inputs["x"].size());
  BackendRun run = load();
  run.step(inputs, {count}, kOperations);
  const std::vector<float> unary = run.output("unary", kOperations), binary = run.output("binary", kOperations);
  const std::vector<float> compare = run.output("compare", kOperations);
  for (size_t row = 0; row < static_cast<size_t>(count); ++row) {
    const auto a = static_cast<float>(inputs["x"][row]), b = static_cast<float>(inputs["z"][row]);
    const std::string operands = "(" + std::to_string(a) + ", " + std::to_string(b) + ")";
    for (size_t i = 0; i < std::size(kUnary) && row % kSpecial.size() == 0; ++i) {
      const bool turns = kUnary[i] == ExprOp::sin || kUnary[i] == ExprOp::cos;
      if (turns && std::isfinite(a) && std::abs(a) > 1e3F) continue;   // far turns lose their digits
      expect_alike(unary[row * std::size(kUnary) + i], apply<float>(kUnary[i], a), expr_op_name(kUnary[i]) + operands);
    }
    for (size_t i = 0; i < std::size(kBinary); ++i) {
      if (kBinary[i] == ExprOp::pow && !(a > 0 && std::isfinite(a) && std::isfinite(b) && std::abs(b) < 30)) continue;
      expect_alike(binary[row * std::size(kBinary) + i], apply<float>(kBinary[i], a, b), expr_op_name(kBinary[i]) + operands);
    }
    for (size_t i = 0; i < std::size(kCompare); ++i)
      EXPECT_EQ(compare[row * std::size(kCompare) + i], apply<float>(kCompare[i], a, b)) << expr_op_name(kCompare[i]) << operands;
  }
}

TEST_P(SpecialValues, ReductionsPassNanAndInfinityOn) {
  for (const int towers : {1, 3}) {
    BackendRun run = load(towers);
    Values x(7 * 19, 0.5);
    x[1 * 19 + 18] = kNan;      // the last of row 1
    x[2 * 19 + 0] = kInfinity;
    x[3 * 19 + 5] = -kInfinity;
    x[4 * 19 + 7] = kNan;       // NaN beside a larger value
    x[4 * 19 + 8] = kInfinity;
    run.step({{"x", x}}, spread(7, towers), kRows);
    const std::vector<float> y = run.output("y", kRows);
    for (const size_t row : {size_t{1}, size_t{4}})
      for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[row * 4 + i])) << "row " << row << ", reduction " << i;
    EXPECT_EQ(y[2 * 4], kInfinity);
    EXPECT_EQ(y[2 * 4 + 1], 0.5F);
    EXPECT_EQ(y[2 * 4 + 2], kInfinity);
    EXPECT_EQ(y[3 * 4 + 1], -kInfinity);
    EXPECT_EQ(y[6 * 4 + 2], 9.5F);
    for (size_t row = 0; row < 7; ++row) EXPECT_EQ(y[row * 4 + 3], static_cast<float>(row)) << "counts over all towers";
  }
}

TEST_P(SpecialValues, DrawsBelongToTheGlobalRow) {
  for (const int towers : {1, 2, 3}) {
    BackendRun run = load(towers);
    run.seed = 0xfedcba9876543210ull;
    run.update = 41;
    run.step({{"x", Values(11 * 21, 1.0)}}, spread(11, towers), kDraws);
    const std::vector<float> y = run.output("y", kDraws);
    for (uint32_t row = 0; row < 11; ++row)
      for (uint32_t column = 0; column < 21; ++column)
        ASSERT_EQ(y[row * 21 + column], random_bits(run.seed, 41, 77, row, column) >= 0x33333333u ? 1 : 0)
            << towers << " towers, row " << row << ", column " << column;
  }
}

TEST_P(SpecialValues, AnIdOutsideItsTableIsRefused) {
  BackendRun run = load(2);
  Values weights;
  for (int i = 0; i < 5 * 18; ++i) weights.push_back(i);
  run.set("weights", weights);
  for (const double bad : {-1.0, 5.0, 2147483647.0, -2147483648.0})
    EXPECT_THROW(run.step({{"ids", {0, 4, bad}}}, {2, 1}, kTable), RuntimeError) << bad;
  run.step({{"ids", {0, 4, 2}}}, {2, 1}, kTable);   // and the next step is as good as ever
  const std::vector<float> y = run.output("y", kTable);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[18 + 17], 4 * 18 + 17);
  EXPECT_EQ(y[2 * 18 + 1], 2 * 18 + 1);
}

TEST_P(SpecialValues, EveryStoredTypeIsReadAndWritten) {
  BackendRun run = load();
  NamedValues inputs{{"bytes", {}}, {"words", {}}, {"truths", {}}};
  for (int i = 0; i < 3 * 9; ++i) {
    inputs["bytes"].push_back(i * 9 % 256);
    inputs["words"].push_back((i - 13) * 1001);
    inputs["truths"].push_back(i % 2);
  }
  run.step(inputs, {3}, kTypes);
  const std::vector<float> y = run.output("y", kTypes), whole = run.output("whole", kTypes);
  for (size_t i = 0; i < 3 * 9; ++i) {
    const double sum = inputs["bytes"][i] + inputs["words"][i];
    EXPECT_EQ(y[i], inputs["truths"][i] != 0 ? sum : -sum) << i;
    EXPECT_EQ(whole[i], std::trunc(sum / 4)) << i;
  }
}

}  // namespace
}  // namespace netc::test
