#include "compiler/kernel/scalars.h"

#include <algorithm>

#include "compiler/base/errors.h"
#include "compiler/kernel/scalar_op.h"

namespace netc {

void evaluate_scalars(const Program& program, std::span<const std::pair<std::string, double>> leaves,
                      std::span<double> values) {
  for (size_t i = 0; i < program.scalars.size(); ++i) {
    const Scalar& s = program.scalars[i];
    if (s.op == ExprOp::scalar) {
      const auto leaf = std::find_if(leaves.begin(), leaves.end(), [&](const auto& l) { return l.first == s.name; });
      if (leaf == leaves.end()) throw InternalError("no value for the scalar " + s.name);
      values[i] = leaf->second;
    } else if (s.op == ExprOp::constant) {
      values[i] = s.value;
    } else {
      double args[3] = {0, 0, 0};
      for (int j = 0; j < 3; ++j)
        if (s.args[j] != kNone) args[j] = values[static_cast<size_t>(s.args[j])];
      values[i] = apply<double>(s.op, args[0], args[1], args[2]);
    }
  }
}

std::vector<double> evaluate_scalars(const Program& program, std::span<const std::pair<std::string, double>> leaves) {
  std::vector<double> values(program.scalars.size());
  evaluate_scalars(program, leaves, values);
  return values;
}

}  // namespace netc
