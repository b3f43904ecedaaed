// How the weights of one parameter start. Plain data, so that the compiler can state it and the runtime can draw it
// (runtime/initial_weights.h) without knowing the layer it belongs to.
#pragma once

namespace netc {

// Drawn by a counter-based generator keyed by (seed, path, element).
struct Initializer {
  enum class Kind { zeros, ones, constant, uniform, normal };
  Kind kind = Kind::zeros;
  double a = 0;   // constant: value; uniform: low;  normal: mean
  double b = 0;   //                  uniform: high; normal: standard deviation
  bool truncated = false;   // normal: within two standard deviations (of the distribution before it is cut)

  friend bool operator==(const Initializer&, const Initializer&) = default;
};

}  // namespace netc
