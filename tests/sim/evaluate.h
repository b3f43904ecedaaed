// Runs one statement of PTX on columns of values: a, b, c in, d out, a thread an element.
//
//   evaluate<float>("add.rn.f32 %d, %a, %b;", x, y)
//
// Computed with and without AVX2, which must agree to the bit. Registers are as wide as the types of the values. A bool
// is a predicate: it goes in as a number that is tested, and comes out as 0 or 1.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "runtime/backend/sim/launch.h"
#include "runtime/backend/sim/ptx_parse.h"
#include "tests/sim/checked_launch.h"

namespace netc::sim {

inline const char* kPtxHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

template <class T>
std::string ptx_bits() {
  return "b" + std::to_string(8 * sizeof(T));
}

template <class Result, class... Sources>
std::vector<Result> evaluate(const std::string& statement, const std::vector<Sources>&... sources) {
  const size_t count = std::max({sources.size()...});
  std::string text = std::string(kPtxHead) + ".visible .entry k(.param .u64 p0";
  for (size_t k = 1; k <= sizeof...(sources); ++k) text += ", .param .u64 p" + std::to_string(k);
  text += ", .param .u32 count) {\n.reg .b64 %at, %base; .reg .b32 %i, %n, %ctaid, %ntid; .reg .pred %done;\n";
  constexpr bool is_predicate = std::is_same_v<Result, bool>;
  text += is_predicate ? ".reg .pred %d; .reg .b16 %out;\n" : ".reg ." + ptx_bits<Result>() + " %d;\n";
  text += "mov.u32 %i, %tid.x; mov.u32 %ctaid, %ctaid.x; mov.u32 %ntid, %ntid.x; mad.lo.u32 %i, %ctaid, %ntid, %i;\n"
          "ld.param.u32 %n, [count]; setp.ge.u32 %done, %i, %n; @%done ret;\n";
  char name = 'a';
  int parameter = 1;
  const auto read = [&](auto sample) {
    using T = decltype(sample);
    const std::string bytes = std::to_string(sizeof(T));
    text += ".reg ." + ptx_bits<T>() + " %" + name + "; ld.param.u64 %base, [p" + std::to_string(parameter++) +
            "]; mad.wide.u32 %at, %i, " + bytes + ", %base; ld.global." + ptx_bits<T>() + " %" + name + ", [%at];\n";
    ++name;
  };
  (read(Sources{}), ...);
  text +=
      statement + "\nld.param.u64 %base, [p0]; mad.wide.u32 %at, %i, " + std::to_string(sizeof(Result)) + ", %base;\n";
  text += is_predicate ? "selp.u16 %out, 1, 0, %d; st.global.u8 [%at], %out;\n"
                       : "st.global." + ptx_bits<Result>() + " [%at], %d;\n";
  text += "ret;\n}\n";

  const Module module = parse_ptx(text);
  DeviceMemory memory;
  Address addresses[] = {memory.allocate(count * sizeof(Result), "d"), upload(memory, sources, "source")...};
  uint32_t number = static_cast<uint32_t>(count);
  void* parameters[sizeof...(sources) + 2];
  for (size_t k = 0; k <= sizeof...(sources); ++k) parameters[k] = &addresses[k];
  parameters[sizeof...(sources) + 1] = &number;
  const LaunchConfig config{{(number + 63) / 64, 1, 1}, {64, 1, 1}, 0};
  LaunchOptions old_processor;
  old_processor.without_avx2 = true;
  launch(module, "k", config, parameters, memory, old_processor);
  const std::vector<uint8_t> without_avx2 = download<uint8_t>(memory, addresses[0], count * sizeof(Result));
  launch(module, "k", config, parameters, memory);
  EXPECT_EQ(without_avx2, download<uint8_t>(memory, addresses[0], count * sizeof(Result))) << statement;
  if constexpr (is_predicate) {
    const std::vector<uint8_t> bytes = download<uint8_t>(memory, addresses[0], count);
    return std::vector<bool>(bytes.begin(), bytes.end());
  } else {
    return download<Result>(memory, addresses[0], count);
  }
}

// All pairs of values, as two columns; all triples, as three.
template <class T>
struct Columns {
  std::vector<T> a, b, c;
};

template <class T>
Columns<T> pairs(const std::vector<T>& values) {
  Columns<T> columns;
  for (const T x : values)
    for (const T y : values) columns.a.push_back(x), columns.b.push_back(y);
  return columns;
}

template <class T>
Columns<T> triples(const std::vector<T>& values) {
  Columns<T> columns;
  for (const T x : values)
    for (const T y : values)
      for (const T z : values) columns.a.push_back(x), columns.b.push_back(y), columns.c.push_back(z);
  return columns;
}

}  // namespace netc::sim
