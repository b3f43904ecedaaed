#include "compiler/kernel/emit_prelude.h"

#include <functional>
#include <vector>

#include "compiler/kernel/emit_random.h"

namespace netc {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

// "{x, x, x, x}", or {0, 1, 2, 3} and the like.
std::string braces(int count, const std::function<std::string(int)>& item) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + item(i);
  return text + "}";
}

std::string types(const Target& t) {
  const std::string bytes = number(t.lanes * 4);
  std::string text = R"(typedef unsigned char u8;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL(n) _Pragma(#n)

struct fault { i64 raised, buffer, id; const void* kernel; };
struct batch {
  i64 towers;
  const i64* rows;
  const i64* first_rows;
  const float* scalars;
  u32 seed_low, seed_high, update;
  struct fault* fault;
};

)";
  text += "// Vectors of " + number(t.lanes) + " values; the _at types are for memory of any alignment.\n";
  text += "typedef float vf __attribute__((vector_size(" + bytes + ")));\n";
  text += "typedef i32 vi __attribute__((vector_size(" + bytes + ")));\n";
  text += "typedef u32 vu __attribute__((vector_size(" + bytes + ")));\n";
  text += "typedef float vf_at __attribute__((vector_size(" + bytes + "), aligned(4), may_alias));\n";
  text += "typedef i32 vi_at __attribute__((vector_size(" + bytes + "), aligned(4), may_alias));\n";
  text += "typedef u8 vb_at __attribute__((vector_size(" + number(t.lanes) + "), aligned(1), may_alias));\n";
  text += "typedef float v4_at __attribute__((vector_size(16), aligned(4), may_alias));\n";
  text += "#define LANES " + number(t.lanes) + "\n\n";
  return text;
}

std::string memory(const Target& t) {
  const auto same = braces(t.lanes, [](int) { return "x"; });
  std::string text = "INLINE vf splat(float x) { return (vf)" + same + "; }\n";
  text += "INLINE vi splat_i(i32 x) { return (vi)" + same + "; }\n";
  text += "INLINE vu splat_u(u32 x) { return (vu)" + same + "; }\n";
  text += "INLINE vi lane_numbers(void) { return (vi)" + braces(t.lanes, [](int i) { return number(i); }) + "; }\n";
  text += R"(INLINE vf load_f(const float* p) { return *(const vf_at*)p; }
INLINE vi load_i(const i32* p) { return *(const vi_at*)p; }
INLINE vi load_b(const u8* p) { return __builtin_convertvector(*(const vb_at*)p, vi); }
INLINE void store_f(float* p, vf x) { *(vf_at*)p = x; }
INLINE void store_i(i32* p, vi x) { *(vi_at*)p = x; }
INLINE void store_b(u8* p, vi x) { *(vb_at*)p = __builtin_convertvector(x, vb_at); }
// The first n lanes only, where what follows in memory is somebody else's.
INLINE void store_part_f(float* p, vf x, i64 n) {
  if (n >= LANES) store_f(p, x);
  else for (i64 l = 0; l < n; ++l) p[l] = x[l];
}
INLINE void store_part_i(i32* p, vi x, i64 n) {
  if (n >= LANES) store_i(p, x);
  else for (i64 l = 0; l < n; ++l) p[l] = x[l];
}
INLINE void store_part_b(u8* p, vi x, i64 n) {
  if (n >= LANES) store_b(p, x);
  else for (i64 l = 0; l < n; ++l) p[l] = (u8)x[l];
}
INLINE vf to_f(vi x) { return __builtin_convertvector(x, vf); }
INLINE vf u_to_f(vu x) { return __builtin_convertvector(x, vf); }
INLINE vi to_i(vf x) { return __builtin_convertvector(x, vi); }

)";
  return text;
}

// Operations with an instruction of their own, where this text is compiled for a processor that has it; else spelled
// out, so that text for a wide processor can be run (slowly) on a narrow one. larger/smaller give the SECOND operand
// where one is NaN.
constexpr const char* kAvx512 = R"(#if defined(__AVX512F__)
#define HAS_VECTOR_INSTRUCTIONS
INLINE vf mul_add(vf a, vf b, vf c) { return (vf)__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4); }
#if defined(__clang__)
INLINE vf larger(vf a, vf b) { return __builtin_ia32_maxps512(a, b, 4); }
INLINE vf smaller(vf a, vf b) { return __builtin_ia32_minps512(a, b, 4); }
INLINE vf exact_root(vf a) { return __builtin_ia32_sqrtps512(a, 4); }
INLINE vu times_even(vu a, vu b) { return (vu)__builtin_ia32_pmuludq512((vi)a, (vi)b); }
#else
typedef long long vq __attribute__((vector_size(64)));
INLINE vf larger(vf a, vf b) { return __builtin_ia32_maxps512_mask(a, b, a, (unsigned short)-1, 4); }
INLINE vf smaller(vf a, vf b) { return __builtin_ia32_minps512_mask(a, b, a, (unsigned short)-1, 4); }
INLINE vf exact_root(vf a) { return __builtin_ia32_sqrtps512_mask(a, a, (unsigned short)-1, 4); }
INLINE vu times_even(vu a, vu b) { return (vu)__builtin_ia32_pmuludq512_mask((vi)a, (vi)b, (vq)a, (unsigned char)-1); }
#endif
INLINE vf reciprocal_guess(vf a) { return __builtin_ia32_rcp14ps512_mask(a, a, (unsigned short)-1); }
INLINE vf root_guess(vf a) { return __builtin_ia32_rsqrt14ps512_mask(a, a, (unsigned short)-1); }   // 1 / root
INLINE i32 any(vi m) { return __builtin_ia32_cmpd512_mask(m, splat_i(0), 4, (unsigned short)-1) != 0; }
#endif
)";

constexpr const char* kAvx2 = R"(#if defined(__AVX2__) && defined(__FMA__)
#define HAS_VECTOR_INSTRUCTIONS
INLINE vf mul_add(vf a, vf b, vf c) { return __builtin_ia32_vfmaddps256(a, b, c); }
INLINE vf larger(vf a, vf b) { return __builtin_ia32_maxps256(a, b); }
INLINE vf smaller(vf a, vf b) { return __builtin_ia32_minps256(a, b); }
INLINE vf exact_root(vf a) { return __builtin_ia32_sqrtps256(a); }
INLINE vu times_even(vu a, vu b) { return (vu)__builtin_ia32_pmuludq256((vi)a, (vi)b); }
#define HAS_CHOOSE
INLINE vf choose(vi m, vf a, vf b) { return __builtin_ia32_blendvps256(b, a, (vf)m); }
#endif
)";

constexpr const char* kPlain = R"(#if defined(__SSE2__)
#define HAS_VECTOR_INSTRUCTIONS
INLINE vf mul_add(vf a, vf b, vf c) { return a * b + c; }   // no fused multiply-add is assumed: two roundings
INLINE vf larger(vf a, vf b) { return __builtin_ia32_maxps(a, b); }
INLINE vf smaller(vf a, vf b) { return __builtin_ia32_minps(a, b); }
INLINE vf exact_root(vf a) { return __builtin_ia32_sqrtps(a); }
INLINE vu times_even(vu a, vu b) { return (vu)__builtin_ia32_pmuludq128((vi)a, (vi)b); }
#endif
)";

constexpr const char* kSpelledOut = R"(#if !defined(HAS_CHOOSE)
INLINE vf choose(vi m, vf a, vf b) { return (vf)((m & (vi)a) | (~m & (vi)b)); }
#endif
INLINE vi choose_i(vi m, vi a, vi b) { return (m & a) | (~m & b); }
INLINE vu choose_u(vi m, vu a, vu b) { return ((vu)m & a) | (~(vu)m & b); }
#if !defined(HAS_VECTOR_INSTRUCTIONS)
INLINE vf mul_add(vf a, vf b, vf c) { return a * b + c; }   // one rounding if the compiler is told to contract
INLINE vf larger(vf a, vf b) { return choose(a > b, a, b); }
INLINE vf smaller(vf a, vf b) { return choose(a < b, a, b); }
INLINE vf exact_root(vf a) {
  for (int l = 0; l < LANES; ++l) a[l] = __builtin_sqrtf(a[l]);
  return a;
}
// The even lanes multiplied to 64 bits: the low half in the even lane, the high half in the odd one after it.
INLINE vu times_even(vu a, vu b) {
  vu c;
  for (int l = 0; l < LANES; l += 2) {
    const u64 product = (u64)a[l] * b[l];
    c[l] = (u32)product;
    c[l + 1] = (u32)(product >> 32);
  }
  return c;
}
#endif
// NaN if one of the two is.
INLINE vf max_nan(vf a, vf b) { return choose(a != a, a, larger(a, b)); }
INLINE vf min_nan(vf a, vf b) { return choose(a != a, a, smaller(a, b)); }
INLINE float max_nan1(float a, float b) { return a != a ? a : a > b ? a : b; }
INLINE float min_nan1(float a, float b) { return a != a ? a : a < b ? a : b; }
INLINE vi mask_below(i64 n) { return lane_numbers() < splat_i(n < LANES ? (i32)n : LANES); }

)";

constexpr const char* kNewton = R"(// Quotients and roots within 1 ulp. Operands outside the range in which that holds, NaN and infinity among them, take
// the exact instruction.
#if !defined(HAS_VECTOR_INSTRUCTIONS)
INLINE vf reciprocal_guess(vf a) { return (vf)((vi)(splat(1.0f) / a) & ~0x1ff); }   // as rough as the instruction
INLINE vf root_guess(vf a) { return (vf)((vi)(splat(1.0f) / exact_root(a)) & ~0x1ff); }
INLINE i32 any(vi m) {
  i32 some = 0;
  for (int l = 0; l < LANES; ++l) some |= m[l];
  return some;
}
#endif
INLINE vf quotient(vf a, vf b) {
  const vf size_a = (vf)((vi)a & 0x7fffffff), size_b = (vf)((vi)b & 0x7fffffff);
  const vi usual = (size_a <= splat(0x1p60f)) & ((size_a >= splat(0x1p-60f)) | (a == splat(0.0f))) &
                   (size_b <= splat(0x1p60f)) & (size_b >= splat(0x1p-60f));
  if (__builtin_expect(any(~usual), 0)) return a / b;
  vf y = reciprocal_guess(b);
  y = mul_add(y, mul_add(-b, y, splat(1.0f)), y);
  const vf q = a * y;
  return mul_add(mul_add(-b, q, a), y, q);
}
INLINE vf root(vf a) {
  const vi usual = (a == splat(0.0f)) | ((a >= splat(0x1p-100f)) & (a <= splat(0x1p100f)));
  if (__builtin_expect(any(~usual), 0)) return exact_root(a);
  const vf y = root_guess(larger(splat(0x1p-100f), a)), s = a * y;
  return mul_add(mul_add(-s, s, a), y * splat(0.5f), s);
}

)";

constexpr const char* kExact = R"(INLINE vf quotient(vf a, vf b) { return a / b; }
INLINE vf root(vf a) { return exact_root(a); }

)";

std::string arithmetic(const Target& t) {
  std::string text = t.lanes == 16 ? kAvx512 : t.lanes == 8 ? kAvx2 : kPlain;
  text += t.fma ? "INLINE float mul_add1(float a, float b, float c) { return __builtin_fmaf(a, b, c); }\n"
                : "INLINE float mul_add1(float a, float b, float c) { return a * b + c; }\n";
  return text + kSpelledOut + (t.newton_division ? kNewton : kExact);
}

std::string folds(const Target& t) {
  std::string text = "// All lanes to one value, in one fixed order: halves, quarters, ...\n";
  for (const auto& [name, step] : {std::pair{"sum_of", "x[l] + x[l + n]"}, std::pair{"max_of", "max_nan1(x[l], x[l + n])"},
                                   std::pair{"min_of", "min_nan1(x[l], x[l + n])"}}) {
    text += std::string("INLINE float ") + name + "(vf v) {\n  float x[LANES];\n  store_f(x, v);\n";
    for (int n = t.lanes / 2; n > 0; n /= 2)
      text += "  for (int l = 0, n = " + number(n) + "; l < n; ++l) x[l] = " + step + ";\n";
    text += "  return x[0];\n}\n";
  }
  text += R"(// Integers: order does not matter.
INLINE i32 sum_of_i(vi v) { i32 s = 0; for (int l = 0; l < LANES; ++l) s += v[l]; return s; }
INLINE i32 max_of_i(vi v) { i32 s = v[0]; for (int l = 1; l < LANES; ++l) s = v[l] > s ? v[l] : s; return s; }
INLINE i32 min_of_i(vi v) { i32 s = v[0]; for (int l = 1; l < LANES; ++l) s = v[l] < s ? v[l] : s; return s; }

// A gathered id that must lie in [0, limit): a wrong one is reported, and the nearest legal one used.
INLINE i64 checked_id(const struct batch* batch, const void* kernel, i64 id, i64 limit, i64 buffer) {
  if (__builtin_expect((u64)id < (u64)limit, 1)) return id;
  batch->fault->id = id;
  batch->fault->buffer = buffer;
  batch->fault->kernel = kernel;
  batch->fault->raised = 1;
  return id < 0 ? 0 : limit - 1;
}

)";
  return text;
}

std::string shuffle_text(const std::vector<int>& mask) {
  std::string text;
  for (int m : mask) text += ", " + number(m);
  return text;
}

// Lane lists of a 4 x 4 transpose inside every 128-bit block, and of the exchange of blocks after it.
std::vector<int> by_block(int lanes, std::vector<int> of_block) {   // of_block: 0..3 from a, 4..7 from b
  std::vector<int> mask;
  for (int block = 0; block < lanes; block += 4)
    for (int m : of_block) mask.push_back(m < 4 ? block + m : lanes + block + m - 4);
  return mask;
}

std::string transpose(const Target& t) {
  const int lanes = t.lanes;
  std::string text = R"(#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vi){__VA_ARGS__})
#endif
)";
  text += "// Four vectors seen as 4 x 4 blocks of 128 bits: every block transposed.\n";
  text += "INLINE void transpose_blocks(vf* r) {\n";
  const std::string low = shuffle_text(by_block(lanes, {0, 4, 1, 5})), high = shuffle_text(by_block(lanes, {2, 6, 3, 7}));
  const std::string first = shuffle_text(by_block(lanes, {0, 1, 4, 5})), last = shuffle_text(by_block(lanes, {2, 3, 6, 7}));
  text += "  const vf a = SHUFFLE(r[0], r[1]" + low + "), b = SHUFFLE(r[0], r[1]" + high + ");\n";
  text += "  const vf c = SHUFFLE(r[2], r[3]" + low + "), d = SHUFFLE(r[2], r[3]" + high + ");\n";
  text += "  r[0] = SHUFFLE(a, c" + first + ");\n  r[1] = SHUFFLE(a, c" + last + ");\n";
  text += "  r[2] = SHUFFLE(b, d" + first + ");\n  r[3] = SHUFFLE(b, d" + last + ");\n}\n";
  text += "// LANES vectors of LANES values, rows to columns.\nINLINE void transpose(vf* r) {\n";
  for (int g = 0; g < lanes; g += 4) text += "  transpose_blocks(r + " + number(g) + ");\n";
  for (int h = 1; h < lanes / 4; h *= 2) {
    std::vector<int> even, odd;
    for (int lane = 0; lane < lanes; ++lane) {
      const bool upper = (lane / 4 & h) != 0;
      even.push_back(upper ? lanes + lane - 4 * h : lane);
      odd.push_back(upper ? lanes + lane : lane + 4 * h);
    }
    for (int g = 0; g < lanes / 4; ++g) {
      if (g & h) continue;
      for (int j = 0; j < 4; ++j) {
        const std::string a = "r[" + number(4 * g + j) + "]", b = "r[" + number(4 * (g + h) + j) + "]";
        text += "  { const vf a = " + a + ", b = " + b + "; " + a + " = SHUFFLE(a, b" + shuffle_text(even) + "); " + b +
                " = SHUFFLE(a, b" + shuffle_text(odd) + "); }\n";
      }
    }
  }
  text += R"(}
// to[c][r] = from[r][c] for LANES x LANES values.
INLINE void transpose_tile(const float* from, i64 from_stride, float* to, i64 to_stride) {
  vf r[LANES];
UNROLL(GCC unroll 16)
  for (int l = 0; l < LANES; ++l) r[l] = load_f(from + l * from_stride);
  transpose(r);
UNROLL(GCC unroll 16)
  for (int l = 0; l < LANES; ++l) store_f(to + l * to_stride, r[l]);
}

)";
  return text;
}

}  // namespace

std::string emit_prelude(const Target& target, const PreludeNeeds& needs) {
  std::string text = types(target) + memory(target) + arithmetic(target) + folds(target);
  if (needs.transpose || needs.random) text += transpose(target);
  if (needs.random) text += emit_random(target);
  return text;
}

}  // namespace netc
