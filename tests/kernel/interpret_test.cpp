// The interpreter against values computed by hand or by plain loops, in f32 and f64, on one and several towers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/base/errors.h"
#include "compiler/kernel/random.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/kernel/hand_program.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

class Interpret : public ::testing::TestWithParam<Arithmetic> {
 protected:
  BackendRun load(const Program& program, int towers = 1) {
    EXPECT_THAT(verify(program), ::testing::IsEmpty());
    backend_ = make_reference_backend(GetParam());
    return BackendRun(*backend_, {program}, towers);
  }
  std::unique_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Arithmetics, Interpret, ::testing::Values(Arithmetic::f32, Arithmetic::f64, Arithmetic::bounded),
                         [](const auto& tested) {
                           return tested.param == Arithmetic::f32 ? "f32" : tested.param == Arithmetic::f64 ? "f64" : "bounded";
                         });

// Numbers that are exact in f32 sums of a few hundred.
Values ramp(int64_t count, double scale = 0.25, int64_t period = 17) {
  Values values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * 7 % period - period / 2) * scale);
  return values;
}

TEST_P(Interpret, PointwiseWithBroadcastOverRowsAndColumns) {
  HandProgram p;
  const BufferId x = p.input("x", 3), scale = p.input("scale", 1), shift = p.parameter("shift", 1, 3), y = p.output("y", 3);
  KernelBuilder k("affine");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {3, false});
  const ExprId scaled = k.binary(ExprOp::mul, k.load(x, at(r), at(c)), k.load(scale, at(r), at_constant(0)));
  k.store(y, at(r), at(c), k.binary(ExprOp::add, scaled, k.load(shift, at_constant(0), at(c))));
  p.step(k.take());
  BackendRun run = load(p);
  run.set("shift", {10, 20, 30});
  run.step({{"x", {1, 2, 3, 4, 5, 6}}, {"scale", {1, -2}}}, {2});
  EXPECT_THAT(run.output("y"), ElementsAre(11, 22, 33, 2, 10, 18));
}

TEST_P(Interpret, RowSoftmaxOfFewAndManyColumns) {
  for (const int64_t columns : {1, 3, 10, 300}) {
    HandProgram p(200);
    const BufferId x = p.input("x", columns), y = p.output("y", columns);
    p.step(row_softmax(x, y, columns));
    BackendRun run = load(p);
    const int64_t rows = 150;   // more than one strip
    const Values in = ramp(rows * columns, 0.3);
    run.step({{"x", in}}, {rows});
    const std::vector<float> out = run.output("y");
    for (int64_t r = 0; r < rows; ++r) {
      double total = 0;
      for (int64_t c = 0; c < columns; ++c) total += std::exp(in[r * columns + c]);
      for (int64_t c = 0; c < columns; ++c)
        ASSERT_NEAR(out[r * columns + c], std::exp(in[r * columns + c]) / total, 1e-6) << r << ", " << c;
    }
  }
}

TEST_P(Interpret, MatrixProductWithEpilogue) {
  for (const int64_t columns : {1, 4, 130})
    for (const int64_t inner : {1, 5, 33}) {
      HandProgram p;
      const BufferId x = p.input("x", inner), w = p.parameter("w", inner, columns), b = p.parameter("b", 1, columns);
      const BufferId y = p.output("y", columns);
      p.step(dense_relu(x, w, b, y, inner, columns));
      BackendRun run = load(p);
      const int64_t rows = 7;   // not a multiple of the rows taken at a time
      const Values in = ramp(rows * inner), weights = ramp(inner * columns, 0.5, 13), bias = ramp(columns);
      run.set("w", weights);
      run.set("b", bias);
      run.step({{"x", in}}, {rows});
      const std::vector<float> out = run.output("y");
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
          double sum = bias[c];
          for (int64_t i = 0; i < inner; ++i) sum += in[r * inner + i] * weights[i * columns + c];
          ASSERT_EQ(out[r * columns + c], std::max(0.0, sum)) << r << ", " << c;
        }
    }
}

TEST_P(Interpret, MatrixProductOfTransposedOperandsInPanels) {
  HandProgram p;   // y = x * w^T with x and w in panels
  const int64_t inner = 19, columns = 21, rows = 6;
  const BufferId x = p.input("x", inner), w = p.parameter("w", columns, inner), y = p.output("y", columns);
  for (const BufferId id : {x, w, y}) {
    p.buffers[id].layout = Layout::panels;
    p.buffers[id].panel_columns = 8;
    p.buffers[id].padded_rows = 24;
  }
  KernelBuilder k("product");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false}), i = k.axis("k", {inner, false});
  k.phase({i});
  const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), k.load(w, at(c), at(i))));
  k.phase();
  k.store(y, at(r), at(c), sum);
  p.step(k.take());
  BackendRun run = load(p);
  const Values in = ramp(rows * inner), weights = ramp(inner * columns, 0.5, 13);
  run.set("w", weights);
  EXPECT_EQ(run.parameter("w"), std::vector<float>(weights.begin(), weights.end()));
  run.step({{"x", in}}, {rows});
  const std::vector<float> out = run.output("y");
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double want = 0;
      for (int64_t j = 0; j < inner; ++j) want += in[row * inner + j] * weights[column * inner + j];
      ASSERT_EQ(out[row * columns + column], want);
    }
}

// The gradient of a dense layer's weights and an update in the epilogue: w -= lr * sum over the batch of x^T g.
Kernel weight_update(BufferId x, BufferId g, BufferId w, int64_t lr, int64_t inner, int64_t columns) {
  KernelBuilder k("dw_sgd");
  const AxisId i = k.parallel("i", {inner, false}), c = k.parallel("c", {columns, false}), r = k.axis("r", kBatch);
  k.phase({r});
  const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), k.load(g, at(r), at(c))));
  k.phase();
  const ExprId move = k.binary(ExprOp::mul, k.scalar(lr), sum);
  k.store(w, at(i), at(c), k.binary(ExprOp::sub, k.load(w, at(i), at(c)), move));
  return k.take();
}

TEST_P(Interpret, BatchReductionGivesTheSameBitsForAnyNumberOfTowers) {
  HandProgram p(64);
  const int64_t inner = 9, columns = 5, rows = 41;
  const BufferId x = p.input("x", inner), g = p.input("g", columns), w = p.parameter("w", inner, columns);
  const BufferId total = p.result("total");
  p.step(weight_update(x, g, w, p.scalar("learning_rate"), inner, columns));
  KernelBuilder k("sum_of_squares");
  const AxisId r = k.axis("r", kBatch), c = k.axis("c", {columns, false});
  k.phase({r, c});
  const ExprId v = k.load(g, at(r), at(c));
  const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, v, v));
  k.phase();
  k.store(total, at_constant(0), at_constant(0), sum);
  p.step(k.take());

  Values xs, gs;   // sums of these are not exact
  for (int64_t i = 0; i < rows * inner; ++i) xs.push_back(std::sin(static_cast<double>(i)));
  for (int64_t i = 0; i < rows * columns; ++i) gs.push_back(std::cos(static_cast<double>(i) * 1.7));
  std::vector<float> first_w;
  double first_total = 0;
  for (const int towers : {1, 2, 3, 5}) {
    BackendRun run = load(p, towers);
    run.scalars["learning_rate"] = 0.1;
    run.set("w", ramp(inner * columns));
    run.step({{"x", xs}, {"g", gs}}, spread(rows, towers));
    if (towers == 1) {
      first_w = run.parameter("w");
      first_total = run.result("total");
      double want = ramp(1)[0];
      for (int64_t row = 0; row < rows; ++row) want -= 0.1 * xs[row * inner] * gs[row * columns];
      EXPECT_NEAR(first_w[0], want, 1e-5);
    }
    EXPECT_EQ(run.parameter("w"), first_w) << towers << " towers";
    EXPECT_EQ(run.result("total"), first_total) << towers << " towers";
  }
}

TEST_P(Interpret, AnIdleTowerIsLegal) {
  HandProgram p;
  const BufferId x = p.input("x", 2), y = p.output("y", 2);
  p.step(row_softmax(x, y, 2));
  BackendRun run = load(p, 3);
  run.step({{"x", {0, 0}}}, {1, 0, 0});
  EXPECT_THAT(run.output("y"), ElementsAre(0.5, 0.5));
}

HandProgram gather_and_scatter() {
  HandProgram p;
  const BufferId ids = p.input("ids", 1, DType::i32), g = p.input("g", 3), table = p.parameter("table", 4, 3);
  const BufferId y = p.output("y", 3), d = p.gradient("d", 4, 3), copy = p.parameter("copy", 4, 3);
  {
    KernelBuilder k("gather");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {3, false});
    const ExprId id = k.load(ids, at(r), at_constant(0), DType::i32);
    k.store(y, at(r), at(c), k.load(table, at_gathered(id), at(c)));
    p.step(k.take());
  }
  {
    KernelBuilder k("scatter_add");
    const AxisId c = k.parallel("c", {3, false}), v = k.axis("v", {4, false}), r = k.axis("r", kBatch);
    k.phase({v});
    k.store(d, at(v), at(c), k.constant(0));
    k.phase({r});
    const ExprId id = k.load(ids, at(r), at_constant(0), DType::i32);
    k.accumulate(d, at_gathered(id), at(c), k.load(g, at(r), at(c)));
    p.step(k.take());
  }
  {
    KernelBuilder k("copy");
    const AxisId v = k.parallel("v", {4, false}), c = k.parallel("c", {3, false});
    k.store(copy, at(v), at(c), k.load(d, at(v), at(c)));
    p.step(k.take());
  }
  return p;
}

TEST_P(Interpret, GatherAndScatterAdd) {
  for (const int towers : {1, 2}) {
    BackendRun run = load(gather_and_scatter(), towers);
    run.set("table", {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32});
    run.step({{"ids", {2, 0, 2}}, {"g", {1, 2, 3, 4, 5, 6, 7, 8, 9}}}, spread(3, towers));
    EXPECT_THAT(run.output("y"), ElementsAre(20, 21, 22, 0, 1, 2, 20, 21, 22));
    EXPECT_THAT(run.parameter("copy"), ElementsAre(4, 5, 6, 0, 0, 0, 8, 10, 12, 0, 0, 0));
  }
}

TEST_P(Interpret, AnIdOutsideTheTableIsTheDatasFault) {
  for (const double id : {-1.0, 4.0}) {
    BackendRun run = load(gather_and_scatter());
    run.set("table", Values(12, 0));
    try {
      run.step({{"ids", {id}}, {"g", {1, 2, 3}}}, {1});
      FAIL() << "id " << id << " was used";
    } catch (const RuntimeError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("lies outside 'table', which has 4 rows"));
    }
  }
}

TEST_P(Interpret, RandomBitsDependOnTheGlobalRowOnly) {
  HandProgram p;
  const BufferId x = p.input("x", 6), y = p.output("y", 6);
  KernelBuilder k("dropout");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {6, false});
  const ExprId keep = k.binary(ExprOp::ge, k.random(1234, at(r), at(c)), k.constant(0x40000000, DType::i64));
  k.store(y, at(r), at(c), k.select(keep, k.load(x, at(r), at(c)), k.constant(0)));
  p.step(k.take());
  const int64_t rows = 11;
  Values ones(rows * 6, 1.0);
  for (const int towers : {1, 2, 3, 5}) {
    BackendRun run = load(p, towers);
    run.seed = 0x123456789abcull;
    run.update = 3;
    run.step({{"x", ones}}, spread(rows, towers));
    const std::vector<float> out = run.output("y");
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < 6; ++column) {
        const bool kept = random_bits(run.seed, 3, 1234, static_cast<uint32_t>(row), static_cast<uint32_t>(column)) >= 0x40000000u;
        ASSERT_EQ(out[row * 6 + column], kept ? 1 : 0) << towers << " towers, row " << row;
      }
  }
}

TEST_P(Interpret, AxisValuesCountOverTheWholeBatch) {
  HandProgram p;
  const BufferId x = p.input("x", 2), y = p.output("y", 2);
  KernelBuilder k("row_number");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {2, false});
  const ExprId number = k.binary(ExprOp::add, k.cast(k.axis_value(r), DType::f32), k.cast(k.axis_value(c), DType::f32));
  k.store(y, at(r), at(c), k.binary(ExprOp::add, number, k.load(x, at(r), at(c))));
  p.step(k.take());
  BackendRun run = load(p, 2);
  run.step({{"x", Values(6, 0.0)}}, {2, 1});
  EXPECT_THAT(run.output("y"), ElementsAre(0, 1, 1, 2, 2, 3));
}

TEST_P(Interpret, ReadsEveryInputType) {
  HandProgram p;
  const BufferId bytes = p.input("bytes", 2, DType::u8), words = p.input("words", 2, DType::i32);
  const BufferId truths = p.input("truths", 2, DType::boolean), y = p.output("y", 2), whole = p.output("whole", 2, DType::i32);
  KernelBuilder k("casts");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {2, false});
  const ExprId b = k.cast(k.load(bytes, at(r), at(c), DType::i32), DType::f32);
  const ExprId w = k.cast(k.load(words, at(r), at(c), DType::i32), DType::f32);
  const ExprId sum = k.binary(ExprOp::add, b, w);
  const ExprId chosen = k.select(k.load(truths, at(r), at(c), DType::boolean), sum, k.unary(ExprOp::neg, sum));
  k.store(y, at(r), at(c), chosen);
  k.store(whole, at(r), at(c), k.cast(k.binary(ExprOp::div, sum, k.constant(4)), DType::i32));
  p.step(k.take());
  BackendRun run = load(p);
  run.step({{"bytes", {255, 3}}, {"words", {-1000, 100000}}, {"truths", {1, 0}}}, {1});
  EXPECT_THAT(run.output("y"), ElementsAre(-745, -100003));
  EXPECT_THAT(run.output("whole"), ElementsAre(-186, 25000));   // toward zero
}

TEST_P(Interpret, NanPassesThroughMaxMinAndReductions) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  HandProgram p;
  const BufferId x = p.input("x", 3), most = p.output("most", 1), relu = p.output("relu", 3), sign = p.output("sign", 3);
  KernelBuilder k("nan");
  const AxisId r = k.parallel("r", kBatch), c = k.axis("c", {3, false});
  k.phase({c});
  const ExprId v = k.load(x, at(r), at(c));
  const ExprId m = k.reduce(Combine::max, v);
  k.store(relu, at(r), at(c), k.binary(ExprOp::max, v, k.constant(0)));
  k.store(sign, at(r), at(c), k.unary(ExprOp::sign, v));
  k.phase();
  k.store(most, at(r), at_constant(0), m);
  p.step(k.take());
  BackendRun run = load(p);
  run.step({{"x", {1, nan, -2, 5, -6, 0}}}, {2});
  EXPECT_TRUE(std::isnan(run.output("most")[0]));
  EXPECT_EQ(run.output("most")[1], 5);
  const std::vector<float> out = run.output("relu"), signs = run.output("sign");
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(signs[1]));
  EXPECT_EQ(out[2], 0);
  EXPECT_THAT(std::vector<float>(signs.begin() + 3, signs.end()), ElementsAre(1, -1, 0));
}

// A value that varies with no axis but is made of a load is computed after the load, also below outer axes.
TEST_P(Interpret, ValuesMadeOfALoadedScalar) {
  HandProgram p;
  const BufferId x = p.input("x", 3), factor = p.parameter("factor", 1, 1), y = p.output("y", 3);
  KernelBuilder k("scale_twice");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {3, false});
  const ExprId loaded = k.load(factor, at_constant(0), at_constant(0));
  const ExprId square = k.binary(ExprOp::add, k.binary(ExprOp::mul, loaded, loaded), k.constant(1));
  k.store(y, at(r), at(c), k.binary(ExprOp::mul, k.load(x, at(r), at(c)), square));
  p.step(k.take());
  BackendRun run = load(p);
  for (const double f : {2.0, 3.0}) {   // and anew in every run
    run.set("factor", {f});
    run.step({{"x", {1, 2, 3, 4, 5, 6}}}, {2});
    EXPECT_EQ(run.output("y")[5], 6 * (f * f + 1));
  }
}

// A value that is loaded again after an earlier phase stored it must be the new one.
TEST_P(Interpret, LoadsOfWhatTheKernelStoresAreReadAgain) {
  HandProgram p;
  const BufferId x = p.input("x", 4), t = p.activation("t", 4), y = p.output("y", 4);
  KernelBuilder k("centre_twice");
  const AxisId r = k.parallel("r", kBatch), c = k.axis("c", {4, false});
  k.phase({c});
  const ExprId sum = k.reduce(Combine::sum, k.load(x, at(r), at(c)));
  k.phase({c});
  k.store(t, at(r), at(c), k.binary(ExprOp::sub, k.load(x, at(r), at(c)), k.binary(ExprOp::mul, sum, k.constant(0.25))));
  k.phase({c});
  const ExprId most = k.reduce(Combine::max, k.load(t, at(r), at(c)));
  k.phase({c});
  k.store(y, at(r), at(c), k.binary(ExprOp::div, k.load(t, at(r), at(c)), most));
  p.step(k.take());
  BackendRun run = load(p);
  run.step({{"x", {0, 2, 4, 6}}}, {1});
  EXPECT_THAT(run.output("y"), Pointwise(FloatNear(1e-6F), {-1.0, -1.0 / 3, 1.0 / 3, 1.0}));
}

}  // namespace
}  // namespace netc::test
