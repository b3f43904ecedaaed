#include <gtest/gtest.h>

#include "tests/kernel/hand_program.h"

namespace netc::test {
namespace {

TEST(MatrixProduct, FindsOperandsInEitherOrder) {
  HandProgram p;
  const BufferId x = p.input("x", 3), w = p.parameter("w", 3, 4), bias = p.parameter("b", 1, 4), y = p.output("y", 4);
  Kernel kernel = dense_relu(x, w, bias, y, 3, 4);
  MatrixProduct product;
  ASSERT_TRUE(match_matrix_product(kernel, &product));
  EXPECT_EQ(kernel.axes[product.row].name, "r");
  EXPECT_EQ(kernel.axes[product.lane].name, "c");
  EXPECT_EQ(kernel.axes[product.reduced].name, "k");
  EXPECT_EQ(kernel.exprs[product.a].buffer, x);
  EXPECT_EQ(kernel.exprs[product.b].buffer, w);

  for (Expr& e : kernel.exprs)
    if (e.op == ExprOp::mul) std::swap(e.args[0], e.args[1]);
  ASSERT_TRUE(match_matrix_product(kernel, &product));
  EXPECT_EQ(kernel.exprs[product.a].buffer, x);
}

TEST(MatrixProduct, RefusesWhatIsNone) {
  HandProgram p;
  const BufferId x = p.input("x", 3), w = p.parameter("w", 3, 4), bias = p.parameter("b", 1, 4), y = p.output("y", 4);
  const Kernel good = dense_relu(x, w, bias, y, 3, 4);
  Kernel kernel = good;
  kernel.reductions[0].combine = Combine::max;
  EXPECT_FALSE(match_matrix_product(kernel, nullptr));
  kernel = good;
  kernel.phases[1].loop = {2};
  EXPECT_FALSE(match_matrix_product(kernel, nullptr));
  kernel = good;
  kernel.exprs[0].column.offset = 1;   // a slice of x
  EXPECT_FALSE(match_matrix_product(kernel, nullptr));
  EXPECT_FALSE(match_matrix_product(row_softmax(x, y, 3), nullptr));
}

TEST(BatchAxes, LoopAndParallel) {
  HandProgram p;
  const BufferId x = p.input("x", 3), y = p.output("y", 3), sum = p.gradient("sum", 1, 3);
  EXPECT_TRUE(parallel_over_batch(row_softmax(x, y, 3)));
  EXPECT_FALSE(loops_over_batch(row_softmax(x, y, 3)));
  KernelBuilder k("batch_sum");
  const AxisId c = k.parallel("c", {3, false}), r = k.axis("r", kBatch);
  k.phase({r});
  const ExprId total = k.reduce(Combine::sum, k.load(x, at(r), at(c)));
  k.phase();
  k.store(sum, at_constant(0), at(c), total);
  const Kernel kernel = k.take();
  EXPECT_FALSE(parallel_over_batch(kernel));
  EXPECT_TRUE(loops_over_batch(kernel));
}

}  // namespace
}  // namespace netc::test
