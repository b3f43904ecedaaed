// Conversions between types in all roundings, and arithmetic of 16-bit floats.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/sim/evaluate.h"

namespace netc::sim {
namespace {

const std::vector<float>& floats() {
  static const std::vector<float> values = [] {
    std::vector<float> v = {
        0.0f,          -0.0f,         0.5f,          -0.5f,         1.5f,           2.5f,           -1.5f,
        -2.5f,         0.49999997f,   2147483520.0f, 2147483648.0f, -2147483648.0f, -2147483904.0f, 4294967040.0f,
        4294967296.0f, 9.2233715e18f, 9.223372e18f,  1.8446743e19f, 1e30f,          -1e30f,         255.5f,
        256.0f,        -129.0f,       65535.5f,      1e-40f,        INFINITY,       -INFINITY,      NAN};
    for (int i = 0; i < 64; ++i) v.push_back(static_cast<float>(i * 0.37 - 11));
    return v;
  }();
  return values;
}

// An independent clamp, through long double.
template <class To>
To clamped(double x, bool is_wide) {
  if (std::isnan(x)) return is_wide ? static_cast<To>(uint64_t{1} << (8 * sizeof(To) - 1)) : To{0};
  const long double value = x;
  if (value >= static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  if (value <= static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(value);
}

template <class To>
void check_to_integer(const std::string& type) {
  const struct {
    const char* name;
    double (*round)(double);
  } modes[] = {{"rni", [](double x) { return std::nearbyint(x); }}, {"rzi", [](double x) { return std::trunc(x); }},
               {"rmi", [](double x) { return std::floor(x); }}, {"rpi", [](double x) { return std::ceil(x); }}};
  for (const auto& mode : modes) {
    const auto out = evaluate<To>("cvt." + std::string(mode.name) + "." + type + ".f32 %d, %a;", floats());
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], clamped<To>(mode.round(floats()[i]), sizeof(To) == 8))
          << mode.name << " " << type << " " << floats()[i];
  }
}

TEST(Conversions, FloatsToIntegers) {
  check_to_integer<int32_t>("s32");
  check_to_integer<uint32_t>("u32");
  check_to_integer<int64_t>("s64");
  check_to_integer<uint64_t>("u64");
  check_to_integer<int16_t>("s16");
}

TEST(Conversions, FloatsToWholeFloats) {
  const auto even = evaluate<float>("cvt.rni.f32.f32 %d, %a;", floats()),
             zero = evaluate<float>("cvt.rzi.f32.f32 %d, %a;", floats());
  const auto down = evaluate<float>("cvt.rmi.f32.f32 %d, %a;", floats()),
             up = evaluate<float>("cvt.rpi.ftz.f32.f32 %d, %a;", floats());
  const auto unit = evaluate<float>("cvt.sat.f32.f32 %d, %a;", floats());
  for (size_t i = 0; i < floats().size(); ++i) {
    const float x = floats()[i];
    if (std::isnan(x)) continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(even[i]), std::bit_cast<uint32_t>(std::nearbyint(x)));
    ASSERT_EQ(std::bit_cast<uint32_t>(zero[i]), std::bit_cast<uint32_t>(std::trunc(x)));
    ASSERT_EQ(std::bit_cast<uint32_t>(down[i]), std::bit_cast<uint32_t>(std::floor(x)));
    ASSERT_EQ(up[i], std::ceil(std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x));
    ASSERT_EQ(unit[i], x > 0 ? std::min(x, 1.0f) : 0.0f);
  }
}

TEST(Conversions, IntegersToFloats) {
  const std::vector<int32_t> narrow = {0,        1,        -1,         16777217,        -16777217,
                                       16777219, 33554435, 2147483647, -2147483647 - 1, 123456789};
  const std::vector<uint64_t> wide = {
      0, 1, 16777217, 0xFFFFFFFFFFFFFFFF, 0x8000000000000001, 0x7FFFFFBFFFFFFFFF, 9007199254740993};
  const auto nearest = evaluate<float>("cvt.rn.f32.s32 %d, %a;", narrow),
             zero = evaluate<float>("cvt.rz.f32.s32 %d, %a;", narrow);
  const auto down = evaluate<float>("cvt.rm.f32.s32 %d, %a;", narrow),
             up = evaluate<float>("cvt.rp.f32.s32 %d, %a;", narrow);
  for (size_t i = 0; i < narrow.size(); ++i) {
    const double x = narrow[i];
    const float near = static_cast<float>(x), below = near > x ? std::nextafter(near, -INFINITY) : near;
    const float above = near < x ? std::nextafter(near, INFINITY) : near;
    ASSERT_EQ(nearest[i], near);
    ASSERT_EQ(down[i], below);
    ASSERT_EQ(up[i], above);
    ASSERT_EQ(zero[i], x < 0 ? above : below);
  }
  const auto from_wide = evaluate<float>("cvt.rn.f32.u64 %d, %a;", wide);
  const auto wide_down = evaluate<float>("cvt.rz.f32.u64 %d, %a;", wide);
  const auto to_double = evaluate<double>("cvt.rn.f64.u64 %d, %a;", wide);
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSERT_EQ(from_wide[i], static_cast<float>(wide[i]));
    ASSERT_EQ(to_double[i], static_cast<double>(wide[i]));
    ASSERT_LE(static_cast<long double>(wide_down[i]), static_cast<long double>(wide[i]));
    ASSERT_GT(static_cast<long double>(std::nextafter(wide_down[i], INFINITY)), static_cast<long double>(wide[i]));
  }
}

TEST(Conversions, DoublesToFloats) {
  const std::vector<double> x = {0.1, -0.1, 1e300, -1e300, 1e-46, 1.0000000596046448, 3.0, 1e-310, NAN};
  const auto nearest = evaluate<float>("cvt.rn.f32.f64 %d, %a;", x), up = evaluate<float>("cvt.rp.f32.f64 %d, %a;", x);
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    const float near = static_cast<float>(x[i]);
    ASSERT_EQ(nearest[i], near);
    ASSERT_EQ(up[i], near < x[i] ? std::nextafter(near, INFINITY) : near);
  }
  ASSERT_TRUE(std::isnan(nearest.back()));
}

TEST(Conversions, BetweenIntegers) {
  const std::vector<int32_t> x = {0,   1,     -1,    127,    128,   -128,       -129,           255,
                                  256, 32767, 32768, -32769, 65536, 0x7FFFFFFF, -0x7FFFFFFF - 1};
  const auto byte = evaluate<int32_t>("cvt.s32.s8 %d, %a;", x),
             clamp = evaluate<int32_t>(".reg .b16 %h; cvt.sat.s8.s32 %h, %a; cvt.s32.s8 %d, %h;", x);
  const auto unsigned_clamp = evaluate<uint32_t>(".reg .b16 %h; cvt.sat.u8.s32 %h, %a; cvt.u32.u16 %d, %h;", x);
  const auto wide = evaluate<int64_t>("cvt.s64.s32 %d, %a;", x);
  const auto zeros = evaluate<uint64_t>("cvt.u64.u32 %d, %a;", x);
  const auto halves = evaluate<int32_t>(".reg .b64 %w; cvt.s64.s32 %w, %a; cvt.s32.s16 %d, %w;", x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(byte[i], static_cast<int8_t>(x[i]));
    ASSERT_EQ(clamp[i], std::clamp(x[i], -128, 127));
    ASSERT_EQ(unsigned_clamp[i], static_cast<uint32_t>(std::clamp(x[i], 0, 255)));
    ASSERT_EQ(wide[i], x[i]);
    ASSERT_EQ(zeros[i], static_cast<uint32_t>(x[i]));
    ASSERT_EQ(halves[i], static_cast<int16_t>(x[i]));
  }
}

// --- 16 bits. An independent conversion by searching among all 65536 values.

double f16_value(uint32_t h) {
  const double sign = h & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(h >> 10 & 31);
  const double fraction = h & 1023;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double bf16_value(uint32_t h) { return std::bit_cast<float>(h << 16); }

// The nearest of a 16-bit format, ties to the even code; `largest` is the code of the largest finite number.
template <class Value>
uint32_t nearest_code(double x, Value value, uint32_t largest) {
  if (std::isnan(x)) return 0x7FFF;
  const uint32_t sign = std::signbit(x) ? 0x8000 : 0;
  x = std::fabs(x);
  uint32_t low = 0, high = largest;   // codes grow with their values
  while (low < high) {
    const uint32_t middle = (low + high + 1) / 2;
    if (value(middle) <= x) low = middle; else high = middle - 1;
  }
  if (low == largest) {
    const double step = value(largest) - value(largest - 1);
    return sign | (x >= value(largest) + step / 2 ? largest + 1 : largest);
  }
  const double below = x - value(low), above = value(low + 1) - x;
  return sign | (below < above || (below == above && low % 2 == 0) ? low : low + 1);
}

uint32_t f16_code(double x) { return nearest_code(x, f16_value, 0x7BFF); }
uint32_t bf16_code(double x) { return nearest_code(x, bf16_value, 0x7F7F); }

std::vector<uint16_t> all_codes() {
  std::vector<uint16_t> codes(65536);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint16_t>(i);
  return codes;
}

TEST(Conversions, EveryHalfToFloat) {
  const auto codes = all_codes();
  const auto f16 = evaluate<float>("cvt.f32.f16 %d, %a;", codes), bf16 = evaluate<float>("cvt.f32.bf16 %d, %a;", codes);
  const auto back = evaluate<uint16_t>(".reg .b32 %f; cvt.f32.f16 %f, %a; cvt.rn.f16.f32 %d, %f;", codes);
  for (uint32_t i = 0; i < 65536; ++i) {
    if (std::isnan(f16_value(i))) {
      ASSERT_TRUE(std::isnan(f16[i]));
    } else {
      ASSERT_EQ(f16[i], static_cast<float>(f16_value(i)));
      ASSERT_EQ(back[i], i);
    }
    if (!std::isnan(bf16_value(i))) {
      ASSERT_EQ(bf16[i], static_cast<float>(bf16_value(i)));
    }
  }
}

TEST(Conversions, FloatsToHalves) {
  std::vector<float> x = floats();
  for (uint32_t h = 0; h < 0x7C00; h += 37) {   // values, and the ties between them
    x.push_back(static_cast<float>(f16_value(h)));
    x.push_back(static_cast<float>((f16_value(h) + f16_value(h + 1)) / 2));
    x.push_back(std::nextafter(x.back(), 0.0f));
    x.push_back(static_cast<float>((bf16_value(h) + bf16_value(h + 1)) / 2));
  }
  const auto f16 = evaluate<uint16_t>("cvt.rn.f16.f32 %d, %a;", x),
             bf16 = evaluate<uint16_t>("cvt.rn.bf16.f32 %d, %a;", x);
  const auto zero = evaluate<uint16_t>("cvt.rz.f16.f32 %d, %a;", x);
  const auto pair = evaluate<uint32_t>("cvt.rn.f16x2.f32 %d, %a, 0f3F800000;", x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(f16[i], f16_code(x[i])) << x[i];
    ASSERT_EQ(bf16[i], bf16_code(x[i])) << x[i];
    ASSERT_EQ(pair[i], f16_code(x[i]) << 16 | 0x3C00);
    if (!std::isnan(x[i]) && !std::isinf(x[i])) {
      ASSERT_LE(std::fabs(f16_value(zero[i])), std::fabs(x[i]));
      ASSERT_LE(std::fabs(f16_value(zero[i])), 65504);
    }
  }
}

template <class Value, class Code>
void check_half_arithmetic(const std::string& type, Value value, Code code) {
  std::vector<uint16_t> some;
  for (uint32_t h = 0; h < 65536; h += 1021) some.push_back(static_cast<uint16_t>(h));
  some.insert(some.end(), {0x0000, 0x8000, 0x0001, 0x8001, 0x3C01, 0x3F81});
  const Columns<uint16_t> in = pairs(some);
  std::vector<uint16_t> third(in.a.size());
  for (size_t i = 0; i < third.size(); ++i) third[i] = some[i * 7 % some.size()];
  const auto sum = evaluate<uint16_t>("add." + type + " %d, %a, %b;", in.a, in.b),
             product = evaluate<uint16_t>("mul." + type + " %d, %a, %b;", in.a, in.b);
  const auto fused = evaluate<uint16_t>("fma.rn." + type + " %d, %a, %b, %c;", in.a, in.b, third);
  const auto greater = evaluate<uint16_t>("max." + type + " %d, %a, %b;", in.a, in.b);
  const auto less = evaluate<bool>("setp.lt." + type + " %d, %a, %b;", in.a, in.b);
  const auto two = evaluate<uint32_t>(
      ".reg .b32 %x, %y; mov.b32 %x, {%a, %b}; mov.b32 %y, {%b, %b}; fma.rn." + type + "x2 %d, %x, %y, %y;", in.a,
      in.b);
  for (size_t i = 0; i < in.a.size(); ++i) {
    const double a = value(in.a[i]), b = value(in.b[i]), c = value(third[i]);
    ASSERT_EQ(sum[i], code(a + b)) << a << " " << b;
    ASSERT_EQ(product[i], code(a * b)) << a << " " << b;
    ASSERT_EQ(fused[i], code(static_cast<double>(static_cast<long double>(a) * b + c))) << a << " " << b << " " << c;
    ASSERT_EQ(two[i] & 0xFFFF, code(a * b + b));
    ASSERT_EQ(two[i] >> 16, code(b * b + b));
    ASSERT_EQ(less[i], a < b);
    if (!std::isnan(a) && !std::isnan(b)) {
      ASSERT_EQ(value(greater[i]), std::fmax(a, b));
    }
  }
}

TEST(Halves, ArithmeticRoundsOnce) {
  check_half_arithmetic("f16", f16_value, f16_code);
  check_half_arithmetic("bf16", bf16_value, bf16_code);
}

TEST(Halves, SignsOfPairs) {
  const std::vector<uint32_t> x = {0x3C00BC00, 0x80000000, 0x00008000, 0xFFFF0001};
  const auto negative = evaluate<uint32_t>("neg.f16x2 %d, %a;", x),
             absolute = evaluate<uint32_t>("abs.bf16x2 %d, %a;", x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(negative[i], x[i] ^ 0x80008000u);
    ASSERT_EQ(absolute[i], x[i] & 0x7FFF7FFFu);
  }
}

}  // namespace
}  // namespace netc::sim
