#include "compiler/kernel/emit_math.h"

#include <algorithm>

namespace netc {
namespace {

struct MathText {
  ExprOp op;
  const char* name;
  std::vector<ExprOp> needs;
  const char* text;
};

// In an order in which every function stands after what it needs. Coefficients: Chebyshev fits of the function less
// its first terms, over the reduced range.
const std::vector<MathText>& math_texts() {
  using enum ExprOp;
  static const std::vector<MathText> kTexts{
      {exp, "exp", {}, R"(// e^x = 2^n e^r, |r| <= ln 2 / 2. The power of two is applied in two factors: n reaches 128 and -150.
INLINE vf exp_reduced(vf x, vi* n) {   // e^r - 1
  const vf magic = splat(12582912.0f);   // 1.5 * 2^23: adding it rounds to a whole number
  const vf shifted = mul_add(x, splat(1.44269504f), magic), whole = shifted - magic;
  *n = (vi)shifted - (vi)magic;
  const vf r = mul_add(whole, splat(2.12194440e-4f), mul_add(whole, splat(-0.693359375f), x));
  vf p = splat(1.989118016e-4f);
  p = mul_add(p, r, splat(1.393382049e-3f));
  p = mul_add(p, r, splat(8.333310755e-3f));
  p = mul_add(p, r, splat(4.166646339e-2f));
  p = mul_add(p, r, splat(0.1666666668f));
  p = mul_add(p, r, splat(0.5f));
  return mul_add(r * r, p, r);
}
INLINE vf exp_v(vf x) {
  vi n;
  const vf y = exp_reduced(larger(splat(-104.0f), smaller(splat(89.0f), x)), &n) + splat(1.0f);
  const vi half = n >> 1;
  return y * (vf)((half + 127) << 23) * (vf)((n - half + 127) << 23);
}
)"},
      {expm1, "expm1", {exp}, R"(INLINE vf expm1_v(vf x) {   // 2^n (e^r - 1) + 2^n - 1, at half size against overflow
  vi n;
  const vf y = exp_reduced(larger(splat(-30.0f), smaller(splat(89.0f), x)), &n);
  const vf half = (vf)((n + 126) << 23), z = mul_add(half, y, half - splat(0.5f));
  return choose(x == splat(0.0f), x, z + z);
}
)"},
      {log, "log", {}, R"(// log(2^e m) = e log 2 + log m, m in [sqrt(1/2), sqrt 2).
INLINE vf log_v(vf x) {
  const vi small = x < splat(1.17549435e-38f);
  const vi bits = (vi)choose(small, x * splat(8388608.0f), x);
  const vi power = (bits - 0x3f3504f3) >> 23;
  const vf f = (vf)(bits - (power << 23)) - splat(1.0f), e = to_f(power - (small & 23));
  vf p = splat(6.971611471e-2f);
  p = mul_add(p, f, splat(-0.1147973385f));
  p = mul_add(p, f, splat(0.1168541992f));
  p = mul_add(p, f, splat(-0.1242568733f));
  p = mul_add(p, f, splat(0.1424905765f));
  p = mul_add(p, f, splat(-0.1666780232f));
  p = mul_add(p, f, splat(0.2000071575f));
  p = mul_add(p, f, splat(-0.2499999696f));
  p = mul_add(p, f, splat(0.3333333118f));
  const vf square = f * f;
  vf y = mul_add(e, splat(-2.12194440e-4f), square * f * p);
  y = f + mul_add(square, splat(-0.5f), y);
  y = mul_add(e, splat(0.693359375f), y);
  y = choose(x == splat(__builtin_inff()), x, y);
  y = choose(x == splat(0.0f), splat(-__builtin_inff()), y);
  return choose(x >= splat(0.0f), y, splat(__builtin_nanf("")));
}
)"},
      {log1p, "log1p", {log}, R"(INLINE vf log1p_v(vf x) {   // log of the rounded sum, and what rounding lost
  const vf u = x + splat(1.0f), lost = x - (u - splat(1.0f));
  const vf y = log_v(u) + choose(u > splat(0.0f), lost / u, splat(0.0f));
  const vi keep = (x == splat(__builtin_inff())) | (x == splat(0.0f)) | (x != x);
  return choose(keep, x, y);
}
)"},
      {tanh, "tanh", {exp}, R"(INLINE vf tanh_v(vf x) {
  const vf z = x * x, a = (vf)((vi)x & 0x7fffffff);
  vf p = splat(2.292744816e-3f);
  p = mul_add(p, z, splat(-8.343945516e-3f));
  p = mul_add(p, z, splat(2.176891865e-2f));
  p = mul_add(p, z, splat(-5.395925958e-2f));
  p = mul_add(p, z, splat(0.1333330356f));
  p = mul_add(p, z, splat(-0.3333333317f));
  const vf near = mul_add(x * z, p, x);
  const vf far = splat(1.0f) - splat(2.0f) / (exp_v(a + a) + splat(1.0f));
  return choose(a < splat(0.625f), near, (vf)((vi)far | ((vi)x & (i32)0x80000000)));
}
)"},
      {erf, "erf", {exp}, R"(INLINE vf erf_v(vf x) {   // x (1 + P(x^2)) near zero, 1 - exp(-a (1 + Q(a))) beyond
  const vf z = x * x, a = smaller(splat(4.05f), (vf)((vi)x & 0x7fffffff));
  vf p = splat(8.334718615e-5f);
  p = mul_add(p, z, splat(-8.134709332e-4f));
  p = mul_add(p, z, splat(5.200368587e-3f));
  p = mul_add(p, z, splat(-2.685915147e-2f));
  p = mul_add(p, z, splat(0.1128369152f));
  p = mul_add(p, z, splat(-0.3761263352f));
  p = mul_add(p, z, splat(0.1283791666f));
  vf q = splat(-2.520560157e-7f);
  q = mul_add(q, a, splat(4.012142844e-6f));
  q = mul_add(q, a, splat(-8.813768883e-6f));
  q = mul_add(q, a, splat(-2.942410826e-4f));
  q = mul_add(q, a, splat(3.717911108e-3f));
  q = mul_add(q, a, splat(-2.410346483e-2f));
  q = mul_add(q, a, splat(0.1067536553f));
  q = mul_add(q, a, splat(0.634791271f));
  q = mul_add(q, a, splat(0.1287453878f));
  const vf far = splat(1.0f) - exp_v(-mul_add(a, q, a));
  return choose(a < splat(0.925f), mul_add(x, p, x), (vf)((vi)far | ((vi)x & (i32)0x80000000)));
}
)"},
      {sin, "sin", {}, R"(// Reduced to a quarter turn in double precision.
typedef double vd __attribute__((vector_size(LANES * 8)));
typedef i64 vl __attribute__((vector_size(LANES * 8)));
static vf sin_turned(vf x, int quarter) {
  const vd y = __builtin_convertvector(x, vd);
  const vd shifted = y * 0.63661977236758134308 + 6755399441055744.0, n = shifted - 6755399441055744.0;
  const vd turned = (y - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11;
  const vi k = (__builtin_convertvector((vl)shifted & 3, vi) + quarter) & 3;
  const vf r = larger(splat(-0.8f), smaller(splat(0.8f), __builtin_convertvector(turned, vf))), z = r * r;
  vf s = splat(2.724378141e-6f);
  s = mul_add(s, z, splat(-1.984003887e-4f));
  s = mul_add(s, z, splat(8.333331785e-3f));
  s = mul_add(s, z, splat(-0.1666666666f));
  s = mul_add(s * z, r, r);
  vf c = splat(2.454287111e-5f);
  c = mul_add(c, z, splat(-1.388827933e-3f));
  c = mul_add(c, z, splat(4.166664454e-2f));
  c = mul_add(c * z, z, mul_add(z, splat(-0.5f), splat(1.0f)));
  const vf value = choose((k & 1) != 0, c, s);
  return (vf)((vi)value ^ ((k & 2) << 30));
}
INLINE vf sin_v(vf x) { return sin_turned(x, 0); }
)"},
      {cos, "cos", {sin}, R"(INLINE vf cos_v(vf x) { return sin_turned(x, 1); }
)"},
      {floor, "floor", {}, R"(INLINE vf floor_v(vf x) {   // whole numbers from 2^23 on
  const vf cut = to_f(to_i(x)), down = cut - (vf)((cut > x) & (vi)splat(1.0f));
  return choose((vf)((vi)x & 0x7fffffff) < splat(8388608.0f), down, x);
}
)"},
      {pow, "pow", {floor}, R"(// exp(b log |a|) in double precision.
typedef double vpd __attribute__((vector_size(LANES * 8)));
typedef i64 vpl __attribute__((vector_size(LANES * 8)));
static vf pow_v(vf a, vf b) {
  const vf size = (vf)((vi)a & 0x7fffffff);
  const vpd wide = __builtin_convertvector(size, vpd);
  const vpl bits = (vpl)wide, power = (bits - 0x3fe6a09e667f3bcdLL) >> 52;
  const vpd m = (vpd)(bits - (power << 52)), s = (m - 1.0) / (m + 1.0), z = s * s;
  const vpd q = (((((((0.0730822484252170293 * z + 0.0766586080027802063) * z + 0.0909144456263086104) * z +
                    0.111111055673975399) * z + 0.142857143129877425) * z + 0.199999999999497522) * z) +
                 0.333333333333333484) * z;
  const vpd t = __builtin_convertvector(b, vpd) *
                (__builtin_convertvector(power, vpd) * 0.69314718055994530942 + 2.0 * (s + s * q));
  const vpl over = t > 160.0, under = t < -160.0;
  const vpd clamped = (vpd)((over & 0x4064000000000000LL) | (under & (i64)0xC064000000000000ULL) | (~(over | under) & (vpl)t));   // 160
  const vpd shifted = clamped * 1.44269504088896340736 + 6755399441055744.0, n = shifted - 6755399441055744.0;
  const vpd r = (clamped - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  const vpd p = ((((((((2.76140219105633819e-7 * r + 2.76253737224443339e-6) * r + 2.48015560004334634e-5) * r +
                     1.98412082664757048e-4) * r + 1.38888889060762555e-3) * r + 8.33333335396312748e-3) * r +
                   4.16666666666511207e-2) * r + 0.166666666666480068) * r + 0.5) * r * r + r + 1.0;
  const vpl exponent = (vpl)shifted - 0x4338000000000000LL;   // the bits of 1.5 * 2^52
  vf y = __builtin_convertvector(p * (vpd)((exponent + 1023) << 52), vf);

  const vf zero = splat(0.0f), one = splat(1.0f), inf = splat(__builtin_inff());
  const vf below = choose(b < zero, inf, zero), above = choose(b < zero, zero, inf);
  y = choose((size == zero) & (b == b), below, y);
  y = choose((size == inf) & (b == b), above, y);
  const vi whole = floor_v(b) == b;
  const vf half = b * splat(0.5f);
  const vi odd = whole & (floor_v(half) != half);
  y = (vf)((vi)y ^ (odd & (vi)a & (i32)0x80000000));
  y = choose(((a < zero) & (size < inf) & ~whole) | (a != a) | (b != b), splat(__builtin_nanf("")), y);
  return choose((b == zero) | (a == one) | ((size == one) & ((vf)((vi)b & 0x7fffffff) == inf)), one, y);
}
)"},
      {sign, "sign", {}, R"(INLINE vf sign_v(vf x) { return choose(x > splat(0.0f), splat(1.0f), choose(x < splat(0.0f), splat(-1.0f), x)); }
)"},
      {abs, "abs", {}, R"(INLINE vf abs_v(vf x) { return (vf)((vi)x & 0x7fffffff); }
)"},
      {sqrt, "sqrt", {}, R"(INLINE vf sqrt_v(vf x) { return root(x); }
)"},
      {rsqrt, "rsqrt", {}, R"(INLINE vf rsqrt_v(vf x) { return quotient(splat(1.0f), root(x)); }
)"},
      {reciprocal, "reciprocal", {}, R"(INLINE vf reciprocal_v(vf x) { return quotient(splat(1.0f), x); }
)"},
  };
  return kTexts;
}

const MathText* find_text(ExprOp op) {
  for (const MathText& text : math_texts())
    if (text.op == op) return &text;
  return nullptr;
}

}  // namespace

const char* math_function(ExprOp op) {
  const MathText* text = find_text(op);
  return text == nullptr ? nullptr : text->name;
}

std::string emit_math(const std::vector<ExprOp>& used) {
  std::vector<ExprOp> wanted = used;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (const MathText* text = find_text(wanted[i])) wanted.insert(wanted.end(), text->needs.begin(), text->needs.end());
  std::string out;
  for (const MathText& text : math_texts()) {
    if (std::find(wanted.begin(), wanted.end(), text.op) == wanted.end()) continue;
    const std::string name = text.name;
    out += text.text;
    if (text.op == ExprOp::pow) out += "INLINE float pow_1(float a, float b) { return pow_v(splat(a), splat(b))[0]; }\n\n";
    else out += "INLINE float " + name + "_1(float x) { return " + name + "_v(splat(x))[0]; }\n\n";
  }
  return out;
}

}  // namespace netc
