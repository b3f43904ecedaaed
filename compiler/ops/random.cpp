// Random masks. A draw is a function of (seed, update, stream, row, column): compiler/kernel/random.h. The column is the
// place on the last axis, the row counts all other axes and the batch, over the whole batch of the update.
#include "compiler/ops/rows.h"

namespace netc {

void append_random(std::vector<OpRow>& rows) {
  OpRow row;
  row.name = "random";
  row.summary = "1 where kept, 0 for a share of `rate`; equal `stream`s draw equal values";
  row.family = OpFamily::random;
  row.arity = 0;
  row.type = [](Types, const Attributes& attributes) -> std::optional<TensorType> {
    const double rate = float_attribute(attributes, "rate");
    if (!(rate >= 0 && rate < 1) || int_attribute(attributes, "stream") < 0) return std::nullopt;
    return TensorType{DType::f32, ints_attribute(attributes, "shape"), bool_attribute(attributes, "batched", false), 0};
  };
  rows.push_back(std::move(row));
}

}  // namespace netc
