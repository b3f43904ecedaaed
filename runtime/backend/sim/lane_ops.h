// The handlers of arithmetic: each instruction is one loop over the 32 lanes of a warp. Compiled once per instruction
// set (lane_ops_any.cpp, lane_ops_avx2.cpp), with NETC_SIM_HANDLERS naming the table; everything else in here has
// internal linkage, so that no function compiled for AVX2 can be picked by the linker for other processors.
//
// Needs -ffp-contract=off: a product and a sum are fused where PTX says fma, and nowhere else.
#include <cstdint>

#include "runtime/backend/sim/directed.h"
#include "runtime/backend/sim/other_ops.h"
#include "runtime/backend/sim/warp.h"

namespace netc::sim {
namespace {

#include "runtime/backend/sim/lane_types.h"

#include "runtime/backend/sim/lane_math.h"

// --- integers

template <class T>
struct UnsignedOf {
  using type = u64;
};
template <>
struct UnsignedOf<u32> {
  using type = u32;
};
template <>
struct UnsignedOf<s32> {
  using type = u32;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;

template <class T, class Op>
void unary(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  each(w, i.d, mask, [=](int l) { return Op::of(a[l]); });
}

template <class T, class Op>
void binary(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  each(w, i.d, mask, [=](int l) { return Op::of(a[l], b[l]); });
}

template <class T, class Op>
void shift(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  const Row<u32> n(w.source(i.b));
  each(w, i.d, mask, [=](int l) { return Op::of(a[l], n[l]); });
}

template <class T, class Op>
void count_bits(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  each(w, i.d, mask, [=](int l) { return Op::of(a[l]); });
}

template <class Wide, class T>
void multiply_wide(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  each(w, i.d, mask, [=](int l) { return static_cast<Wide>(Wide{a[l]} * Wide{b[l]}); });
}

template <class Wide, class T>
void multiply_wide_add(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  const Row<Wide> c(w.source(i.c));
  using Bits = Unsigned<Wide>;   // the sum may wrap
  each(w, i.d, mask, [=](int l) { return static_cast<Bits>(Wide{a[l]} * Wide{b[l]}) + static_cast<Bits>(c[l]); });
}

template <class T>
void multiply_add(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  each(w, i.d, mask, [=](int l) { return static_cast<T>(Multiply::of(a[l], b[l]) + c[l]); });
}

template <class T>
void multiply_high_add(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  each(w, i.d, mask,
       [=](int l) { return static_cast<u32>(MultiplyHigh::of(a[l], b[l])) + static_cast<u32>(c[l]); });
}

// --- bits

template <class Op, bool kWrap>
void funnel(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  each(w, i.d, mask, [=](int l) {
    const u32 n = kWrap ? (c[l] & 31u) : (c[l] < 32u ? c[l] : 32u);
    return Op::of(a[l], b[l], n);
  });
}

template <class T>
void bit_field_extract(Warp& w, const Instruction& i, u32 mask) {
  constexpr u32 kBits = sizeof(T) * 8;
  const Row<T> a(w.source(i.a));
  const Row<u32> b(w.source(i.b)), c(w.source(i.c));
  each(w, i.d, mask, [=](int l) -> T {
    const u32 position = b[l] & 255u, length = c[l] & 255u;
    if (length == 0) return 0;
    // What lies above the register is the sign (or zero); a field is cut from that.
    const u32 highest = position + length - 1 < kBits ? position + length - 1 : kBits - 1;
    const bool sign = is_signed<T> && ((static_cast<u64>(a[l]) >> highest) & 1u);
    const u64 field = ShiftRight::of(static_cast<u64>(a[l]) & (kBits == 32 ? 0xFFFFFFFFu : ~u64{0}), position);
    const u32 kept = position >= kBits ? 0 : (length < kBits - position ? length : kBits - position);
    const u64 below = ShiftLeft::of(u64{1}, kept) - 1;
    return static_cast<T>(sign ? (field | ~below) : (field & below));
  });
}

template <class T>
void bit_field_insert(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  const Row<u32> c(w.source(i.c)), e(w.source(i.e));
  each(w, i.d, mask, [=](int l) {
    const u32 position = c[l] & 255u, length = e[l] & 255u;
    const T field = ShiftLeft::of(static_cast<T>(ShiftLeft::of(T{1}, length) - 1), position);
    return static_cast<T>((ShiftLeft::of(a[l], position) & field) | (b[l] & static_cast<T>(~field)));
  });
}

void three_input_logic(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  u32 on[8];   // all ones where the table has a one
  for (int bit = 0; bit < 8; ++bit) on[bit] = (i.immediate >> bit) & 1 ? ~0u : 0u;
  each(w, i.d, mask, [=](int l) {
    const u32 x = a[l], y = b[l], z = c[l];
    return (on[0] & ~x & ~y & ~z) | (on[1] & ~x & ~y & z) | (on[2] & ~x & y & ~z) | (on[3] & ~x & y & z) |
           (on[4] & x & ~y & ~z) | (on[5] & x & ~y & z) | (on[6] & x & y & ~z) | (on[7] & x & y & z);
  });
}

// c plus the products of the four bytes of a and b.
template <class A, class B>
void dot_of_bytes(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  each(w, i.d, mask, [=](int l) {
    u32 sum = c[l];
    for (int k = 0; k < 4; ++k)
      sum += static_cast<u32>(s32{static_cast<A>(a[l] >> (8 * k))} * s32{static_cast<B>(b[l] >> (8 * k))});
    return sum;
  });
}

void permute_bytes(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  each(w, i.d, mask, [=](int l) {
    const u64 bytes = (u64{b[l]} << 32) | a[l];
    u32 result = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 selector = (c[l] >> (4 * k)) & 15u;
      u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7u))) & 255u;
      byte = selector & 8u ? (byte & 128u ? 255u : 0u) : byte;   // the sign of the byte, eight times
      result |= byte << (8 * k);
    }
    return result;
  });
}

void predicate_and(Warp& w, const Instruction& i, u32 mask) {
  w.set_predicate(i.d, w.predicate(i.a) & w.predicate(i.b), mask);
}
void predicate_or(Warp& w, const Instruction& i, u32 mask) {
  w.set_predicate(i.d, w.predicate(i.a) | w.predicate(i.b), mask);
}
void predicate_xor(Warp& w, const Instruction& i, u32 mask) {
  w.set_predicate(i.d, w.predicate(i.a) ^ w.predicate(i.b), mask);
}
void predicate_not(Warp& w, const Instruction& i, u32 mask) { w.set_predicate(i.d, ~w.predicate(i.a), mask); }
void predicate_move(Warp& w, const Instruction& i, u32 mask) { w.set_predicate(i.d, w.predicate(i.a), mask); }

// --- choices

template <class T>
void select(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  const u32 chosen = w.predicate(i.c);
  each(w, i.d, mask, [=](int l) { return (chosen >> l) & 1u ? a[l] : b[l]; });
}

template <class T, class Sign>
void select_by_sign(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  const Row<Sign> c(w.source(i.c));
  each(w, i.d, mask, [=](int l) { return c[l] >= Sign{0} ? a[l] : b[l]; });
}

// The comparisons of one type; `unordered` of two lanes means that one is NaN.
template <class T, class Value>
NETC_SIM_INLINE u32 compared(Compare how, Value value, const Row<T>& a, const Row<T>& b) {
  const auto ordered = [=](int l) { return value(a[l]) == value(a[l]) && value(b[l]) == value(b[l]); };
  switch (how) {
    case Compare::eq: return lanes_where([=](int l) { return value(a[l]) == value(b[l]); });
    case Compare::ne: return lanes_where([=](int l) { return (value(a[l]) != value(b[l])) & ordered(l); });
    case Compare::lt: return lanes_where([=](int l) { return value(a[l]) < value(b[l]); });
    case Compare::le: return lanes_where([=](int l) { return value(a[l]) <= value(b[l]); });
    case Compare::gt: return lanes_where([=](int l) { return value(a[l]) > value(b[l]); });
    case Compare::ge: return lanes_where([=](int l) { return value(a[l]) >= value(b[l]); });
    case Compare::equ: return lanes_where([=](int l) { return (value(a[l]) == value(b[l])) | !ordered(l); });
    case Compare::neu: return lanes_where([=](int l) { return value(a[l]) != value(b[l]); });
    case Compare::ltu: return lanes_where([=](int l) { return !(value(a[l]) >= value(b[l])); });
    case Compare::leu: return lanes_where([=](int l) { return !(value(a[l]) > value(b[l])); });
    case Compare::gtu: return lanes_where([=](int l) { return !(value(a[l]) <= value(b[l])); });
    case Compare::geu: return lanes_where([=](int l) { return !(value(a[l]) < value(b[l])); });
    case Compare::num: return lanes_where(ordered);
    case Compare::nan: return lanes_where([=](int l) { return !ordered(l); });
  }
  return 0;
}

NETC_SIM_INLINE u32 combined(Combine how, u32 found, u32 other) {
  switch (how) {
    case Combine::none: return found;
    case Combine::all_of: return found & other;
    case Combine::any_of: return found | other;
    case Combine::differ: return found ^ other;
  }
  return found;
}

template <class T>
void compare(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  const Compare how = static_cast<Compare>(i.mode);
  u32 found;
  if constexpr (is_half<T>) {
    found = compared<T>(how, [](T x) { return T::widen(x.bits); }, a, b);
  } else if constexpr (__is_same(T, f32)) {
    if (i.flags & kFlushSubnormals)
      found = compared<T>(how, [](T x) { return flush(x); }, a, b);
    else
      found = compared<T>(how, [](T x) { return x; }, a, b);
  } else {
    found = compared<T>(how, [](T x) { return x; }, a, b);
  }
  const u32 other = i.combine == Combine::none ? 0 : w.predicate(i.c);
  w.set_predicate(i.d, combined(i.combine, found, other), mask);
  if (i.d2 != kNoOperand) w.set_predicate(i.d2, combined(i.combine, ~found, other), mask);
}

// A comparison that gives a number: 1.0 of a float, all ones of an integer.
template <class To, class T>
void set_number(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  const bool ftz = i.flags & kFlushSubnormals;
  const u32 found = compared<T>(
      static_cast<Compare>(i.mode),
      [=](T x) {
        if constexpr (is_float<T>) return ftz ? flush(x) : x;
        else return x;
      },
      a, b);
  constexpr u32 kTrue = is_float<To> ? 0x3F800000u : ~0u;
  each(w, i.d, mask, [=](int l) { return (found >> l) & 1u ? kTrue : 0u; });
}

template <class T, class Op>
void test(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  w.set_predicate(i.d, lanes_where([=](int l) { return Op::of(a[l]); }), mask);
}

// --- floats

// x + c rounded down, up or toward zero, where x is exact in f64: a sum or fused product of floats. The nearest result
// is moved by one step when the exact value lies on the other side of it.
NETC_SIM_INLINE f32 directed_sum(f64 x, f64 c, Rounding how) {
  const f64 s = x + c, part = s - x, error = (x - (s - part)) + (c - part);   // s + error is exact
  const f32 nearest = static_cast<f32>(s);
  const f64 beyond = s - static_cast<f64>(nearest);
  const f64 missing = beyond != 0 ? beyond : error;
  const u32 bits = bits_as<u32>(nearest);
  const bool is_negative = s < 0;
  const bool up = how == Rounding::up || (how == Rounding::zero && is_negative);
  const bool moves = up ? missing > 0 : missing < 0;
  const u32 step = (bits & 0x80000000u) != 0 ? ~0u : 1u;              // of the bits, toward plus infinity
  u32 moved = up ? bits + step : bits - step;
  if ((bits & 0x7FFFFFFFu) == 0) moved = up ? 1u : 0x80000001u;        // from zero to the smallest number
  u32 result = moves ? moved : bits;
  // An exact zero of two different signs is negative when rounding down.
  const bool both_positive = ((bits_as<u64>(x) | bits_as<u64>(c)) >> 63) == 0;
  if (how == Rounding::down && s == 0 && error == 0 && !both_positive) result = 0x80000000u;
  return bits_as<f32>(result);
}

// The common ones of f32 without a change of the processor's mode; false: not one of them.
NETC_SIM_INLINE bool directed_in_lanes(DirectedOp op, Rounding how, const f32* x, const f32* y, const f32* z, f32* r) {
  switch (op) {
    case DirectedOp::add:
      for (int l = 0; l < kWarpLanes; ++l) r[l] = directed_sum(x[l], y[l], how);
      return true;
    case DirectedOp::subtract:
      for (int l = 0; l < kWarpLanes; ++l) r[l] = directed_sum(x[l], -static_cast<f64>(y[l]), how);
      return true;
    case DirectedOp::fused_multiply_add:
      for (int l = 0; l < kWarpLanes; ++l) r[l] = directed_sum(static_cast<f64>(x[l]) * y[l], z[l], how);
      return true;
    default: return false;
  }
}
NETC_SIM_INLINE bool directed_in_lanes(DirectedOp, Rounding, const f64*, const f64*, const f64*, f64*) { return false; }

template <class T>
void write_directed(Warp& w, const Instruction& i, u32 mask, DirectedOp op, const T* a, const T* b, const T* c) {
  const bool ftz = i.flags & kFlushSubnormals, sat = i.flags & kSaturate;
  T x[kWarpLanes], y[kWarpLanes], z[kWarpLanes], r[kWarpLanes];
  for (int l = 0; l < kWarpLanes; ++l) {
    x[l] = ftz ? flush(a[l]) : a[l];
    y[l] = b ? (ftz ? flush(b[l]) : b[l]) : T{};
    z[l] = c ? (ftz ? flush(c[l]) : c[l]) : T{};
  }
  if (!directed_in_lanes(op, i.rounding, x, y, z, r)) directed(op, i.rounding, x, y, z, r);
  each(w, i.d, mask, [&](int l) {
    const T value = canonical(ftz ? flush(r[l]) : r[l]);
    return sat ? saturate(value) : value;
  });
}

template <class T, class Op>
void float_unary(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  if (i.rounding != Rounding::nearest) return write_directed<T>(w, i, mask, Op::kDirected, a.lanes, nullptr, nullptr);
  if (i.flags & kFlushSubnormals)
    each(w, i.d, mask, [=](int l) { return canonical(flush(Op::of(flush(a[l])))); });
  else
    each(w, i.d, mask, [=](int l) { return canonical(Op::of(a[l])); });
}

template <class T, class Op>
void float_binary(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b));
  if (i.rounding != Rounding::nearest) return write_directed<T>(w, i, mask, Op::kDirected, a.lanes, b.lanes, nullptr);
  if (i.flags & kNanWins) {
    const bool ftz = i.flags & kFlushSubnormals;
    each(w, i.d, mask, [=](int l) {
      const T x = ftz ? flush(a[l]) : a[l], y = ftz ? flush(b[l]) : b[l];
      return x != x || y != y ? canonical(x + y) : Op::of(x, y);
    });
  } else if (i.flags & kSaturate) {
    const bool ftz = i.flags & kFlushSubnormals;
    each(w, i.d, mask, [=](int l) {
      return saturate(ftz ? flush(Op::of(flush(a[l]), flush(b[l]))) : Op::of(a[l], b[l]));
    });
  } else if (i.flags & kFlushSubnormals) {
    each(w, i.d, mask, [=](int l) { return canonical(flush(Op::of(flush(a[l]), flush(b[l])))); });
  } else {
    each(w, i.d, mask, [=](int l) { return canonical(Op::of(a[l], b[l])); });
  }
}

NETC_SIM_INLINE f32 fused(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
NETC_SIM_INLINE f64 fused(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

template <class T>
void fused_multiply_add(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  if (i.rounding != Rounding::nearest)
    return write_directed<T>(w, i, mask, DirectedOp::fused_multiply_add, a.lanes, b.lanes, c.lanes);
  if (i.flags & kSaturate) {
    const bool ftz = i.flags & kFlushSubnormals;
    each(w, i.d, mask, [=](int l) {
      return saturate(ftz ? flush(fused(flush(a[l]), flush(b[l]), flush(c[l]))) : fused(a[l], b[l], c[l]));
    });
  } else if (i.flags & kFlushSubnormals) {
    each(w, i.d, mask, [=](int l) { return canonical(flush(fused(flush(a[l]), flush(b[l]), flush(c[l])))); });
  } else {
    each(w, i.d, mask, [=](int l) { return canonical(fused(a[l], b[l], c[l])); });
  }
}

template <class T, class Op>
void sign_change(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  const bool ftz = i.flags & kFlushSubnormals;
  each(w, i.d, mask, [=](int l) {
    const T value = ftz ? flush(a[l]) : a[l];
    if constexpr (sizeof(T) == 4)
      return Op::of(bits_as<u32>(value), 0x80000000u);
    else
      return Op::of(bits_as<u64>(value), u64{1} << 63);
  });
}

// d = b with the sign of a.
template <class Bits>
void copy_sign(Warp& w, const Instruction& i, u32 mask) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const Row<Bits> a(w.source(i.a)), b(w.source(i.b));
  each(w, i.d, mask, [=](int l) { return (a[l] & kSign) | (b[l] & static_cast<Bits>(~kSign)); });
}

// --- floats of 16 bits: computed in wider ones and rounded once

template <class T, int kParts, class F>
NETC_SIM_INLINE void each_half(Warp& w, const Instruction& i, u32 mask, F f) {
  each(w, i.d, mask, [=](int l) {
    u32 result = f(l, 0);
    if constexpr (kParts == 2) result |= f(l, 16) << 16;
    return result;
  });
}

template <class T>
NETC_SIM_INLINE u32 finish_half(f32 value, u16 flags) {
  if (flags & kSaturate) value = saturate(value);
  return T::narrow(value) & 0xFFFFu;
}

template <class T>
NETC_SIM_INLINE f32 flushed_half(u32 bits, u16 flags) {
  constexpr u32 kExponent = __is_same(T, f16) ? 0x7C00u : 0x7F80u;
  if ((flags & kFlushSubnormals) && (bits & kExponent) == 0) bits &= 0x8000u;
  return T::widen(bits & 0xFFFFu);
}

template <class T, class Op, int kParts>
void half_binary(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b));
  const u16 flags = i.flags;
  each_half<T, kParts>(w, i, mask, [=](int l, int at) {
    const f32 x = flushed_half<T>(a[l] >> at, flags), y = flushed_half<T>(b[l] >> at, flags);
    if ((flags & kNanWins) && (x != x || y != y)) return u32{0x7FFFu};
    return finish_half<T>(Op::of(x, y), flags);
  });
}

template <class T, int kParts>
void half_fused_multiply_add(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b)), c(w.source(i.c));
  const u16 flags = i.flags;
  each_half<T, kParts>(w, i, mask, [=](int l, int at) {
    const f64 x = flushed_half<T>(a[l] >> at, flags), y = flushed_half<T>(b[l] >> at, flags);
    const f64 z = flushed_half<T>(c[l] >> at, flags);
    return finish_half<T>(round_to_odd(x * y + z), flags);   // the product of two halves is exact
  });
}

template <class Op, int kParts>
void half_sign(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a));
  each(w, i.d, mask, [=](int l) { return Op::of(a[l], kParts == 2 ? 0x80008000u : 0x8000u); });
}

template <class T, int kParts, bool kToInteger16>
void half_set(Warp& w, const Instruction& i, u32 mask) {
  const Row<u32> a(w.source(i.a)), b(w.source(i.b));
  const u16 flags = i.flags;
  constexpr u32 kTrue = kToInteger16 ? 0xFFFFu : __is_same(T, f16) ? 0x3C00u : 0x3F80u;
  u32 found[2] = {0, 0};
  for (int part = 0; part < kParts; ++part)
    found[part] = compared<u32>(
        static_cast<Compare>(i.mode), [=](u32 x) { return flushed_half<T>(x >> (16 * part), flags); }, a, b);
  const u32 low = found[0], high = found[1];
  each_half<T, kParts>(w, i, mask, [=](int l, int at) { return ((at == 0 ? low : high) >> l) & 1u ? kTrue : 0u; });
}

template <class T>
void convert_pair(Warp& w, const Instruction& i, u32 mask) {
  const Row<f32> a(w.source(i.a)), b(w.source(i.b));
  const bool toward_zero = i.rounding == Rounding::zero;
  each(w, i.d, mask, [=](int l) {
    return (T::narrow(a[l], toward_zero) & 0xFFFFu) << 16 | (T::narrow(b[l], toward_zero) & 0xFFFFu);
  });
}

// --- conversions

template <class T>
NETC_SIM_INLINE T whole(Rounding how, T a) {
  if constexpr (sizeof(T) == 4)
    return how == Rounding::nearest ? __builtin_rintf(a) : how == Rounding::zero ? __builtin_truncf(a)
           : how == Rounding::down  ? __builtin_floorf(a) : __builtin_ceilf(a);
  else
    return how == Rounding::nearest ? __builtin_rint(a) : how == Rounding::zero ? __builtin_trunc(a)
           : how == Rounding::down  ? __builtin_floor(a) : __builtin_ceil(a);
}

// Clamped to the range of the result; NaN becomes 0, or the highest bit where 64 bits are involved.
template <class To, class From>
NETC_SIM_INLINE To to_integer(From a) {
  constexpr u32 kBits = sizeof(To) * 8;
  constexpr From kBeyond = static_cast<From>(u64{1} << (kBits - 1)) * (is_signed<To> ? From{1} : From{2});
  constexpr To kHighest = is_signed<To> ? static_cast<To>((u64{1} << (kBits - 1)) - 1) : static_cast<To>(~u64{0});
  constexpr To kLowest = is_signed<To> ? static_cast<To>(u64{1} << (kBits - 1)) : To{0};
  if (a != a) return sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(u64{1} << (kBits - 1)) : To{0};
  if (a >= kBeyond) return kHighest;
  if (is_signed<To> ? a < -kBeyond : a < From{0}) return kLowest;
  return static_cast<To>(a);
}

// To another width of integer: .sat clamps, else the low bits stay.
template <class To, class From>
NETC_SIM_INLINE To between_integers(From a, bool sat) {
  if (!sat) return static_cast<To>(a);
  constexpr u32 kBits = sizeof(To) * 8;
  constexpr __int128 kHighest = (static_cast<__int128>(1) << (is_signed<To> ? kBits - 1 : kBits)) - 1;
  constexpr __int128 kLowest = is_signed<To> ? -(static_cast<__int128>(1) << (kBits - 1)) : 0;
  const __int128 value = a;
  return static_cast<To>(value > kHighest ? kHighest : value < kLowest ? kLowest : value);
}

// Moves a rounded integer to where another mode would have put it.
template <class To, class From>
NETC_SIM_INLINE To integer_to_float(From a, Rounding how) {
  To r = static_cast<To>(a);
  if (how == Rounding::nearest) return r;
  const __int128 exact = a, back = static_cast<__int128>(r);
  const bool down = how == Rounding::down || (how == Rounding::zero && exact > 0);
  if (back == exact || (back < exact) == down) return r;
  // One step toward the exact value; r is not zero and not the largest number here.
  if constexpr (sizeof(To) == 4) {
    u32 bits = bits_as<u32>(r);
    bits += (back < exact) == (r > 0) ? 1u : ~0u;
    return bits_as<f32>(bits);
  } else {
    u64 bits = bits_as<u64>(r);
    bits += (back < exact) == (r > 0) ? u64{1} : ~u64{0};
    return bits_as<f64>(bits);
  }
}

template <class To, class From>
NETC_SIM_INLINE void convert_row(Warp& w, const Instruction& i, u32 mask, const Row<From>& a) {
  const bool ftz = i.flags & kFlushSubnormals, sat = i.flags & kSaturate, to_whole = i.flags & kToInteger;
  const Rounding how = i.rounding;
  if constexpr (is_half<From> && is_half<To>) {
    each(w, i.d, mask, [=](int l) {
      f32 value = From::widen(a[l].bits);
      if (to_whole) value = whole(how, value);
      return To::narrow(sat ? saturate(value) : value);
    });
  } else if constexpr (is_half<From> && __is_same(To, f32)) {
    each(w, i.d, mask, [=](int l) {
      const f32 value = canonical(From::widen(a[l].bits));
      return sat ? saturate(value) : value;
    });
  } else if constexpr (is_half<From> && __is_same(To, f64)) {
    each(w, i.d, mask, [=](int l) { return canonical(static_cast<f64>(From::widen(a[l].bits))); });
  } else if constexpr (is_half<From>) {
    each(w, i.d, mask, [=](int l) { return to_integer<To>(whole(how, From::widen(a[l].bits))); });
  } else if constexpr (is_half<To> && is_float<From>) {
    each(w, i.d, mask, [=](int l) {
      f32 value;
      if constexpr (sizeof(From) == 8)
        value = round_to_odd(a[l]);
      else
        value = ftz ? flush(a[l]) : a[l];
      return To::narrow(sat ? saturate(value) : value, how == Rounding::zero) & 0xFFFFu;
    });
  } else if constexpr (is_half<To>) {
    each(w, i.d, mask, [=](int l) {
      // An integer of 64 bits is first rounded to odd in f64's stead: its low bits only decide ties.
      f64 value;
      if constexpr (sizeof(From) == 8) {
        const u64 size = a[l] < 0 ? u64{0} - static_cast<u64>(a[l]) : static_cast<u64>(a[l]);
        const u64 sticky = size >> 40 ? (size & ~u64{0xFFFF}) | ((size & 0xFFFFu) != 0 ? 0x10000u : 0u) : size;
        value = static_cast<f64>(sticky);
        value = a[l] < 0 ? -value : value;
      } else {
        value = static_cast<f64>(a[l]);
      }
      return To::narrow(round_to_odd(value), how == Rounding::zero) & 0xFFFFu;
    });
  } else if constexpr (is_float<From> && is_float<To>) {
    if constexpr (sizeof(To) < sizeof(From)) {
      f32 narrowed[kWarpLanes];
      if (how != Rounding::nearest && !to_whole) {
        f64 values[kWarpLanes];
        for (int l = 0; l < kWarpLanes; ++l) values[l] = a[l];
        directed_narrow(how, values, narrowed);
      } else {
        for (int l = 0; l < kWarpLanes; ++l) narrowed[l] = static_cast<f32>(a[l]);
      }
      each(w, i.d, mask, [&](int l) {
        const f32 value = canonical(ftz ? flush(narrowed[l]) : narrowed[l]);
        return sat ? saturate(value) : value;
      });
    } else {
      each(w, i.d, mask, [=](int l) {
        From value = ftz ? flush(a[l]) : a[l];
        if (to_whole) value = whole(how, value);
        const To result = canonical(static_cast<To>(value));
        return sat ? saturate(result) : result;
      });
    }
  } else if constexpr (is_float<From>) {
    each(w, i.d, mask, [=](int l) { return to_integer<To>(whole(how, ftz ? flush(a[l]) : a[l])); });
  } else if constexpr (is_float<To>) {
    if (how == Rounding::nearest && !sat)
      each(w, i.d, mask, [=](int l) { return static_cast<To>(a[l]); });
    else
      each(w, i.d, mask, [=](int l) {
        const To value = integer_to_float<To>(a[l], how);
        return sat ? saturate(value) : value;
      });
  } else {
    if (sat)
      each(w, i.d, mask, [=](int l) { return between_integers<To>(a[l], true); });
    else
      each(w, i.d, mask, [=](int l) { return static_cast<To>(a[l]); });
  }
}

template <class To, class From>
void convert(Warp& w, const Instruction& i, u32 mask) {
  if (i.flags & kWideSource) {
    u32 low[kWarpLanes];
    const Row<u64> wide(w.source(i.a));
    for (int l = 0; l < kWarpLanes; ++l) low[l] = static_cast<u32>(wide[l]);
    if constexpr (sizeof(From) <= 4) convert_row<To, From>(w, i, mask, Row<From>(reinterpret_cast<const u8*>(low)));
    return;
  }
  convert_row<To, From>(w, i, mask, Row<From>(w.source(i.a)));
}

// --- moves

template <class T>
void move(Warp& w, const Instruction& i, u32 mask) {
  const Row<T> a(w.source(i.a));
  each(w, i.d, mask, [=](int l) { return a[l]; });
}

void add_immediate(Warp& w, const Instruction& i, u32 mask) {
  const u64 offset = static_cast<u64>(i.immediate);
  if (i.flags & kAddress32) {
    const Row<u32> a(w.source(i.a));
    each(w, i.d, mask, [=](int l) { return a[l] + offset; });
  } else {
    const Row<u64> a(w.source(i.a));
    each(w, i.d, mask, [=](int l) { return a[l] + offset; });
  }
}

}  // namespace

const Handler NETC_SIM_HANDLERS[] = {
#define OP(key, operands, accepts, flops, handler) handler,
#include "runtime/backend/sim/opcodes.def"
#undef OP
};

}  // namespace netc::sim
