// The ceiling every figure is a ratio of: f32 multiply-adds per second with all operands in registers, measured in the
// same run as the contenders, with the widest vectors this processor has.
#pragma once

namespace netc::bench {

// Floating-point operations per second (a multiply-add counts two) of `threads` cores working at the same time, each
// pinned to its own. Takes about `seconds`.
double fma_peak(int threads, double seconds = 0.02);

const char* fma_peak_kind();   // "avx512", "avx2", "plain"

int usable_cores();            // of this process's affinity mask

}  // namespace netc::bench
