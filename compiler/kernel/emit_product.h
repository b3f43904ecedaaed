// Matrix products on panels: a tile of rows x panel_columns of the result in registers, the reduced axis innermost, the
// epilogue over a block of tiles in the first cache.
//
//   forward           A[r, k] rows of panels   B[k, n] panels as they lie
//   input gradient    B indexed [n, k]: the tile is turned, its lanes run along the rows of A, which are packed
//   weight gradient   A indexed [k, r] across its panels, the rows of all towers one after the other in one chain
//
// Every element is one chain of multiply-adds in ascending order of the reduced axis, whatever tile it is in.
#pragma once

#include <string>

#include "compiler/kernel/emit_body.h"

namespace netc {

// False if the kernel is no product this form covers; emit_nest then writes it.
bool emit_product(BodyEmitter& body, EmittedKernel& emitted);

}  // namespace netc
