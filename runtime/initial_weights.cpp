#include "runtime/initial_weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "compiler/kernel/random.h"

namespace netc {
namespace {

// Keeps these draws apart from those of any update, which count from 0.
constexpr uint32_t kBeforeTraining = 0xFFFFFFFFu;

// Standard normal distribution function at -2 and the share between -2 and 2.
constexpr double kBelowMinusTwo = 0.02275013194817920720;
constexpr double kWithinTwo = 1 - 2 * kBelowMinusTwo;

// Calls draw(e, u) with u uniform in (0, 1), four elements a counter.
template <typename Draw>
void for_each_uniform(uint64_t seed, const std::string& path, size_t count, Draw draw) {
  const uint32_t stream = random_stream(path);
  const std::array<uint32_t, 2> key = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (size_t e = 0; e < count; e += 4) {
    const uint64_t block = e / 4;
    const auto words =
        philox_4x32_10({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), stream, kBeforeTraining}, key);
    for (size_t i = 0; i < 4 && e + i < count; ++i) draw(e + i, (words[i] + 0.5) * 0x1p-32);
  }
}

double polynomial(const std::array<double, 8>& c, double x) {
  double y = c[7];
  for (size_t i = 7; i-- > 0;) y = y * x + c[i];
  return y;
}

// Natural logarithm of a positive number by 2 * artanh((m - 1) / (m + 1)) on the mantissa.
double natural_log(double x) {
  constexpr double kLn2 = 0.69314718055994530942, kSqrtHalf = 0.70710678118654752440;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kSqrtHalf) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), s2 = s * s;   // |s| < 0.1716: 11 terms reach 1e-17
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return exponent * kLn2 + 2 * s * sum;
}

constexpr std::array<double, 8> kA = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                      1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                      3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr std::array<double, 8> kB = {1.0,                      4.2313330701600911252e+1, 6.8718700749205790830e+2,
                                      5.3941960214247511077e+3, 2.1213794301586595867e+4, 3.9307895800092710610e+4,
                                      2.8729085735721942674e+4, 5.2264952788528545610e+3};
constexpr std::array<double, 8> kC = {1.42343711074968357734e0,  4.63033784615654529590e0,  5.76949722146069140550e0,
                                      3.64784832476320460504e0,  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kD = {1.0,                       2.05319162663775882187e0,  1.67638483018380384940e0,
                                      6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
                                      5.47593808499534494600e-4, 1.05075007164441684324e-9};
constexpr std::array<double, 8> kE = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                      2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kF = {1.0,                       5.99832206555887937690e-1, 1.36929880922735805310e-1,
                                      1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                                      1.42151175831644588870e-7, 2.04426310338993978564e-15};

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  double r = std::sqrt(-natural_log(q < 0 ? p : 1 - p));
  double z = 0;
  if (r <= 5) {
    r -= 1.6;
    z = polynomial(kC, r) / polynomial(kD, r);
  } else {
    r -= 5;
    z = polynomial(kE, r) / polynomial(kF, r);
  }
  return q < 0 ? -z : z;
}

void draw_initial(const Initializer& init, uint64_t seed, const std::string& path, std::span<float> values) {
  switch (init.kind) {
    case Initializer::Kind::zeros: std::fill(values.begin(), values.end(), 0.0f); return;
    case Initializer::Kind::ones: std::fill(values.begin(), values.end(), 1.0f); return;
    case Initializer::Kind::constant: std::fill(values.begin(), values.end(), static_cast<float>(init.a)); return;
    case Initializer::Kind::uniform:
      return for_each_uniform(seed, path, values.size(), [&](size_t e, double u) {
        values[e] = static_cast<float>(init.a + (init.b - init.a) * u);
      });
    case Initializer::Kind::normal:
      return for_each_uniform(seed, path, values.size(), [&](size_t e, double u) {
        const double p = init.truncated ? kBelowMinusTwo + kWithinTwo * u : u;
        values[e] = static_cast<float>(init.a + init.b * normal_quantile(p));
      });
  }
}

}  // namespace netc
