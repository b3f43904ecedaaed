// Types of a lane and how they read from and write to registers. Included inside the namespace of one instruction set
// (lane_ops.h), never by itself: nothing here may be shared between sources compiled for different processors, so only
// compiler built-ins are used, no functions of the standard library.

using u8 = uint8_t;
using s8 = int8_t;
using u16 = uint16_t;
using s16 = int16_t;
using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

template <class To, class From>
NETC_SIM_INLINE To bits_as(From from) {
  return __builtin_bit_cast(To, from);
}

// --- 16-bit floats: exact to f32, rounded to nearest even (or toward zero) from it.

NETC_SIM_INLINE f32 widen_f16(u32 h) {
  const u32 sign = (h & 0x8000u) << 16;
  const u32 shifted = (h & 0x7FFFu) << 13;   // exponent and fraction in place, biased by 15 instead of 127
  const f32 normal = bits_as<f32>(shifted + (112u << 23));
  const f32 subnormal = bits_as<f32>(shifted + (113u << 23)) - bits_as<f32>(113u << 23);
  const u32 exponent = shifted & 0x0F800000u;
  u32 bits = exponent == 0 ? bits_as<u32>(subnormal) : bits_as<u32>(normal);
  bits = exponent == 0x0F800000u ? (shifted + (224u << 23)) : bits;
  return bits_as<f32>(bits | sign);
}

NETC_SIM_INLINE u32 narrow_f16(f32 value, bool toward_zero = false) {
  const u32 bits = bits_as<u32>(value);
  const u32 sign = (bits >> 16) & 0x8000u;
  const u32 magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0x7FFFu;
  if (magnitude == 0x7F800000u) return sign | 0x7C00u;
  if (magnitude >= 0x38800000u) {   // normal in f16, or too large
    const u32 odd = (magnitude >> 13) & 1u;
    const u32 rounded = toward_zero ? magnitude : magnitude + 0x0FFFu + odd;
    const u32 half = (rounded - 0x38000000u) >> 13;
    if (half < 0x7C00u) return sign | half;
    return sign | (toward_zero ? 0x7BFFu : 0x7C00u);
  }
  if (magnitude < 0x33000000u) return sign;   // below half of the smallest subnormal
  const u32 shift = 126u - (magnitude >> 23);
  const u32 fraction = (magnitude & 0x7FFFFFu) | 0x800000u;
  const u32 kept = fraction >> shift, rest = fraction & ((1u << shift) - 1u), middle = 1u << (shift - 1);
  const bool up = !toward_zero && (rest > middle || (rest == middle && (kept & 1u)));
  return sign | (kept + up);
}

NETC_SIM_INLINE f32 widen_bf16(u32 h) { return bits_as<f32>((h & 0xFFFFu) << 16); }

NETC_SIM_INLINE u32 narrow_bf16(f32 value, bool toward_zero = false) {
  const u32 bits = bits_as<u32>(value);
  const u32 rounded = (toward_zero ? bits : bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded;
}

// f64 to f32 such that a second rounding to fewer bits comes out as one: inexact results get an odd last bit.
NETC_SIM_INLINE f32 round_to_odd(f64 value) {
  const f32 nearest = static_cast<f32>(value);
  if (static_cast<f64>(nearest) == value || value != value) return nearest;
  u32 bits = bits_as<u32>(nearest);
  const f64 back = static_cast<f64>(nearest);
  if ((back < 0 ? -back : back) > (value < 0 ? -value : value)) --bits;   // toward zero
  return bits_as<f32>(bits | 1u);
}

struct f16 {
  u16 bits;
  static NETC_SIM_INLINE f32 widen(u32 h) { return widen_f16(h); }
  static NETC_SIM_INLINE u32 narrow(f32 value, bool toward_zero = false) { return narrow_f16(value, toward_zero); }
};

struct bf16 {
  u16 bits;
  static NETC_SIM_INLINE f32 widen(u32 h) { return widen_bf16(h); }
  static NETC_SIM_INLINE u32 narrow(f32 value, bool toward_zero = false) { return narrow_bf16(value, toward_zero); }
};

template <class T>
constexpr bool is_half = __is_same(T, f16) || __is_same(T, bf16);
template <class T>
constexpr bool is_float = __is_same(T, f32) || __is_same(T, f64);
template <class T>
constexpr bool is_signed = !is_float<T> && !is_half<T> && static_cast<T>(-1) < static_cast<T>(1);
template <>
inline constexpr bool is_signed<f16> = false;
template <>
inline constexpr bool is_signed<bf16> = false;

// One register as an array of T. Types of fewer than 32 bits live in the low bits of 32-bit lanes.
template <class T, bool kNarrow = (sizeof(T) < 4)>
struct Row {
  const T* lanes;
  explicit NETC_SIM_INLINE Row(const u8* at) : lanes(reinterpret_cast<const T*>(at)) {}
  NETC_SIM_INLINE T operator[](int lane) const { return lanes[lane]; }
};

template <class T>
struct Row<T, true> {
  const u32* lanes;
  explicit NETC_SIM_INLINE Row(const u8* at) : lanes(reinterpret_cast<const u32*>(at)) {}
  NETC_SIM_INLINE T operator[](int lane) const {
    if constexpr (is_half<T>)
      return T{static_cast<u16>(lanes[lane])};
    else
      return static_cast<T>(lanes[lane]);
  }
};

template <class T>
NETC_SIM_INLINE auto as_lane(T value) {
  if constexpr (is_half<T>)
    return static_cast<u32>(value.bits);
  else if constexpr (sizeof(T) < 4)
    return static_cast<u32>(static_cast<s32>(value));   // signed types keep their sign in the wider register
  else
    return value;
}

// results[lane] = f(lane) for the lanes of the mask. f is computed for all 32, so it must not fault.
template <class F>
NETC_SIM_INLINE void each(const Warp& w, int32_t operand, u32 mask, F f) {
  using Lane = decltype(as_lane(f(0)));
  Lane* to = reinterpret_cast<Lane*>(w.result(operand));
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpLanes; ++lane) to[lane] = as_lane(f(lane));
  } else {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const Lane value = as_lane(f(lane));
      to[lane] = (mask >> lane) & 1u ? value : to[lane];
    }
  }
}

// The lanes for which f(lane) holds.
template <class F>
NETC_SIM_INLINE u32 lanes_where(F f) {
  u32 found = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) found |= static_cast<u32>(f(lane)) << lane;
  return found;
}
