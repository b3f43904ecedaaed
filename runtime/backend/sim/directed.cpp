#include "runtime/backend/sim/directed.h"

#include <cfenv>
#include <cmath>

namespace netc::sim {
namespace {

class RoundingMode {
 public:
  explicit RoundingMode(Rounding rounding) : saved_(std::fegetround()) {
    switch (rounding) {
      case Rounding::nearest: std::fesetround(FE_TONEAREST); break;
      case Rounding::zero: std::fesetround(FE_TOWARDZERO); break;
      case Rounding::down: std::fesetround(FE_DOWNWARD); break;
      case Rounding::up: std::fesetround(FE_UPWARD); break;
    }
  }
  ~RoundingMode() { std::fesetround(saved_); }

 private:
  int saved_;
};

template <class T>
T evaluate(DirectedOp op, T a, T b, T c) {
  volatile T x = a, y = b;   // keeps the compiler from moving the operation out of the mode
  switch (op) {
    case DirectedOp::add: return x + y;
    case DirectedOp::subtract: return x - y;
    case DirectedOp::multiply: return x * y;
    case DirectedOp::fused_multiply_add: return std::fma(static_cast<T>(x), static_cast<T>(y), c);
    case DirectedOp::divide: return x / y;
    case DirectedOp::reciprocal: return T{1} / x;
    case DirectedOp::square_root: return std::sqrt(static_cast<T>(x));
    case DirectedOp::none: break;
  }
  return x;
}

template <class T>
void run(DirectedOp op, Rounding rounding, const T* a, const T* b, const T* c, T* results) {
  const RoundingMode mode(rounding);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    volatile T r = evaluate(op, a[lane], b ? b[lane] : T{}, c ? c[lane] : T{});
    results[lane] = r;
  }
}

}  // namespace

void directed(DirectedOp op, Rounding rounding, const float* a, const float* b, const float* c, float* results) {
  run(op, rounding, a, b, c, results);
}

void directed(DirectedOp op, Rounding rounding, const double* a, const double* b, const double* c, double* results) {
  run(op, rounding, a, b, c, results);
}

void directed_narrow(Rounding rounding, const double* a, float* results) {
  const RoundingMode mode(rounding);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    volatile double x = a[lane];
    volatile float r = static_cast<float>(x);
    results[lane] = r;
  }
}

}  // namespace netc::sim
