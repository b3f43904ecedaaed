// The innermost loops of matrix products: rows x panel_columns sums in registers, and a step of the reduced axis that
// multiplies one factor per row with one panel row of the other matrix.
#pragma once

#include <string>

#include "compiler/kernel/emit_body.h"

namespace netc {

// The tiles that the kernels of a unit use (EmitUsage::tiles), each compiled once:
//   tile_along_lanes  a row's factors lie side by side in its panels; asks ahead for the lanes' factors of a next block
//   tile_along_rows   the same; asks ahead for the factors of the rows behind its own
//   tile_across       the factors of all rows lie side by side
inline constexpr int kLinesAhead = 2;   // cache lines that tile_along_lanes asks for per panel of the reduced axis

std::string emit_product_tiles(const Target& target, const EmitUsage& usage);

}  // namespace netc
