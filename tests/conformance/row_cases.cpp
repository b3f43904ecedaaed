// Every row of the op table, alone, on the shapes and values that tests/ops tries it on.
#include "compiler/ops/op.h"
#include "tests/conformance/conformance_case.h"
#include "tests/ops/op_cases.h"

namespace netc::test {

std::vector<ConformanceCase> row_cases() {
  std::vector<ConformanceCase> cases;
  for (const OpRow& row : op_table()) {
    int number = 0;
    for (const OpCase& op_case : cases_of(row))
      cases.push_back({row.name + "_" + std::to_string(number++), build(row, op_case).graph, sample(row, op_case, 12), 1});
  }
  return cases;
}

}  // namespace netc::test
