// Whether a legal fusion pays. Kept apart from legality so that either can change alone.
#pragma once

#include "compiler/kernel/kernel.h"

namespace netc {

// How often a body may be computed again instead of being stored and loaded.
enum class BodyCost : uint8_t {
  free,    // moves only: broadcasts, constants, comparisons, selects; recomputing is cheaper than any load
  cheap,   // a few multiplications and additions
  heavy,   // exponentials, divisions, random numbers: compute once
};

BodyCost body_cost(const Kernel& pointwise);

}  // namespace netc
