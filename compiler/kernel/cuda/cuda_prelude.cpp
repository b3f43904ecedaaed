#include "compiler/kernel/cuda/cuda_prelude.h"

#include <vector>

#include "compiler/base/errors.h"
#include "compiler/kernel/cuda/words.h"

namespace netc::cuda {
namespace {

constexpr const char* kTypes = R"(typedef unsigned char u8;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define DEVICE static __device__ __forceinline__

struct fault { u32 raised; i32 kernel, buffer; u32 unused; i64 id; };
struct step_block {
  i64 rows, first_row;
  u32 seed_low, seed_high, update, unused;
  struct fault* fault;
  float scalars[1];   // as many as the program has
};

)";

// In an order in which every piece stands after what it needs; used where a kernel, or a later piece in use, names it.
struct Piece {
  const char* name;
  const char* text;
};

constexpr Piece kPieces[] = {
    {"quad_f", "struct quad_f { float at[4]; };\n"},
    {"quad_i", "struct quad_i { i32 at[4]; };\n"},
    {"load_quad_f", R"(// Four neighbours at once. The place is a multiple of four elements: the generator proves it.
DEVICE quad_f load_quad_f(const float* p) {
  const float4 v = *(const float4*)p;
  return {v.x, v.y, v.z, v.w};
}
)"},
    {"load_quad_i", R"(DEVICE quad_i load_quad_i(const i32* p) {
  const int4 v = *(const int4*)p;
  return {v.x, v.y, v.z, v.w};
}
)"},
    {"load_quad_b", R"(DEVICE quad_i load_quad_b(const u8* p) {
  const uchar4 v = *(const uchar4*)p;
  return {v.x, v.y, v.z, v.w};
}
)"},
    {"store_quad_f",
     R"(DEVICE void store_quad_f(float* p, quad_f x) { *(float4*)p = make_float4(x.at[0], x.at[1], x.at[2], x.at[3]); }
)"},
    {"store_quad_i",
     R"(DEVICE void store_quad_i(i32* p, quad_i x) { *(int4*)p = make_int4(x.at[0], x.at[1], x.at[2], x.at[3]); }
)"},
    {"store_quad_b", R"(DEVICE void store_quad_b(u8* p, quad_i x) {
  *(uchar4*)p = make_uchar4((u8)x.at[0], (u8)x.at[1], (u8)x.at[2], (u8)x.at[3]);
}
)"},
    {"infinity", "DEVICE float infinity() { return __int_as_float(0x7f800000); }\n"},
    {"not_a_number", "DEVICE float not_a_number() { return __int_as_float(0x7fffffff); }\n"},
    {"max_nan1",
     "// NaN if one of the two is.\nDEVICE float max_nan1(float a, float b) { return a != a ? a : a > b ? a : b; }\n"},
    {"min_nan1", "DEVICE float min_nan1(float a, float b) { return a != a ? a : a < b ? a : b; }\n"},
    {"sign_of", "DEVICE float sign_of(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }\n"},
    {"reciprocal_root", "DEVICE float reciprocal_root(float x) { return 1.0f / sqrtf(x); }\n"},
    {"reciprocal", "DEVICE float reciprocal(float x) { return 1.0f / x; }\n"},
    {"checked_id",
     R"(// A gathered id that must lie in [0, limit): a wrong one is reported, and the nearest legal one used.
DEVICE i64 checked_id(const struct step_block* step, i32 kernel, i64 id, i64 limit, i32 buffer) {
  if ((u64)id < (u64)limit) return id;
  struct fault* const fault = step->fault;
  if (atomicCAS(&fault->raised, 0u, 1u) == 0u) {
    fault->kernel = kernel;
    fault->buffer = buffer;
    fault->id = id;
  }
  return id < 0 ? 0 : limit - 1;
}
)"},
    {"random_four", R"(// Philox-4x32-10; counter = (global row, column / 4, stream, update), word = column % 4.
DEVICE void random_four(const struct step_block* step, u32 stream, u32 row, u32 group, u32* words) {
  u32 c0 = row, c1 = group, c2 = stream, c3 = step->update;
  u32 k0 = step->seed_low, k1 = step->seed_high;
#pragma unroll
  for (i32 round = 0; round < 10; ++round) {
    const u32 high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    const u32 high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}
)"},
    {"random_bits", R"(DEVICE u32 random_bits(const struct step_block* step, u32 stream, u32 row, u32 column) {
  u32 words[4];
  random_four(step, stream, row, column / 4u, words);
  const u32 low = column & 1u ? words[1] : words[0], high = column & 1u ? words[3] : words[2];
  return column & 2u ? high : low;
}
)"},
    {"warp_sum_f", R"(// Over the 32 lanes of a warp, in one fixed order; every lane gets the result.
DEVICE float warp_sum_f(float x) {
#pragma unroll
  for (i32 n = 16; n > 0; n /= 2) x = x + __shfl_xor_sync(0xffffffffu, x, n);
  return x;
}
)"},
    {"warp_max_f", R"(DEVICE float warp_max_f(float x) {
#pragma unroll
  for (i32 n = 16; n > 0; n /= 2) x = max_nan1(x, __shfl_xor_sync(0xffffffffu, x, n));
  return x;
}
)"},
    {"warp_min_f", R"(DEVICE float warp_min_f(float x) {
#pragma unroll
  for (i32 n = 16; n > 0; n /= 2) x = min_nan1(x, __shfl_xor_sync(0xffffffffu, x, n));
  return x;
}
)"},
    {"warp_sum_i", R"(DEVICE i32 warp_sum_i(i32 x) {
#pragma unroll
  for (i32 n = 16; n > 0; n /= 2) x = x + __shfl_xor_sync(0xffffffffu, x, n);
  return x;
}
)"},
    {"warp_max_i", R"(DEVICE i32 warp_max_i(i32 x) {
#pragma unroll
  for (i32 n = 16; n > 0; n /= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, n));
  return x;
}
)"},
    {"warp_min_i", R"(DEVICE i32 warp_min_i(i32 x) {
#pragma unroll
  for (i32 n = 16; n > 0; n /= 2) x = min(x, __shfl_xor_sync(0xffffffffu, x, n));
  return x;
}
)"},
};

std::string function_name(ExprOp op) {
  switch (op) {
    case ExprOp::abs: return "fabsf";
    case ExprOp::sign: return "sign_of";
    case ExprOp::rsqrt: return "reciprocal_root";
    case ExprOp::reciprocal: return "reciprocal";
    default: return std::string(expr_op_name(op)) + "f";   // expf, tanhf, powf ...: CUDA's own, and the exact ones
  }
}

}  // namespace

const BodyDialect& cuda_dialect() {
  static constexpr BodyDialect kDialect{"step",       "kernel_number",  "__fmaf_rn",
                                        "infinity()", "not_a_number()", function_name};
  return kDialect;
}

const char* element_type(DType stored) {
  switch (stored) {
    case DType::f32: return "float";
    case DType::i32: return "i32";
    case DType::u8: case DType::boolean: return "u8";
    default: throw InternalError("CUDA kernels do not store " + std::string(dtype_name(stored)));
  }
}

const char* value_type(DType stored) { return stored == DType::f32 ? "float" : "i32"; }

std::string emit_cuda_prelude(const std::string& kernels) {
  std::vector<const Piece*> used;
  std::string text = kernels;
  for (size_t i = std::size(kPieces); i-- > 0;) {
    if (!names_word(text, kPieces[i].name)) continue;
    used.insert(used.begin(), &kPieces[i]);
    text += kPieces[i].text;
  }
  std::string head = kTypes;
  for (const Piece* piece : used) head += piece->text;
  return used.empty() ? head : head + "\n";
}

}  // namespace netc::cuda
