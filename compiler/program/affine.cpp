#include "compiler/program/affine.h"

#include <algorithm>

#include "compiler/base/errors.h"

namespace netc {

Index index_of_axis(AxisId axis) {
  Index index;
  index.terms.push_back({axis, 1});
  return index;
}

Index index_constant(int64_t offset) {
  Index index;
  index.offset = offset;
  return index;
}

Index add_scaled(const Index& a, const Index& b, int64_t factor) {
  Index sum = a;
  sum.offset += factor * b.offset;
  for (const Index::Term& term : b.terms) {
    auto place = std::lower_bound(sum.terms.begin(), sum.terms.end(), term.axis,
                                  [](const Index::Term& t, AxisId axis) { return t.axis < axis; });
    if (place != sum.terms.end() && place->axis == term.axis) {
      place->coefficient += factor * term.coefficient;
      if (place->coefficient == 0) sum.terms.erase(place);
    } else if (factor * term.coefficient != 0) {
      sum.terms.insert(place, {term.axis, factor * term.coefficient});
    }
  }
  if (b.gathered != kNone && factor != 0) {
    if (sum.gathered != kNone) throw InternalError("an index would gather twice");
    sum.gathered = b.gathered;
    sum.gathered_coefficient = factor * b.gathered_coefficient;
  }
  return sum;
}

Index substitute(const Index& index, std::span<const Index> axis_map) {
  Index result = index_constant(index.offset);
  result.gathered = index.gathered;
  result.gathered_coefficient = index.gathered_coefficient;
  for (const Index::Term& term : index.terms)
    result = add_scaled(result, axis_map[static_cast<size_t>(term.axis)], term.coefficient);
  return result;
}

int64_t coefficient_of(const Index& index, AxisId axis) {
  for (const Index::Term& term : index.terms)
    if (term.axis == axis) return term.coefficient;
  return 0;
}

bool uses_axis(const Index& index, AxisId axis) { return coefficient_of(index, axis) != 0; }

bool is_exactly_axis(const Index& index, AxisId axis) {
  return index.offset == 0 && index.gathered == kNone && index.terms.size() == 1 && index.terms[0].axis == axis &&
         index.terms[0].coefficient == 1;
}

bool is_constant(const Index& index, int64_t value) {
  return index.terms.empty() && index.gathered == kNone && index.offset == value;
}

}  // namespace netc
