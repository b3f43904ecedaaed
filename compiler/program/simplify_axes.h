// Brings a kernel to its smallest set of axes: axes of one point go, and neighbours that are always used together as
// one linear index become one axis ([b, t, d] -> [r, d] with r = b*T + t). A reduction left without axes is its one
// value, and what remains is pointwise. Fusion and the backends match patterns on the simplified form, so that a product
// over [B, T, D] looks like one over [B*T, D].
#pragma once

#include "compiler/kernel/kernel.h"

namespace netc {

void simplify_axes(Kernel& kernel);

}  // namespace netc
