// Scalar operations as the GPU computes them, each a struct with one function. Included like lane_types.h.

// --- integers. Additions and products are done unsigned: wrapping is what the GPU does.

struct Add {
  static constexpr DirectedOp kDirected = DirectedOp::add;
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};

struct Subtract {
  static constexpr DirectedOp kDirected = DirectedOp::subtract;
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    return static_cast<T>(a - b);
  }
};

struct Multiply {
  static constexpr DirectedOp kDirected = DirectedOp::multiply;
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    if constexpr (sizeof(T) == 2)
      return static_cast<T>(u32{a} * u32{b});
    else
      return static_cast<T>(a * b);
  }
};

struct MultiplyHigh {
  static NETC_SIM_INLINE u16 of(u16 a, u16 b) { return static_cast<u16>((u32{a} * u32{b}) >> 16); }
  static NETC_SIM_INLINE s16 of(s16 a, s16 b) { return static_cast<s16>((s32{a} * s32{b}) >> 16); }
  static NETC_SIM_INLINE u32 of(u32 a, u32 b) { return static_cast<u32>((u64{a} * u64{b}) >> 32); }
  static NETC_SIM_INLINE s32 of(s32 a, s32 b) { return static_cast<s32>((s64{a} * s64{b}) >> 32); }
  static NETC_SIM_INLINE u64 of(u64 a, u64 b) {
    return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64);
  }
  static NETC_SIM_INLINE s64 of(s64 a, s64 b) { return static_cast<s64>((static_cast<__int128>(a) * b) >> 64); }
};

// Division by zero gives all ones on the GPU, and the remainder the dividend.
struct Divide {
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (is_signed<T>)
      if (b == static_cast<T>(-1)) return static_cast<T>(u64{0} - static_cast<u64>(a));
    return static_cast<T>(a / b);
  }
};

struct Remainder {
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (is_signed<T>)
      if (b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Lesser {
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    return b < a ? b : a;
  }
};

struct Greater {
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    return a < b ? b : a;
  }
};

struct Absolute {
  template <class T>
  static NETC_SIM_INLINE T of(T a) {
    return a < 0 ? static_cast<T>(u64{0} - static_cast<u64>(a)) : a;
  }
};

struct Negate {
  template <class T>
  static NETC_SIM_INLINE T of(T a) {
    return static_cast<T>(u64{0} - a);
  }
};

// --- bits

#define NETC_SIM_BITWISE(name, expression)   \
  struct name {                              \
    template <class T>                       \
    static NETC_SIM_INLINE T of(T a, T b) {  \
      return static_cast<T>(expression);     \
    }                                        \
  };
NETC_SIM_BITWISE(BitAnd, a & b)
NETC_SIM_BITWISE(BitOr, a | b)
NETC_SIM_BITWISE(BitXor, a ^ b)
#undef NETC_SIM_BITWISE

struct BitNot {
  template <class T>
  static NETC_SIM_INLINE T of(T a) {
    return static_cast<T>(~a);
  }
};

// Shifts by the width or more give zero (or the sign), as PTX says and C++ does not.
struct ShiftLeft {
  template <class T>
  static NETC_SIM_INLINE T of(T a, u32 n) {
    return n >= sizeof(T) * 8 ? T{0} : static_cast<T>(a << (n & (sizeof(T) * 8 - 1)));
  }
};

struct ShiftRight {
  template <class T>
  static NETC_SIM_INLINE T of(T a, u32 n) {
    constexpr u32 kBits = sizeof(T) * 8;
    if constexpr (is_signed<T>)
      return static_cast<T>(a >> (n >= kBits ? kBits - 1 : n));
    else
      return n >= kBits ? T{0} : static_cast<T>(a >> (n & (kBits - 1)));
  }
};

struct FunnelLeft {
  static NETC_SIM_INLINE u32 of(u32 low, u32 high, u32 n) {
    return static_cast<u32>((((u64{high} << 32) | low) << n) >> 32);
  }
};

struct FunnelRight {
  static NETC_SIM_INLINE u32 of(u32 low, u32 high, u32 n) {
    return static_cast<u32>(((u64{high} << 32) | low) >> n);
  }
};

struct BitReverse {
  static NETC_SIM_INLINE u32 of(u32 a) {
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0F0F0F0Fu) | ((a & 0x0F0F0F0Fu) << 4);
    return __builtin_bswap32(a);
  }
  static NETC_SIM_INLINE u64 of(u64 a) {
    return (u64{of(static_cast<u32>(a))} << 32) | of(static_cast<u32>(a >> 32));
  }
};

struct LeadingZeros {
  static NETC_SIM_INLINE u32 of(u32 a) { return a == 0 ? 32u : static_cast<u32>(__builtin_clz(a)); }
  static NETC_SIM_INLINE u32 of(u64 a) { return a == 0 ? 64u : static_cast<u32>(__builtin_clzll(a)); }
};

struct Population {
  static NETC_SIM_INLINE u32 of(u32 a) { return static_cast<u32>(__builtin_popcount(a)); }
  static NETC_SIM_INLINE u32 of(u64 a) { return static_cast<u32>(__builtin_popcountll(a)); }
};

// Position of the highest bit that differs from the sign; all ones where there is none.
struct HighestBit {
  static NETC_SIM_INLINE u32 of(u32 a) { return a == 0 ? ~0u : 31u - LeadingZeros::of(a); }
  static NETC_SIM_INLINE u32 of(u64 a) { return a == 0 ? ~0u : 63u - LeadingZeros::of(a); }
  static NETC_SIM_INLINE u32 of(s32 a) { return of(static_cast<u32>(a < 0 ? ~a : a)); }
  static NETC_SIM_INLINE u32 of(s64 a) { return of(static_cast<u64>(a < 0 ? ~a : a)); }
};

struct ShiftToHighestBit {
  template <class T>
  static NETC_SIM_INLINE u32 of(T a) {
    const u32 position = HighestBit::of(a);
    return position == ~0u ? ~0u : static_cast<u32>(sizeof(T) * 8 - 1) - position;
  }
};

// --- floats

// The GPU answers every invalid operation with one NaN.
NETC_SIM_INLINE f32 canonical(f32 a) { return a == a ? a : bits_as<f32>(0x7FFFFFFFu); }
NETC_SIM_INLINE f64 canonical(f64 a) { return a == a ? a : bits_as<f64>(u64{0xFFF8000000000000u}); }

NETC_SIM_INLINE f32 flush(f32 a) {
  const u32 bits = bits_as<u32>(a);
  return bits_as<f32>((bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits);
}
NETC_SIM_INLINE f64 flush(f64 a) { return a; }   // .ftz on f64 concerns approximations only, whose range has none

template <class T>
NETC_SIM_INLINE T saturate(T a) {
  return a > T{0} ? (a < T{1} ? a : T{1}) : T{0};   // NaN and -0 become +0
}

struct Quotient {
  static constexpr DirectedOp kDirected = DirectedOp::divide;
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    return a / b;
  }
};

// min and max take the number where one operand is NaN, and order -0 below +0.
struct Minimum {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    const T equal = __builtin_signbit(a) ? a : b;
    const T less = a < b ? a : (b < a ? b : equal);
    return a != a ? b : (b != b ? a : less);
  }
};

struct Maximum {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  template <class T>
  static NETC_SIM_INLINE T of(T a, T b) {
    const T equal = __builtin_signbit(a) ? b : a;
    const T more = a > b ? a : (b > a ? b : equal);
    return a != a ? b : (b != b ? a : more);
  }
};

struct Reciprocal {
  static constexpr DirectedOp kDirected = DirectedOp::reciprocal;
  template <class T>
  static NETC_SIM_INLINE T of(T a) {
    return T{1} / a;
  }
};

struct SquareRoot {
  static constexpr DirectedOp kDirected = DirectedOp::square_root;
  static NETC_SIM_INLINE f32 of(f32 a) { return __builtin_sqrtf(a); }
  static NETC_SIM_INLINE f64 of(f64 a) { return __builtin_sqrt(a); }
};

struct ReciprocalRoot {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  static NETC_SIM_INLINE f32 of(f32 a) { return static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(a))); }
  static NETC_SIM_INLINE f64 of(f64 a) { return 1.0 / __builtin_sqrt(a); }
};

// 2^x by a polynomial in double precision: within half an ulp of f32 and a little, without a call.
struct Exponential2 {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  static NETC_SIM_INLINE f32 of(f32 a) {
    const f64 kMagic = 6755399441055744.0;   // 1.5 * 2^52: adding it rounds to a whole number
    f64 x = static_cast<f64>(a);
    x = x > 200.0 ? 200.0 : x;
    x = x < -200.0 ? -200.0 : x;
    const f64 shifted = x + kMagic;
    const f64 f = (x - (shifted - kMagic)) * 0.69314718055994530942;
    f64 p = 1.0 / 40320;
    p = p * f + 1.0 / 5040;
    p = p * f + 1.0 / 720;
    p = p * f + 1.0 / 120;
    p = p * f + 1.0 / 24;
    p = p * f + 1.0 / 6;
    p = p * f + 0.5;
    p = p * f + 1.0;
    p = p * f + 1.0;
    const f64 scale = bits_as<f64>((bits_as<u64>(shifted) + 1023u) << 52);
    const f32 r = static_cast<f32>(p * scale);
    return a != a ? a : r;
  }
};

// log2(x) from the series of atanh around 1, in double precision.
struct Logarithm2 {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  static NETC_SIM_INLINE f32 of(f32 a) {
    const u64 bits = bits_as<u64>(static_cast<f64>(a));
    // Split so that the fraction lies between sqrt(1/2) and sqrt(2).
    const u64 moved = bits - 0x3FE6A09E667F3BCDu;
    const s64 exponent = static_cast<s64>(moved) >> 52;
    const f64 m = bits_as<f64>(bits - (static_cast<u64>(exponent) << 52));
    const f64 e = bits_as<f64>(static_cast<u64>(exponent) + 0x4338000000000000u) - 6755399441055744.0;
    const f64 s = (m - 1.0) / (m + 1.0), t = s * s;
    f64 p = 1.0 / 13;
    p = p * t + 1.0 / 11;
    p = p * t + 1.0 / 9;
    p = p * t + 1.0 / 7;
    p = p * t + 1.0 / 5;
    p = p * t + 1.0 / 3;
    p = p * t + 1.0;
    f32 r = static_cast<f32>(e + s * p * 2.88539008177792681472);   // 2 / ln 2
    r = bits_as<u32>(a) == 0x7F800000u ? a : r;
    r = a == 0 ? -__builtin_inff() : r;
    return a < 0 || a != a ? __builtin_nanf("") : r;
  }
};

struct Sine {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  static NETC_SIM_INLINE f32 of(f32 a) { return __builtin_sinf(a); }
};

struct Cosine {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  static NETC_SIM_INLINE f32 of(f32 a) { return __builtin_cosf(a); }
};

struct HyperbolicTangent {
  static constexpr DirectedOp kDirected = DirectedOp::none;
  static NETC_SIM_INLINE f32 of(f32 a) { return __builtin_tanhf(a); }
};

struct ClearSign {
  template <class Bits>
  static NETC_SIM_INLINE Bits of(Bits bits, Bits sign) {
    return bits & static_cast<Bits>(~sign);
  }
};

struct FlipSign {
  template <class Bits>
  static NETC_SIM_INLINE Bits of(Bits bits, Bits sign) {
    return bits ^ sign;
  }
};

struct IsFinite {
  static NETC_SIM_INLINE bool of(f32 a) { return (bits_as<u32>(a) & 0x7F800000u) != 0x7F800000u; }
};
struct IsInfinite {
  static NETC_SIM_INLINE bool of(f32 a) { return (bits_as<u32>(a) & 0x7FFFFFFFu) == 0x7F800000u; }
};
struct IsNumber {
  static NETC_SIM_INLINE bool of(f32 a) { return a == a; }
};
struct IsNan {
  static NETC_SIM_INLINE bool of(f32 a) { return a != a; }
};
struct IsNormal {
  static NETC_SIM_INLINE bool of(f32 a) {
    const u32 exponent = bits_as<u32>(a) & 0x7F800000u;
    return exponent != 0 && exponent != 0x7F800000u;
  }
};
struct IsSubnormal {
  static NETC_SIM_INLINE bool of(f32 a) {
    const u32 bits = bits_as<u32>(a);
    return (bits & 0x7F800000u) == 0 && (bits & 0x007FFFFFu) != 0;
  }
};
