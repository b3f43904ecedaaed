// Any kernel as a loop nest: pointwise chains, row kernels, batch reductions, gathers and scatters, and whatever else.
#pragma once

#include "compiler/kernel/emit_body.h"

namespace netc {

// Writes the statements of the function's body and fills items, scratch, joint and work of `emitted`.
//
// The vector axis is, by how the kernel's loads and stores move along it,
//   a parallel axis     pointwise, batch reductions, gathers: each lane is a point of its own, loops stay loops
//   a phase's own loop  softmax, layer norm: lanes fold apart and meet at the end of the phase
//   none
void emit_nest(BodyEmitter& body, EmittedKernel& emitted);

}  // namespace netc
