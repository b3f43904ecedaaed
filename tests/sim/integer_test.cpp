// Integer instructions one by one from hand-written PTX, against plain C++.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "tests/sim/evaluate.h"

namespace netc::sim {
namespace {

template <class T>
std::vector<T> edges() {
  std::vector<T> values;
  const uint64_t interesting[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x12345678,
                                  0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x123456789ABCDEF0,
                                  0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF};
  for (const uint64_t value : interesting) values.push_back(static_cast<T>(value));
  return values;
}

// One instruction of two operands over all pairs of edge values.
template <class T, class F>
void check_binary(const std::string& opcode, F expected) {
  const Columns<T> in = pairs(edges<T>());
  const std::vector<T> out = evaluate<T>(opcode + " %d, %a, %b;", in.a, in.b);
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], static_cast<T>(expected(in.a[i], in.b[i]))) << opcode << " " << +in.a[i] << ", " << +in.b[i];
}

template <class T>
void check_arithmetic(const std::string& type) {
  using U = std::make_unsigned_t<T>;
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  const auto wraps = [](auto f) {
    return [f](T a, T b) { return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b))); };
  };
  check_binary<T>("add." + type, wraps([](U a, U b) { return a + b; }));
  check_binary<T>("sub." + type, wraps([](U a, U b) { return a - b; }));
  check_binary<T>("mul.lo." + type, [](T a, T b) { return static_cast<T>(Wide{a} * Wide{b}); });
  check_binary<T>("mul.hi." + type, [](T a, T b) { return static_cast<T>((Wide{a} * Wide{b}) >> (8 * sizeof(T))); });
  check_binary<T>("min." + type, [](T a, T b) { return std::min(a, b); });
  check_binary<T>("max." + type, [](T a, T b) { return std::max(a, b); });
  check_binary<T>("div." + type,
                  [](T a, T b) { return b == 0 ? static_cast<T>(-1) : static_cast<T>(Wide{a} / Wide{b}); });
  check_binary<T>("rem." + type, [](T a, T b) { return b == 0 ? a : static_cast<T>(Wide{a} % Wide{b}); });
}

TEST(Integers, Arithmetic) {
  check_arithmetic<uint16_t>("u16");
  check_arithmetic<int16_t>("s16");
  check_arithmetic<uint32_t>("u32");
  check_arithmetic<int32_t>("s32");
  check_arithmetic<uint64_t>("u64");
  check_arithmetic<int64_t>("s64");
}

template <class Wide, class T>
void check_wide(const std::string& type) {
  const Columns<T> in = pairs(edges<T>());
  const std::vector<Wide> out = evaluate<Wide>("mul.wide." + type + " %d, %a, %b;", in.a, in.b);
  const std::vector<Wide> c(in.a.size(), static_cast<Wide>(-5));
  const std::vector<Wide> sum = evaluate<Wide>("mad.wide." + type + " %d, %a, %b, %c;", in.a, in.b, c);
  for (size_t i = 0; i < out.size(); ++i) {
    const __int128 product = static_cast<__int128>(in.a[i]) * in.b[i];
    ASSERT_EQ(out[i], static_cast<Wide>(product)) << type;
    ASSERT_EQ(sum[i], static_cast<Wide>(product + static_cast<__int128>(static_cast<Wide>(-5)))) << type;
  }
}

TEST(Integers, WideProducts) {
  check_wide<uint32_t, uint16_t>("u16");
  check_wide<int32_t, int16_t>("s16");
  check_wide<uint64_t, uint32_t>("u32");
  check_wide<int64_t, int32_t>("s32");
}

TEST(Integers, MultiplyAdd) {
  const Columns<uint32_t> in = triples(std::vector<uint32_t>{0, 1, 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF});
  const auto low = evaluate<uint32_t>("mad.lo.s32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto high = evaluate<uint32_t>("mad.hi.s32 %d, %a, %b, %c;", in.a, in.b, in.c);
  for (size_t i = 0; i < low.size(); ++i) {
    ASSERT_EQ(low[i], in.a[i] * in.b[i] + in.c[i]);
    const int64_t product = int64_t{static_cast<int32_t>(in.a[i])} * static_cast<int32_t>(in.b[i]);
    ASSERT_EQ(high[i], static_cast<uint32_t>(product >> 32) + in.c[i]);
  }
}

TEST(Integers, SignsAndBits) {
  const auto values = edges<int32_t>();
  const auto absolute = evaluate<int32_t>("abs.s32 %d, %a;", values),
             negative = evaluate<int32_t>("neg.s32 %d, %a;", values);
  const auto inverse = evaluate<int32_t>("not.b32 %d, %a;", values),
             count = evaluate<int32_t>("popc.b32 %d, %a;", values);
  const auto zeros = evaluate<int32_t>("clz.b32 %d, %a;", values),
             turned = evaluate<int32_t>("brev.b32 %d, %a;", values);
  const auto found = evaluate<int32_t>("bfind.u32 %d, %a;", values),
             shift = evaluate<int32_t>("bfind.shiftamt.u32 %d, %a;", values);
  const auto sign = evaluate<int32_t>("bfind.s32 %d, %a;", values);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t bits = static_cast<uint32_t>(values[i]);
    ASSERT_EQ(static_cast<uint32_t>(absolute[i]), values[i] < 0 ? 0u - bits : bits);
    ASSERT_EQ(static_cast<uint32_t>(negative[i]), 0u - bits);
    ASSERT_EQ(static_cast<uint32_t>(inverse[i]), ~bits);
    ASSERT_EQ(count[i], std::popcount(bits));
    ASSERT_EQ(zeros[i], std::countl_zero(bits));
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (bits >> k & 1u) << (31 - k);
    ASSERT_EQ(static_cast<uint32_t>(turned[i]), reversed);
    ASSERT_EQ(found[i], bits == 0 ? -1 : 31 - std::countl_zero(bits));
    ASSERT_EQ(shift[i], bits == 0 ? -1 : std::countl_zero(bits));
    const uint32_t unlike = values[i] < 0 ? ~bits : bits;
    ASSERT_EQ(sign[i], unlike == 0 ? -1 : 31 - std::countl_zero(unlike));
  }
  const auto wide = edges<uint64_t>();
  const auto count64 = evaluate<uint32_t>("popc.b64 %d, %a;", wide),
             zeros64 = evaluate<uint32_t>("clz.b64 %d, %a;", wide);
  const auto turned64 = evaluate<uint64_t>("brev.b64 %d, %a;", wide);
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSERT_EQ(count64[i], static_cast<uint32_t>(std::popcount(wide[i])));
    ASSERT_EQ(zeros64[i], static_cast<uint32_t>(std::countl_zero(wide[i])));
    for (int k = 0; k < 64; ++k) ASSERT_EQ(turned64[i] >> k & 1u, wide[i] >> (63 - k) & 1u);
  }
}

TEST(Integers, ShiftsByTheWidthAndMore) {
  const Columns<uint32_t> in = pairs(edges<uint32_t>());
  const auto left = evaluate<uint32_t>("shl.b32 %d, %a, %b;", in.a, in.b),
             right = evaluate<uint32_t>("shr.u32 %d, %a, %b;", in.a, in.b);
  const auto sign = evaluate<uint32_t>("shr.s32 %d, %a, %b;", in.a, in.b);
  std::vector<uint64_t> wide(in.a.begin(), in.a.end());
  for (size_t i = 0; i < wide.size(); ++i) wide[i] |= uint64_t{in.a[i] ^ 0x5A5A5A5Au} << 32;
  const auto left64 = evaluate<uint64_t>("shl.b64 %d, %a, %b;", wide, in.b),
             sign64 = evaluate<uint64_t>("shr.s64 %d, %a, %b;", wide, in.b);
  for (size_t i = 0; i < in.a.size(); ++i) {
    const uint32_t n = in.b[i];
    ASSERT_EQ(left[i], n < 32 ? in.a[i] << n : 0);
    ASSERT_EQ(right[i], n < 32 ? in.a[i] >> n : 0);
    ASSERT_EQ(static_cast<int32_t>(sign[i]), static_cast<int32_t>(in.a[i]) >> std::min(n, 31u));
    ASSERT_EQ(left64[i], n < 64 ? wide[i] << n : 0);
    ASSERT_EQ(static_cast<int64_t>(sign64[i]), static_cast<int64_t>(wide[i]) >> std::min(n, 63u));
  }
}

TEST(Integers, FunnelShifts) {
  const Columns<uint32_t> in = triples(std::vector<uint32_t>{0, 1, 5, 31, 32, 33, 0x80000001, 0xDEADBEEF});
  const auto wrap_left = evaluate<uint32_t>("shf.l.wrap.b32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto clamp_left = evaluate<uint32_t>("shf.l.clamp.b32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto wrap_right = evaluate<uint32_t>("shf.r.wrap.b32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto clamp_right = evaluate<uint32_t>("shf.r.clamp.b32 %d, %a, %b, %c;", in.a, in.b, in.c);
  for (size_t i = 0; i < in.a.size(); ++i) {
    const uint64_t both = uint64_t{in.b[i]} << 32 | in.a[i];
    const uint32_t wrapped = in.c[i] & 31u, clamped = std::min(in.c[i], 32u);
    ASSERT_EQ(wrap_left[i], static_cast<uint32_t>(both << wrapped >> 32));
    ASSERT_EQ(clamp_left[i], clamped == 32 ? in.a[i] : static_cast<uint32_t>(both << clamped >> 32));
    ASSERT_EQ(wrap_right[i], static_cast<uint32_t>(both >> wrapped));
    ASSERT_EQ(clamp_right[i], static_cast<uint32_t>(both >> clamped));
  }
}

TEST(Integers, BitFields) {
  const Columns<uint32_t> in = triples(std::vector<uint32_t>{0, 1, 4, 8, 31, 32, 33, 200, 0x80000000, 0xF0F0A5A5});
  const auto plain = evaluate<uint32_t>("bfe.u32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto with_sign = evaluate<int32_t>("bfe.s32 %d, %a, %b, %c;", in.a, in.b, in.c);
  const auto inserted = evaluate<uint32_t>("bfi.b32 %d, %a, 0x12345678, %b, %c;", in.a, in.b, in.c);
  for (size_t i = 0; i < in.a.size(); ++i) {
    const uint32_t position = in.b[i] & 255, length = in.c[i] & 255;
    uint32_t field = 0, insertion = 0x12345678;
    const uint32_t sign_at = std::min(position + length - 1, 31u);
    for (uint32_t k = 0; k < 32; ++k) {
      if (k < length && position + k < 32) {
        field |= (in.a[i] >> (position + k) & 1u) << k;
        insertion = (insertion & ~(1u << (position + k))) | (in.a[i] >> k & 1u) << (position + k);
      }
    }
    uint32_t extended = field;
    const bool sign = length > 0 && (in.a[i] >> sign_at & 1u);
    for (uint32_t k = 0; k < 32; ++k)
      if (sign && (k >= length || position + k >= 32)) extended |= 1u << k;
    ASSERT_EQ(plain[i], field) << in.a[i] << " " << position << " " << length;
    ASSERT_EQ(static_cast<uint32_t>(with_sign[i]), extended) << in.a[i] << " " << position << " " << length;
    ASSERT_EQ(inserted[i], insertion) << in.a[i] << " " << position << " " << length;
  }
}

TEST(Integers, LogicOfThreeAndBytes) {
  const Columns<uint32_t> in = triples(std::vector<uint32_t>{0, 0xFFFFFFFF, 0x0F0F3355, 0xDEADBEEF, 0x80017F80});
  for (const int table : {0x80, 0xFE, 0x96, 0xE8, 0xCA, 0x01, 0x3C}) {
    const auto out = evaluate<uint32_t>("lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", in.a, in.b, in.c);
    for (size_t i = 0; i < out.size(); ++i)
      for (int k = 0; k < 32; ++k) {
        const uint32_t index = (in.a[i] >> k & 1u) << 2 | (in.b[i] >> k & 1u) << 1 | (in.c[i] >> k & 1u);
        ASSERT_EQ(out[i] >> k & 1u, static_cast<uint32_t>(table) >> index & 1u);
      }
  }
  for (const uint32_t selector : {0x3210u, 0x7654u, 0x5410u, 0x7632u, 0x0123u, 0xFEDCu, 0x98BAu}) {
    const auto out = evaluate<uint32_t>("prmt.b32 %d, %a, %b, " + std::to_string(selector) + ";", in.a, in.b);
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t bytes = uint64_t{in.b[i]} << 32 | in.a[i];
      for (int k = 0; k < 4; ++k) {
        const uint32_t s = selector >> (4 * k) & 15;
        uint32_t byte = bytes >> (8 * (s & 7)) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        ASSERT_EQ(out[i] >> (8 * k) & 255, byte);
      }
    }
  }
}

template <class T>
void check_compare(const std::string& type) {
  const Columns<T> in = pairs(edges<T>());
  const struct {
    const char* name;
    bool (*holds)(T, T);
  } kinds[] = {{"eq", [](T a, T b) { return a == b; }}, {"ne", [](T a, T b) { return a != b; }},
               {"lt", [](T a, T b) { return a < b; }},  {"le", [](T a, T b) { return a <= b; }},
               {"gt", [](T a, T b) { return a > b; }},  {"ge", [](T a, T b) { return a >= b; }}};
  for (const auto& kind : kinds) {
    const auto out = evaluate<bool>(std::string("setp.") + kind.name + "." + type + " %d, %a, %b;", in.a, in.b);
    for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], kind.holds(in.a[i], in.b[i])) << kind.name << type;
  }
}

TEST(Integers, Comparisons) {
  check_compare<uint16_t>("u16");
  check_compare<int16_t>("s16");
  check_compare<uint32_t>("u32");
  check_compare<int32_t>("s32");
  check_compare<uint64_t>("u64");
  check_compare<int64_t>("s64");
}

TEST(Integers, ComparisonsCombineWithAnotherPredicate) {
  const Columns<uint32_t> in = pairs(std::vector<uint32_t>{0, 1, 2});
  const std::string head = ".reg .pred %q, %r; setp.eq.u32 %q, %b, 1; ";
  const auto both = evaluate<bool>(head + "setp.lt.and.u32 %d, %a, 2, %q;", in.a, in.b);
  const auto either = evaluate<bool>(head + "setp.lt.or.u32 %d, %a, 2, !%q;", in.a, in.b);
  const auto second = evaluate<bool>(head + "setp.lt.xor.u32 %r|%d, %a, 2, %q;", in.a, in.b);
  for (size_t i = 0; i < in.a.size(); ++i) {
    const bool less = in.a[i] < 2, q = in.b[i] == 1;
    ASSERT_EQ(both[i], less && q);
    ASSERT_EQ(either[i], less || !q);
    ASSERT_EQ(second[i], !less != q);
  }
}

TEST(Integers, ComparisonsThatGiveNumbersAndDotsOfBytes) {
  const Columns<uint32_t> in = pairs(edges<uint32_t>());
  const auto ones = evaluate<uint32_t>("set.lt.u32.s32 %d, %a, %b;", in.a, in.b),
             floats = evaluate<uint32_t>("set.ge.f32.u32 %d, %a, %b;", in.a, in.b);
  const auto halves = evaluate<uint32_t>("set.gt.u32.f16x2 %d, %a, %b;", in.a, in.a);
  const auto equal = evaluate<uint32_t>("set.equ.f16x2.f16x2 %d, %a, %a;", in.a);
  const auto dot = evaluate<uint32_t>("dp4a.s32.s32 %d, %a, %b, 7;", in.a, in.b);
  for (size_t i = 0; i < in.a.size(); ++i) {
    ASSERT_EQ(ones[i], static_cast<int32_t>(in.a[i]) < static_cast<int32_t>(in.b[i]) ? 0xFFFFFFFFu : 0u);
    ASSERT_EQ(floats[i], in.a[i] >= in.b[i] ? 0x3F800000u : 0u);
    ASSERT_EQ(halves[i], 0u);
    ASSERT_EQ(equal[i], 0x3C003C00u);
    int32_t sum = 7;
    for (int k = 0; k < 4; ++k) sum += static_cast<int8_t>(in.a[i] >> 8 * k) * static_cast<int8_t>(in.b[i] >> 8 * k);
    ASSERT_EQ(static_cast<int32_t>(dot[i]), sum);
  }
}

TEST(Integers, SelectionsAndParts) {
  const Columns<uint32_t> in = pairs(edges<uint32_t>());
  const auto chosen = evaluate<uint32_t>(".reg .pred %q; setp.lt.s32 %q, %a, %b; selp.b32 %d, %a, 77, %q;", in.a, in.b);
  const auto by_sign = evaluate<uint32_t>("slct.u32.s32 %d, %a, 77, %b;", in.a, in.b);
  const auto packed = evaluate<uint64_t>("mov.b64 %d, {%a, %b};", in.a, in.b);
  const auto high = evaluate<uint32_t>(".reg .b64 %w; mov.b64 %w, {%a, %b}; mov.b64 {_, %d}, %w;", in.a, in.b);
  const auto swapped = evaluate<uint32_t>(".reg .b16 %x, %y; mov.b32 {%x, %y}, %a; mov.b32 %d, {%y, %x};", in.a, in.b);
  for (size_t i = 0; i < in.a.size(); ++i) {
    ASSERT_EQ(chosen[i], static_cast<int32_t>(in.a[i]) < static_cast<int32_t>(in.b[i]) ? in.a[i] : 77u);
    ASSERT_EQ(by_sign[i], static_cast<int32_t>(in.b[i]) >= 0 ? in.a[i] : 77u);
    ASSERT_EQ(packed[i], uint64_t{in.b[i]} << 32 | in.a[i]);
    ASSERT_EQ(high[i], in.b[i]);
    ASSERT_EQ(swapped[i], in.a[i] << 16 | in.a[i] >> 16);
  }
}

}  // namespace
}  // namespace netc::sim
