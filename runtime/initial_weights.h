// How weights start. Element e of the parameter at `path` is a function of (seed, path, e) and of nothing else: not of
// the order parameters are drawn in, of threads, towers or the processor (only + - * / sqrt in f64 are used, which
// round alike everywhere; a libm's exp and log do not).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "compiler/base/initializer.h"

namespace netc {

void draw_initial(const Initializer& initializer, uint64_t seed, const std::string& path, std::span<float> values);

// The quantile of the standard normal distribution, 0 < p < 1; relative error below 1e-15 (Wichura, algorithm AS 241).
double normal_quantile(double p);

}  // namespace netc
