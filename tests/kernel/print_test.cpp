// How kernels and programs come out for people: `netc compile --emit=program`.
#include <gtest/gtest.h>

#include "tests/kernel/hand_program.h"

namespace netc::test {
namespace {

TEST(Print, ProductWithEpilogue) {
  HandProgram p;
  const BufferId x = p.input("x", 3), w = p.parameter("fc.weight", 3, 4), b = p.parameter("fc.bias", 1, 4), y = p.output("y", 4);
  EXPECT_EQ(to_string(dense_relu(x, w, b, y, 3, 4, "fc_dense_relu"), p), R"(kernel fc_dense_relu
  for r in B, c in 4:
    s0 = sum over k in 3 of x[r, k] * fc.weight[k, c]
    y[r, c] = max(s0 + fc.bias[0, c], 0)
)");
}

TEST(Print, PhasesOverOneAxis) {
  HandProgram p;
  const BufferId x = p.input("x", 10), y = p.output("y", 10);
  EXPECT_EQ(to_string(row_softmax(x, y, 10), p), R"(kernel softmax
  for r in B:
    s0 = max over c in 10 of x[r, c]
    s1 = sum over c in 10 of exp(x[r, c] - s0)
    for c in 10 in order:
      y[r, c] = exp(x[r, c] - s0) / s1
)");
}

TEST(Print, ValuesUsedTwiceHaveNames) {
  HandProgram p;
  const BufferId x = p.input("x", 4), y = p.output("y", 4), z = p.output("z", 4);
  const int64_t lr = p.scalar("learning_rate");
  KernelBuilder k("moments");
  const AxisId r = k.parallel("r", {3, true}), c = k.axis("c", {4, false});
  k.phase({c});
  const ExprId v = k.load(x, at(r), at(c));
  const ExprId sum = k.reduce(Combine::sum, v);
  const ExprId squares = k.reduce(Combine::sum, k.binary(ExprOp::mul, v, v));
  k.phase({c});
  const ExprId mean = k.binary(ExprOp::mul, sum, k.constant(0.25));
  const ExprId variance = k.binary(ExprOp::sub, squares, k.binary(ExprOp::mul, mean, mean));
  const ExprId centred = k.binary(ExprOp::sub, v, mean);
  const ExprId scaled = k.binary(ExprOp::mul, k.scalar(lr), k.binary(ExprOp::sub, centred, k.binary(ExprOp::sub, variance, v)));
  k.store(y, at(r), at(c), scaled);
  k.store(z, at(r), at(c), k.select(k.binary(ExprOp::lt, scaled, k.constant(1e-6)), k.unary(ExprOp::neg, scaled), variance));
  EXPECT_EQ(to_string(k.take(), p), R"(kernel moments
  for r in 3*B:
    for c in 4 in order:
      t0 = x[r, c]
      s0 += t0
      s1 += t0 * t0
    t1 = s0 * 0.25
    t2 = s1 - t1 * t1
    for c in 4 in order:
      t0 = x[r, c]
      t3 = learning_rate * (t0 - t1 - (t2 - t0))
      y[r, c] = t3
      z[r, c] = select(t3 < 1e-06, -t3, t2)
)");
}

TEST(Print, GatheredPlacesRandomBitsAndAccumulation) {
  HandProgram p;
  const BufferId ids = p.input("ids", 1, DType::i32), table = p.parameter("table", 40, 3), g = p.gradient("g", 4, 3);
  KernelBuilder k("scatter");
  const AxisId c = k.parallel("c", {3, false}), r = k.axis("r", kBatch);
  k.phase({r});
  Index row = at_gathered(k.load(ids, at(r), at_constant(0), DType::i32));
  row.gathered_coefficient = 4;
  const ExprId keep = k.binary(ExprOp::ge, k.random(0xabc, at(r), at(c)), k.constant(858993459, DType::i64));
  k.accumulate(g, at_gathered(row.gathered), at(c), k.select(keep, k.load(table, row + 2, at(c)), k.constant(0)));
  EXPECT_EQ(to_string(k.take(), p), R"(kernel scatter
  for c in 3:
    for r in B in order:
      t0 = ids[r, 0]
      g[t0, c] += select(random(00000abc, r, c) >= 858993459, table[4*t0 + 2, c], 0)
)");
}

TEST(Print, Program) {
  HandProgram p(128);
  const BufferId x = p.input("x", 3, DType::u8), w = p.parameter("w", 3, 4), y = p.output("y", 4);
  p.buffers[w].layout = Layout::panels;
  p.buffers[w].panel_columns = 16;
  p.buffers[w].padded_rows = 8;
  p.buffers[y].arena_offset = 64;
  p.tower_arena_bytes = 4096;
  const auto lr = static_cast<int32_t>(p.scalar("learning_rate"));
  p.scalars.push_back({"", ExprOp::constant, {kNone, kNone, kNone}, 0.5});
  p.scalars.push_back({"", ExprOp::mul, {lr, 1, kNone}, 0});
  Buffer view = p.buffers[y];
  view.name = "y.view";
  view.alias_of = y;
  view.columns = 1;
  view.rows.count = 4;
  p.buffers.push_back(view);
  KernelBuilder k("convert");
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {4, false});
  const ExprId value = k.cast(k.load(x, at(r), at_constant(0), DType::i32), DType::f32);
  k.store(y, at(r), at(c), k.binary(ExprOp::mul, value, k.scalar(2)));
  p.step(k.take());
  EXPECT_EQ(to_string(p), R"(program test
  input x: u8 [B, 3]
  parameter w: f32 [3, 4] panels of 16 x 8
  output y: f32 [B, 4] at 64
  output y.view: f32 [4*B, 1] alias of y at 64
  scalar learning_rate
  scalar scalar1 = 0.5
  scalar scalar2 = mul(learning_rate, scalar1)
  result y = y
  batch up to 128, arenas 4096 bytes a tower, 0 bytes shared

stage 0, each tower
kernel convert
  for r in B, c in 4:
    y[r, c] = f32(x[r, 0]) * scalar2
)");
}

}  // namespace
}  // namespace netc::test
