// Pieces that several composite rows are made of. Private to compiler/ops.
#pragma once

#include "compiler/ops/rows.h"

namespace netc {

// Logits less the largest of the last axis: exp of it cannot overflow.
NodeId shifted_logits(GraphBuilder& b, NodeId logits);
// log of the sum of exp over the last axis (which it drops) of shifted logits.
NodeId log_of_sum(GraphBuilder& b, NodeId shifted);
// The type of the first input, which must have a last axis and hold numbers with fractions.
std::optional<TensorType> last_axis_type(Types inputs, const Attributes&);

}  // namespace netc
