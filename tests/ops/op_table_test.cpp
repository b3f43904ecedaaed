// Every row of the op table, by walking the table: a row added without a case or a reference fails here.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "compiler/kernel/scalar_op.h"
#include "compiler/passes/expand_composites.h"
#include "tests/ops/op_cases.h"

namespace netc::test {
namespace {

constexpr double kRounding = 2.3e-16;

// The row's scalar body in f64, for one element.
double run_body(const OpRow& row, const Attributes& attributes, const std::vector<double>& operands,
                const std::vector<TensorType>& types) {
  Kernel kernel;
  std::vector<ExprId> arguments;
  for (size_t i = 0; i < operands.size(); ++i) {
    Expr e;
    e.type = types[i].dtype;
    e.value = operands[i];
    arguments.push_back(kernel.add(e));
  }
  const ExprId result = row.body(kernel, arguments, attributes);
  std::vector<double> values;
  for (const Expr& e : kernel.exprs) {
    double args[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
      if (e.args[i] != kNone) args[i] = values[static_cast<size_t>(e.args[i])];
    if (e.op == ExprOp::constant) {
      values.push_back(e.value);
    } else if (e.op == ExprOp::cast) {
      values.push_back(is_floating(e.type) ? args[0] : std::trunc(args[0]));
    } else {
      values.push_back(apply<double>(e.op, args[0], args[1], args[2]));
    }
  }
  return values[static_cast<size_t>(result)];
}

std::vector<double> magnitudes(const std::vector<double>& values) {
  std::vector<double> result;
  for (double v : values) result.push_back(std::fabs(v));
  return result;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (double v : magnitudes(values)) most = std::max(most, v);
  return most;
}

const Tensor& result_of(const Graph& graph, const std::vector<Tensor>& values) {
  return values[static_cast<size_t>(graph.results.at(0).node)];
}

class OpTable : public testing::TestWithParam<std::string> {
 protected:
  const OpRow& row() const { return *find_op(GetParam()); }
};
class PointwiseRow : public OpTable {};
class CompositeRow : public OpTable {};
class DifferentiableRow : public OpTable {};

TEST_P(OpTable, HasCasesAndASummary) {
  EXPECT_FALSE(cases_of(row()).empty()) << "give " << row().name << " a case in tests/ops/op_cases.cpp";
  EXPECT_FALSE(row().summary.empty());
  EXPECT_EQ(row().family == OpFamily::pointwise, static_cast<bool>(row().body));
  EXPECT_EQ(row().family == OpFamily::composite, static_cast<bool>(row().expand));
  for (const OpCase& op_case : cases_of(row())) {
    const OpGraph made = build(row(), op_case);
    EXPECT_EQ(verify(made.graph), std::vector<std::string>{});
    EXPECT_EQ(verify_types(made.graph), std::vector<std::string>{});
  }
}

// Pointwise rows: the body against the textbook formula. Bodies are a handful of operations on values of order one;
// the tolerance is that many roundings of the largest intermediate (the largest operand or result).
TEST_P(PointwiseRow, BodyIsTheFormula) {
  const ScalarFunction* formula = scalar_reference(row().name);
  ASSERT_NE(formula, nullptr) << "give " << row().name << " a formula in tests/ops/scalar_references.cpp";
  const OpCase op_case = cases_of(row()).front();
  const Environment environment = sample(row(), op_case, 3);
  const size_t count = environment.inputs.at("x0").size();
  for (size_t i = 0; i < count; ++i) {
    std::vector<double> x;
    for (size_t k = 0; k < op_case.inputs.size(); ++k) x.push_back(environment.inputs.at("x" + std::to_string(k))[i]);
    const double expected = (*formula)(x, op_case.attributes);
    const double tolerance = 64 * kRounding * std::max({1.0, std::fabs(expected), largest(x)});
    EXPECT_NEAR(run_body(row(), op_case.attributes, x, op_case.inputs), expected, tolerance) << row().name << " at " << x[0];
  }
}

TEST_P(PointwiseRow, BodyLetsNanThrough) {
  const OpRow& r = row();
  const bool is_arithmetic = cases_of(r).front().inputs[0].dtype == DType::f32 &&
                             build(r, cases_of(r).front()).graph.nodes.back().type.dtype == DType::f32;
  if (!is_arithmetic || r.name.ends_with("_grad")) return;   // a *_grad of a NaN output meets a NaN loss
  const OpCase op_case = cases_of(r).front();
  for (size_t k = 0; k < op_case.inputs.size(); ++k) {
    std::vector<double> x(op_case.inputs.size(), 0.5);
    x[k] = std::nan("");
    EXPECT_TRUE(std::isnan(run_body(r, op_case.attributes, x, op_case.inputs))) << r.name << " operand " << k;
  }
}

// Composite rows: the expansion against the textbook formula, and made of simpler rows only.
TEST_P(CompositeRow, ExpansionIsTheFormula) {
  for (const OpCase& op_case : cases_of(row())) {
    const OpGraph made = build(row(), op_case);
    const Environment environment = sample(row(), op_case, 4);
    const Graph expanded = expand_composites(made.graph);
    EXPECT_EQ(verify(expanded), std::vector<std::string>{});
    EXPECT_EQ(verify_types(expanded), std::vector<std::string>{});
    for (const Node& node : expanded.nodes)
      EXPECT_TRUE(is_leaf(node) || op_row(node).family != OpFamily::composite) << node.op;
    const std::vector<Tensor> before = evaluate(made.graph, environment), after = evaluate(expanded, environment);
    const Tensor &expected = result_of(made.graph, before), &actual = result_of(expanded, after);
    ASSERT_EQ(actual.type, expected.type);
    for (size_t i = 0; i < expected.values.size(); ++i)
      EXPECT_NEAR(actual.values[i], expected.values[i], 200 * kRounding * std::max(1.0, std::fabs(expected.values[i])))
          << describe(row(), op_case);
  }
}

// The gradient rule against central differences of sum(g * y), for every element of every input.
// Their error is h^2/6 |f'''| from the step and eps |f| / h from rounding; both are bounded with room for f''' of 600.
TEST_P(DifferentiableRow, GradientIsTheSlope) {
  constexpr double kStep = 1e-5;
  for (const OpCase& op_case : cases_of(row())) {
    OpGraph made = build(row(), op_case);
    Environment environment = sample(row(), op_case, 6);
    const TensorType type = made.graph[made.node].type;
    if (!is_floating(type.dtype)) continue;
    GraphBuilder b(made.graph);
    const NodeId g = type.batched ? b.input("g", type) : b.parameter("g", type, {});
    const std::vector<NodeId> cotangents = op_row(made.graph[made.node]).gradient(b, made.node, g);
    EXPECT_EQ(verify_types(made.graph), std::vector<std::string>{}) << describe(row(), op_case);

    Draws draws(8);
    std::vector<double> weights;
    for (int64_t i = 0; i < element_count(type.shape) * (type.batched ? kCaseRows : 1); ++i)
      weights.push_back(draws.uniform(-1, 1));
    (type.batched ? environment.inputs : environment.parameters)["g"] = weights;
    const std::vector<Tensor> values = evaluate(made.graph, environment);

    const OpGraph plain = build(row(), op_case);
    double magnitude = 1;
    const auto objective = [&] {
      const std::vector<Tensor> y = evaluate(plain.graph, environment);
      double sum = 0;
      for (size_t i = 0; i < weights.size(); ++i) sum += weights[i] * y[static_cast<size_t>(plain.node)].values[i];
      for (double v : y[static_cast<size_t>(plain.node)].values) magnitude = std::max(magnitude, std::fabs(v));
      return sum;
    };
    ASSERT_EQ(cotangents.size(), made.leaves.size());
    for (size_t k = 0; k < cotangents.size(); ++k) {
      const bool wants_gradient = is_floating(op_case.inputs[k].dtype);
      EXPECT_EQ(cotangents[k] != kNoNode, wants_gradient) << describe(row(), op_case) << " input " << k;
      if (cotangents[k] == kNoNode || !wants_gradient) continue;
      const Tensor& gradient = values[static_cast<size_t>(cotangents[k])];
      ASSERT_EQ(gradient.type, op_case.inputs[k]) << describe(row(), op_case);
      auto& x = (op_case.inputs[k].batched ? environment.inputs : environment.parameters)["x" + std::to_string(k)];
      for (size_t i = 0; i < x.size(); ++i) {
        const double at = x[i];
        x[i] = at + kStep;
        const double above = objective();
        x[i] = at - kStep;
        const double below = objective();
        x[i] = at;
        const double count = static_cast<double>(weights.size());
        const double tolerance = 100 * kStep * kStep * magnitude + 4 * count * kRounding * magnitude / kStep;
        EXPECT_NEAR(gradient.values[i], (above - below) / (2 * kStep), tolerance)
            << describe(row(), op_case) << " input " << k << " element " << i << " at " << at;
      }
    }
  }
}

template <class Claim>
std::vector<std::string> rows_where(Claim claim) {
  std::vector<std::string> names;
  for (const OpRow& row : op_table())
    if (claim(row)) names.push_back(row.name);
  return names;
}

std::string row_name(const testing::TestParamInfo<std::string>& row) { return row.param; }

INSTANTIATE_TEST_SUITE_P(Rows, OpTable, testing::ValuesIn(rows_where([](const OpRow&) { return true; })), row_name);
INSTANTIATE_TEST_SUITE_P(
    Rows, PointwiseRow,
    testing::ValuesIn(rows_where([](const OpRow& row) { return row.family == OpFamily::pointwise; })), row_name);
INSTANTIATE_TEST_SUITE_P(
    Rows, CompositeRow,
    testing::ValuesIn(rows_where([](const OpRow& row) { return row.family == OpFamily::composite; })), row_name);
INSTANTIATE_TEST_SUITE_P(
    Rows, DifferentiableRow,
    testing::ValuesIn(rows_where([](const OpRow& row) { return static_cast<bool>(row.gradient); })), row_name);

// A row may lack a gradient only if its slope is 0 everywhere, it makes no number, or it stands in backward passes only.
TEST(OpTable, RowsWithoutGradientAreMeantToHaveNone) {
  const std::set<std::string> flat{"floor", "sign", "one_hot", "random", "top_k_hit", "stop_gradient"};
  for (const OpRow& row : op_table()) {
    if (row.gradient || flat.contains(row.name) || row.name.ends_with("_grad")) continue;
    EXPECT_EQ(build(row, cases_of(row).front()).graph.nodes.back().type.dtype, DType::boolean) << row.name;
  }
}

TEST(OpTable, KnowsItsNames) {
  EXPECT_EQ(find_op("convolve"), nullptr);
  ASSERT_NE(find_op("matmul"), nullptr);
  EXPECT_EQ(find_op("matmul")->arity, 2);
}

}  // namespace
}  // namespace netc::test
