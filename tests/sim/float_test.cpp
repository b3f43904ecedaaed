// Floating point instructions one by one against plain C++: bit for bit where PTX defines the bits.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/sim/evaluate.h"

namespace netc::sim {
namespace {

using Limits = std::numeric_limits<float>;

const std::vector<float>& edges() {
  static const std::vector<float> values = {
      0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1.5f, 2.5f, -2.5f, 3.0f, 1e-3f, 1.0f / 3, 1.0f + Limits::epsilon(), 16777216.0f,
      16777217.0f, 1e10f, -1e20f, 3e38f, Limits::max(), Limits::min(), Limits::min() / 2, -Limits::denorm_min(),
      Limits::denorm_min(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  return values;
}

uint32_t bits(float x) { return std::isnan(x) ? 0x7FFFFFFFu : std::bit_cast<uint32_t>(x); }
float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float saturated(float x) { return x > 0 ? std::fmin(x, 1.0f) : 0.0f; }

template <class F>
void check_binary(const std::string& opcode, F expected) {
  const Columns<float> in = pairs(edges());
  const auto out = evaluate<float>(opcode + " %d, %a, %b;", in.a, in.b);
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), bits(expected(in.a[i], in.b[i])))
        << opcode << " " << in.a[i] << ", " << in.b[i];
}

TEST(Floats, ArithmeticRoundsToNearest) {
  check_binary("add.rn.f32", [](float a, float b) { return a + b; });
  check_binary("sub.f32", [](float a, float b) { return a - b; });
  check_binary("mul.f32", [](float a, float b) { return a * b; });
  check_binary("div.rn.f32", [](float a, float b) { return a / b; });
  const Columns<float> in = pairs(edges());
  const auto out = evaluate<float>("copysign.f32 %d, %a, %b;", in.a, in.b);
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(std::copysign(in.b[i], in.a[i])));
}

TEST(Floats, FlushAndSaturate) {
  check_binary("add.ftz.f32", [](float a, float b) { return flushed(flushed(a) + flushed(b)); });
  check_binary("mul.ftz.f32", [](float a, float b) { return flushed(flushed(a) * flushed(b)); });
  check_binary("add.sat.f32", [](float a, float b) { return saturated(a + b); });
  check_binary("mul.ftz.sat.f32", [](float a, float b) { return saturated(flushed(flushed(a) * flushed(b))); });
}

TEST(Floats, MinimumAndMaximumPreferNumbers) {
  const auto less = [](float a, float b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  };
  const auto more = [](float a, float b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  };
  check_binary("min.f32", less);
  check_binary("max.f32", more);
  check_binary("max.NaN.f32", [&](float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : more(a, b); });
}

// Directed rounding: the simulator's own way for sums and products with a sum, the processor's modes for the rest.
void check_directed(const std::string& suffix, int mode) {
  const Columns<float> two = pairs(edges());
  std::vector<float> small = edges();
  small.resize(21);
  small.insert(small.end(), {Limits::infinity(), Limits::quiet_NaN(), 12345.678f, -7.7e-12f});
  const Columns<float> three = triples(small);
  const auto sum = evaluate<float>("add." + suffix + ".f32 %d, %a, %b;", two.a, two.b);
  const auto difference = evaluate<float>("sub." + suffix + ".f32 %d, %a, %b;", two.a, two.b);
  const auto product = evaluate<float>("mul." + suffix + ".f32 %d, %a, %b;", two.a, two.b);
  const auto quotient = evaluate<float>("div." + suffix + ".f32 %d, %a, %b;", two.a, two.b);
  const auto fused = evaluate<float>("fma." + suffix + ".f32 %d, %a, %b, %c;", three.a, three.b, three.c);
  const auto root = evaluate<float>("sqrt." + suffix + ".f32 %d, %a;", edges());
  std::vector<uint32_t> expected[6];
  const int saved = std::fegetround();
  std::fesetround(mode);
  for (size_t i = 0; i < two.a.size(); ++i) {
    volatile float a = two.a[i], b = two.b[i];
    volatile float r[] = {a + b, a - b, a * b, a / b};
    for (int k = 0; k < 4; ++k) expected[k].push_back(bits(r[k]));
  }
  for (size_t i = 0; i < three.a.size(); ++i) {
    volatile float a = three.a[i], b = three.b[i], c = three.c[i];
    volatile float r = std::fma(a, b, c);
    expected[4].push_back(bits(r));
  }
  for (const float x : edges()) {
    volatile float a = x;
    volatile float r = std::sqrt(a);
    expected[5].push_back(bits(r));
  }
  std::fesetround(saved);
  const std::vector<float>* const results[] = {&sum, &difference, &product, &quotient, &fused, &root};
  for (int k = 0; k < 6; ++k)
    for (size_t i = 0; i < expected[k].size(); ++i)
      ASSERT_EQ(std::bit_cast<uint32_t>((*results[k])[i]), expected[k][i])
          << suffix << " operation " << k << " case " << i << ": "
          << (k == 4   ? three.a[i]
              : k == 5 ? edges()[i]
                       : two.a[i])
          << ", "
          << (k == 4   ? three.b[i]
              : k == 5 ? 0
                       : two.b[i])
          << ", " << (k == 4 ? three.c[i] : 0);
}

TEST(Floats, RoundTowardZero) { check_directed("rz", FE_TOWARDZERO); }
TEST(Floats, RoundDown) { check_directed("rm", FE_DOWNWARD); }
TEST(Floats, RoundUp) { check_directed("rp", FE_UPWARD); }

TEST(Floats, MultiplyAddIsFused) {
  const Columns<float> in = triples(edges());
  const auto out = evaluate<float>("fma.rn.f32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto flushing = evaluate<float>("fma.rn.ftz.sat.f32 %d, %a, %b, %c;", in.a, in.b, in.c);
  // What must not be fused: a product whose rounding shows.
  const auto apart = evaluate<float>(".reg .b32 %t; mul.f32 %t, %a, %b; add.f32 %d, %t, %c;", in.a, in.b, in.c);
  for (size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), bits(std::fma(in.a[i], in.b[i], in.c[i])));
    ASSERT_EQ(std::bit_cast<uint32_t>(flushing[i]),
              bits(saturated(flushed(std::fma(flushed(in.a[i]), flushed(in.b[i]), flushed(in.c[i]))))));
    volatile float product = in.a[i] * in.b[i];
    ASSERT_EQ(std::bit_cast<uint32_t>(apart[i]), bits(product + in.c[i]));
  }
}

TEST(Floats, Doubles) {
  std::vector<double> values = {0.0, -0.0, 1.0, -1.5, 1e-310, 1e300, 3.14, 1.0 / 3, INFINITY, NAN};
  const Columns<double> in = triples(values);
  const auto sum = evaluate<double>("add.f64 %d, %a, %b;", in.a, in.b),
             fused = evaluate<double>("fma.rn.f64 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto quotient = evaluate<double>("div.rn.f64 %d, %a, %b;", in.a, in.b),
             down = evaluate<double>("add.rm.f64 %d, %a, %b;", in.a, in.b);
  const auto same = [](double x, double y) {
    return std::isnan(x) ? std::isnan(y) : std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  };
  for (size_t i = 0; i < in.a.size(); ++i) {
    ASSERT_TRUE(same(sum[i], in.a[i] + in.b[i]));
    ASSERT_TRUE(same(fused[i], std::fma(in.a[i], in.b[i], in.c[i])));
    ASSERT_TRUE(same(quotient[i], in.a[i] / in.b[i]));
    std::fesetround(FE_DOWNWARD);
    volatile double a = in.a[i], b = in.b[i], lower = a + b;
    std::fesetround(FE_TONEAREST);
    ASSERT_TRUE(same(down[i], lower));
  }
}

TEST(Floats, Comparisons) {
  const Columns<float> in = pairs(edges());
  const struct {
    const char* name;
    bool (*holds)(float, float);
  } kinds[] = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [](float a, float b) { return a != b && !std::isunordered(a, b); }},
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"equ", [](float a, float b) { return a == b || std::isunordered(a, b); }},
      {"neu", [](float a, float b) { return a != b; }},
      {"ltu", [](float a, float b) { return !(a >= b); }},
      {"leu", [](float a, float b) { return !(a > b); }},
      {"gtu", [](float a, float b) { return !(a <= b); }},
      {"geu", [](float a, float b) { return !(a < b); }},
      {"num", [](float a, float b) { return !std::isunordered(a, b); }},
      {"nan", [](float a, float b) { return std::isunordered(a, b); }}};
  for (const auto& kind : kinds) {
    const auto out = evaluate<bool>(std::string("setp.") + kind.name + ".f32 %d, %a, %b;", in.a, in.b);
    const auto flushing = evaluate<bool>(std::string("setp.") + kind.name + ".ftz.f32 %d, %a, %b;", in.a, in.b);
    for (size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], kind.holds(in.a[i], in.b[i])) << kind.name << " " << in.a[i] << " " << in.b[i];
      ASSERT_EQ(flushing[i], kind.holds(flushed(in.a[i]), flushed(in.b[i]))) << kind.name;
    }
  }
}

TEST(Floats, ClassesAndSigns) {
  const auto& x = edges();
  const auto finite = evaluate<bool>("testp.finite.f32 %d, %a;", x),
             infinite = evaluate<bool>("testp.infinite.f32 %d, %a;", x);
  const auto number = evaluate<bool>("testp.number.f32 %d, %a;", x),
             nan = evaluate<bool>("testp.notanumber.f32 %d, %a;", x);
  const auto normal = evaluate<bool>("testp.normal.f32 %d, %a;", x),
             subnormal = evaluate<bool>("testp.subnormal.f32 %d, %a;", x);
  const auto absolute = evaluate<float>("abs.f32 %d, %a;", x), negative = evaluate<float>("neg.ftz.f32 %d, %a;", x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(finite[i], std::isfinite(x[i]));
    ASSERT_EQ(infinite[i], std::isinf(x[i]));
    ASSERT_EQ(number[i], !std::isnan(x[i]));
    ASSERT_EQ(nan[i], std::isnan(x[i]));
    ASSERT_EQ(normal[i], std::isnormal(x[i]));
    ASSERT_EQ(subnormal[i], std::fpclassify(x[i]) == FP_SUBNORMAL);
    if (std::isnan(x[i])) continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(absolute[i]), bits(std::fabs(x[i])));
    ASSERT_EQ(std::bit_cast<uint32_t>(negative[i]), bits(-flushed(x[i])));
  }
}

// Within one unit of the last place of the true value, which is better than the hardware's two.
void check_approximation(const std::string& opcode, double (*function)(double), double low, double high) {
  std::vector<float> x = edges();
  for (int i = 0; i < 4000; ++i) x.push_back(static_cast<float>(low + (high - low) * i / 3999));
  const auto out = evaluate<float>(opcode + " %d, %a;", x);
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = function(x[i]);
    const float expected = static_cast<float>(exact);
    if (std::isnan(exact) || std::isinf(expected) || exact == 0) {
      ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), bits(expected)) << opcode << " of " << x[i];
    } else {
      const double ulp = std::nextafter(std::fabs(expected), INFINITY) - std::fabs(expected);
      ASSERT_NEAR(out[i], exact, 0.51 * ulp) << opcode << " of " << x[i];
    }
  }
}

TEST(Floats, Approximations) {
  check_approximation("ex2.approx.f32", [](double x) { return std::exp2(x); }, -160, 130);
  check_approximation("lg2.approx.f32", [](double x) { return std::log2(x); }, 0.01, 3);
  check_approximation("rcp.approx.f32", [](double x) { return 1 / x; }, 0.1, 10);
  check_approximation("rcp.rn.f32", [](double x) { return 1 / x; }, -10, -0.1);
  check_approximation("rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 0.1, 10);
  check_approximation("sqrt.rn.f32", [](double x) { return std::sqrt(x); }, 0.1, 10);
}

TEST(Floats, SineCosineTangent) {
  std::vector<float> x;
  for (int i = -100; i <= 100; ++i) x.push_back(static_cast<float>(i) * 0.031f);
  const auto sine = evaluate<float>("sin.approx.ftz.f32 %d, %a;", x),
             cosine = evaluate<float>("cos.approx.f32 %d, %a;", x);
  const auto tangent = evaluate<float>("tanh.approx.f32 %d, %a;", x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(sine[i], std::sin(static_cast<double>(x[i])), 1.2e-7);
    ASSERT_NEAR(cosine[i], std::cos(static_cast<double>(x[i])), 1.2e-7);
    ASSERT_NEAR(tangent[i], std::tanh(static_cast<double>(x[i])), 1.2e-7);
  }
}

}  // namespace
}  // namespace netc::sim
