// The reference backend end to end: two layers trained by hand-written kernels, beside the same arithmetic in plain
// loops of doubles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/base/errors.h"
#include "compiler/kernel/scalars.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/kernel/hand_program.h"
#include "tests/support/backend_run.h"

namespace netc::test {
namespace {

constexpr int64_t kIn = 5, kHidden = 7, kOut = 3;

// x -> dense relu -> dense -> squared error against t, and one step of gradient descent on both weights.
HandProgram two_layers() {
  HandProgram p(32);
  const BufferId x = p.input("x", kIn), t = p.input("t", kOut);
  const BufferId w1 = p.parameter("w1", kIn, kHidden), b1 = p.parameter("b1", 1, kHidden), w2 = p.parameter("w2", kHidden, kOut);
  const BufferId h = p.activation("h", kHidden), e = p.activation("e", kOut), dh = p.activation("dh", kHidden);
  const BufferId y = p.output("y", kOut), loss = p.result("loss");
  const int64_t rate = p.scalar("learning_rate"), share = p.scalar("inverse_batch");
  p.scalars.push_back({"", ExprOp::mul, {static_cast<int32_t>(rate), static_cast<int32_t>(share), kNone}, 0});

  p.step(dense_relu(x, w1, b1, h, kIn, kHidden));
  {
    KernelBuilder k("output_error");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {kOut, false}), i = k.axis("k", {kHidden, false});
    k.phase({i});
    const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(h, at(r), at(i)), k.load(w2, at(i), at(c))));
    k.phase();
    k.store(y, at(r), at(c), sum);
    k.store(e, at(r), at(c), k.binary(ExprOp::sub, sum, k.load(t, at(r), at(c))));
    p.step(k.take());
  }
  {
    KernelBuilder k("loss");
    const AxisId r = k.axis("r", kBatch), c = k.axis("c", {kOut, false});
    k.phase({r, c});
    const ExprId v = k.load(e, at(r), at(c));
    const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, v, v));
    k.phase();
    k.store(loss, at_constant(0), at_constant(0), sum);
    p.step(k.take());
  }
  {
    KernelBuilder k("hidden_error");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {kHidden, false}), i = k.axis("k", {kOut, false});
    k.phase({i});
    const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(e, at(r), at(i)), k.load(w2, at(c), at(i))));
    k.phase();
    const ExprId alive = k.binary(ExprOp::gt, k.load(h, at(r), at(c)), k.constant(0));
    k.store(dh, at(r), at(c), k.select(alive, sum, k.constant(0)));
    p.step(k.take());
  }
  const auto update = [&](BufferId a, BufferId g, BufferId w, int64_t rows, int64_t columns) {
    KernelBuilder k("update_" + p.buffers[w].name);
    const AxisId i = k.parallel("i", {rows, false}), c = k.parallel("c", {columns, false}), r = k.axis("r", kBatch);
    k.phase({r});
    const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(a, at(r), at(i)), k.load(g, at(r), at(c))));
    k.phase();
    const ExprId move = k.binary(ExprOp::mul, k.binary(ExprOp::mul, k.constant(2), k.scalar(2)), sum);
    k.store(w, at(i), at(c), k.binary(ExprOp::sub, k.load(w, at(i), at(c)), move));
    p.step(k.take());
  };
  update(x, dh, w1, kIn, kHidden);
  update(h, e, w2, kHidden, kOut);
  return p;
}

struct Plain {   // the same in plain loops
  Values w1, b1, w2, y;
  double loss = 0;

  void step(const Values& x, const Values& t, int64_t rows, double lr) {
    Values h(rows * kHidden), e(rows * kOut), dh(rows * kHidden);
    y.assign(rows * kOut, 0);
    loss = 0;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < kHidden; ++c) {
        double sum = b1[c];
        for (int64_t i = 0; i < kIn; ++i) sum += x[r * kIn + i] * w1[i * kHidden + c];
        h[r * kHidden + c] = std::max(0.0, sum);
      }
      for (int64_t c = 0; c < kOut; ++c) {
        for (int64_t i = 0; i < kHidden; ++i) y[r * kOut + c] += h[r * kHidden + i] * w2[i * kOut + c];
        e[r * kOut + c] = y[r * kOut + c] - t[r * kOut + c];
        loss += e[r * kOut + c] * e[r * kOut + c];
      }
      for (int64_t c = 0; c < kHidden; ++c)
        for (int64_t i = 0; i < kOut && h[r * kHidden + c] > 0; ++i) dh[r * kHidden + c] += e[r * kOut + i] * w2[c * kOut + i];
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < kIn; ++i)
        for (int64_t c = 0; c < kHidden; ++c) w1[i * kHidden + c] -= 2 * lr / rows * x[r * kIn + i] * dh[r * kHidden + c];
      for (int64_t i = 0; i < kHidden; ++i)
        for (int64_t c = 0; c < kOut; ++c) w2[i * kOut + c] -= 2 * lr / rows * h[r * kHidden + i] * e[r * kOut + c];
    }
  }
};

Values waves(int64_t count, double frequency) {
  Values values;
  for (int64_t i = 0; i < count; ++i) values.push_back(std::sin(static_cast<double>(i) * frequency) * 0.7);
  return values;
}

void expect_near(const std::vector<float>& got, const Values& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << what << "[" << i << "]";
}

TEST(ReferenceBackend, TrainsTwoLayersLikePlainLoops) {
  const HandProgram program = two_layers();
  ASSERT_THAT(verify(program), ::testing::IsEmpty());
  const int64_t rows = 13;
  const Values x = waves(rows * kIn, 1.3), t = waves(rows * kOut, 0.7);
  std::vector<float> one_tower;
  for (const Arithmetic precision : {Arithmetic::f64, Arithmetic::f32})
    for (const int towers : {1, 2, 3}) {
      const std::unique_ptr<Backend> backend = make_reference_backend(precision);
      BackendRun run(*backend, {program}, towers);
      Plain plain{waves(kIn * kHidden, 2.1), waves(kHidden, 0.3), waves(kHidden * kOut, 1.9), {}, 0};
      run.set("w1", plain.w1);
      run.set("b1", plain.b1);
      run.set("w2", plain.w2);
      run.scalars = {{"learning_rate", 0.1}, {"inverse_batch", 1.0 / rows}};
      double first_loss = 0;
      for (int step = 0; step < 20; ++step) {
        run.step({{"x", x}, {"t", t}}, spread(rows, towers));
        plain.step(x, t, rows, 0.1);
        if (step == 0) first_loss = plain.loss;
        // Chains of up to 13 rows and 7 products a step, 20 steps: some hundred roundings of values below 1.
        ASSERT_NEAR(run.result("loss"), plain.loss, 1e-4 * first_loss);
        expect_near(run.output("y"), plain.y, 1e-4, "y");
      }
      EXPECT_LT(plain.loss, 0.5 * first_loss);
      expect_near(run.parameter("w1"), plain.w1, 1e-4, "w1");
      expect_near(run.parameter("w2"), plain.w2, 1e-4, "w2");
      if (towers == 1) one_tower = run.parameter("w1");
      EXPECT_EQ(run.parameter("w1"), one_tower) << "the same bits for any number of towers";
    }
}

// The bounds hold for the f32 interpreter, and are tight enough to tell a wrong result from a rounded one.
TEST(ReferenceBackend, ErrorBoundsHoldAndAreTight) {
  const HandProgram program = two_layers();
  const int64_t rows = 13;
  const Values x = waves(rows * kIn, 1.3), t = waves(rows * kOut, 0.7);
  const std::unique_ptr<Backend> f32 = make_reference_backend(Arithmetic::f32), bounded = make_reference_backend(Arithmetic::bounded);
  BackendRun run(*f32, {program}, 1), oracle(*bounded, {program}, 1);
  for (BackendRun* each : {&run, &oracle}) {
    each->set("w1", waves(kIn * kHidden, 2.1));
    each->set("b1", waves(kHidden, 0.3));
    each->set("w2", waves(kHidden * kOut, 1.9));
    each->scalars = {{"learning_rate", 0.1}, {"inverse_batch", 1.0 / rows}};
    for (int step = 0; step < 3; ++step) each->step({{"x", x}, {"t", t}}, {rows});
  }
  const auto check = [](const std::vector<float>& got, const std::vector<float>& want, const std::vector<double>& error) {
    ASSERT_EQ(got.size(), error.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_LE(std::abs(got[i] - want[i]), error[i] + std::abs(want[i]) * 6e-8) << i;
      EXPECT_LT(error[i], 2e-5) << i;
    }
  };
  check(run.parameter("w1"), oracle.parameter("w1"), error_bounds(oracle.parameters(), "w1"));
  check(run.parameter("w2"), oracle.parameter("w2"), error_bounds(oracle.parameters(), "w2"));
  check(run.output("y"), oracle.output("y"), error_bounds(oracle.loaded(), "y"));
  EXPECT_LE(std::abs(run.result("loss") - oracle.result("loss")), error_bounds(oracle.loaded(), "loss")[0]);
}

TEST(ReferenceBackend, ProgramsOfOneGroupShareWeights) {
  HandProgram train;
  const BufferId w = train.parameter("w", 1, 2);
  KernelBuilder k("double");
  const AxisId c = k.parallel("c", {2, false});
  k.store(w, at_constant(0), at(c), k.binary(ExprOp::mul, k.load(w, at_constant(0), at(c)), k.constant(2)));
  train.step(k.take());
  HandProgram predict;
  const BufferId x = predict.input("x", 2), v = predict.parameter("w", 1, 2), y = predict.output("y", 2);
  KernelBuilder m("scale");
  const AxisId r = m.parallel("r", kBatch), j = m.parallel("c", {2, false});
  m.store(y, at(r), at(j), m.binary(ExprOp::mul, m.load(x, at(r), at(j)), m.load(v, at_constant(0), at(j))));
  predict.step(m.take());

  const std::unique_ptr<Backend> backend = make_reference_backend(Arithmetic::f32);
  BackendRun run(*backend, {train, predict}, 1);
  run.set("w", {3, 5});
  run.step({}, {0}, 0);
  run.step({{"x", {1, 10}}}, {1}, 1);
  EXPECT_THAT(run.output("y", 1), ::testing::ElementsAre(6, 100));
  EXPECT_GT(run.loaded(1).memory_bytes(), 0);
}

TEST(ReferenceBackend, RefusesWrongUse) {
  const std::unique_ptr<Backend> backend = make_reference_backend(Arithmetic::f32);
  BackendRun run(*backend, {two_layers()}, 2);
  EXPECT_THROW(run.set("w1", {1, 2, 3}), InternalError);
  EXPECT_THROW(run.set("no such weight", {1}), InternalError);
  EXPECT_THROW(run.step({}, {1}), InternalError);       // two towers
  EXPECT_THROW(run.step({}, {33, 1}), InternalError);   // more than the capacity
  EXPECT_THROW(run.result("no such result"), InternalError);
}

TEST(Scalars, AreComputedInOrderInDoubles) {
  HandProgram p;
  const auto t = static_cast<int32_t>(p.scalar("update_count"));
  p.scalars.push_back({"", ExprOp::constant, {kNone, kNone, kNone}, 0.999});
  p.scalars.push_back({"", ExprOp::pow, {1, t, kNone}, 0});
  p.scalars.push_back({"", ExprOp::constant, {kNone, kNone, kNone}, 1});
  p.scalars.push_back({"", ExprOp::sub, {3, 2, kNone}, 0});
  const std::vector<std::pair<std::string, double>> leaves = {{"other", 1}, {"update_count", 3}};
  EXPECT_DOUBLE_EQ(evaluate_scalars(p, leaves)[4], 1 - 0.999 * 0.999 * 0.999);
  EXPECT_THROW(evaluate_scalars(p, {}), InternalError);
}

}  // namespace
}  // namespace netc::test
