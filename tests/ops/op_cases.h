// For every row of the op table: graphs of that one op to test it on, and inputs drawn from the row's own domain.
#pragma once

#include <string>
#include <vector>

#include "compiler/ops/op.h"
#include "tests/ops/graph_evaluator.h"

namespace netc::test {

struct OpCase {
  std::vector<TensorType> inputs;
  Attributes attributes;
};

inline constexpr int64_t kCaseRows = 3;   // rows of the batch

// Cases by hand where a row needs particular shapes or attributes; pointwise rows otherwise get theirs from the arity.
// Empty: the row has no case, which the tests report.
std::vector<OpCase> cases_of(const OpRow& row);

// "matmul(f32[B, 5], f32[5, 4])", for messages.
std::string describe(const OpRow& row, const OpCase& op_case);

// A graph of leaves "x0", "x1", ... (inputs where batched, else parameters), one op node, and result "y".
struct OpGraph {
  Graph graph;
  std::vector<NodeId> leaves;
  NodeId node = kNoNode;
};
OpGraph build(const OpRow& row, const OpCase& op_case);

// Values for the leaves. All of one case differ by more than kApart from each other and from the row's kinks, so that
// no small step crosses a kink, of the row's own or where two elements meet (max, reduce_max).
inline constexpr double kApart = 1e-3;
Environment sample(const OpRow& row, const OpCase& op_case, uint64_t seed);

// A small generator with the same numbers everywhere.
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t bits();
  double uniform(double low, double high);
  int64_t below(int64_t limit);

 private:
  uint64_t state_;
};

}  // namespace netc::test
