// Arithmetic on the affine indices of kernels: substitution of axes, sums, multiples.
#pragma once

#include <span>

#include "compiler/kernel/kernel.h"

namespace netc {

Index index_of_axis(AxisId axis);
Index index_constant(int64_t offset);

// a + factor * b. At most one of the two may hold a gathered part.
Index add_scaled(const Index& a, const Index& b, int64_t factor);

// Replaces every axis of `index` by axis_map[axis] (an affine index over other axes). A gathered part keeps its
// coefficient; its expression is the caller's to translate.
Index substitute(const Index& index, std::span<const Index> axis_map);

int64_t coefficient_of(const Index& index, AxisId axis);   // 0 if the axis does not occur
bool uses_axis(const Index& index, AxisId axis);
bool is_exactly_axis(const Index& index, AxisId axis);     // coefficient 1, offset 0, nothing else
bool is_constant(const Index& index, int64_t value);

}  // namespace netc
