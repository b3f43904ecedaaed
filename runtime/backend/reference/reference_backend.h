// The reference backend: every kernel interpreted, on one thread, towers one after the other.
//
// In f32 it trains where no host compiler is installed and honours the planned arenas. In f64 it is the oracle the other
// backends are compared with: all memory holds doubles, and every buffer has memory of its own, so that it owes nothing
// to the memory planner. Bounded, it gives beside each value how far an f32 backend may be from it.
//
// It also runs towers with a memory each (LoadRequest::separate, in f32 and f64): every tower has weights, slots and
// arenas of its own and sees its own rows; buckets are added up in the order of the towers. What a group of GPUs or
// processes computes, without any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/kernel/interpret.h"
#include "runtime/backend.h"

namespace netc {

std::unique_ptr<Backend> make_reference_backend(Arithmetic arithmetic);

// Of a group loaded by a backend of Arithmetic::bounded: for each element of a weight, an optimizer slot or a result
// (a sum, or an output of the last run, all towers), a bound on the error of a sound f32 computation of it.
std::vector<double> error_bounds(const Parameters& parameters, const std::string& name);
std::vector<double> error_bounds(const LoadedProgram& program, const std::string& result);

// Of a group loaded with LoadRequest::separate: one tower's own copy. All are to be the same bits.
std::vector<float> weight_of_tower(const Parameters& parameters, int tower, const std::string& name);

}  // namespace netc
