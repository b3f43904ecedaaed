// A hash that is the same on every machine and in every version: for names of cache entries and checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace netc {

inline constexpr uint64_t kHashStart = 0xCBF29CE484222325ull;

// FNV-1a, 64 bits; `hash` may be that of what came before.
inline uint64_t content_hash(std::string_view text, uint64_t hash = kHashStart) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

// 16 hexadecimal digits.
inline std::string hex(uint64_t value) {
  std::string digits(16, '0');
  for (size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

}  // namespace netc
