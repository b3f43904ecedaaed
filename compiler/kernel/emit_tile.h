// The innermost loops of matrix products: rows x panel_columns sums in registers, and a step of the reduced axis that
// multiplies one factor per row with one panel row of the other matrix.
#pragma once

#include <string>

#include "compiler/kernel/emit_body.h"

namespace netc {

// The tiles that the kernels of a unit use (EmitUsage::tiles), each compiled once:
//   tile_along    a row's factors lie side by side in its panels
//   tile_across   the factors of all rows lie side by side
std::string emit_product_tiles(const Target& target, const EmitUsage& usage);

}  // namespace netc
