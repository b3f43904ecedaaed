// The reference backend: every kernel interpreted, on one thread, towers one after the other.
//
// In f32 it trains where no host compiler is installed and honours the planned arenas. In f64 it is the oracle the other
// backends are compared with: all memory holds doubles, and every buffer has memory of its own, so that it owes nothing
// to the memory planner.
#pragma once

#include <memory>

#include "compiler/kernel/interpret.h"
#include "runtime/backend.h"

namespace netc {

std::unique_ptr<Backend> make_reference_backend(Arithmetic precision);

}  // namespace netc
