// Every row of the op table, alone, on the shapes and values that tests/ops tries it on; pointwise rows also on values
// four times as large, beyond where clamps and saturating functions bend.
#include "compiler/ops/op.h"
#include "tests/conformance/conformance_case.h"
#include "tests/ops/op_cases.h"

namespace netc::test {
namespace {

ConformanceCase widened(ConformanceCase c) {
  c.name += "_wide";
  for (const Node& node : c.graph.nodes) {
    if ((node.op != "input" && node.op != "parameter") || !is_floating(node.type.dtype)) continue;
    auto& values = node.op == "input" ? c.environment.inputs : c.environment.parameters;
    for (double& v : values.at(node.name)) v *= 4;
  }
  return c;
}

}  // namespace

std::vector<ConformanceCase> row_cases() {
  std::vector<ConformanceCase> cases;
  for (const OpRow& row : op_table()) {
    int number = 0;
    for (const OpCase& op_case : cases_of(row)) {
      cases.push_back({row.name + "_" + std::to_string(number), build(row, op_case).graph, sample(row, op_case, 12), 1});
      if (row.family == OpFamily::pointwise && number == 0) cases.push_back(widened(cases.back()));
      ++number;
    }
  }
  return cases;
}

}  // namespace netc::test
