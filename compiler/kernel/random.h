// The one random generator of netc: Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011), counter-based, so that a draw is a function of what it is for and not of who draws it or when.
//
//   key     = (seed low, seed high)
//   counter = (global row, column / 4, stream, update)      word = column % 4
//
// The same function stands in the generated C and CUDA text; tests compare all three with Random123's test vectors.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace netc {

inline std::array<uint32_t, 4> philox_4x32_10(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// Random bits of one element of one row: `row` counts over the whole batch of the update, not over a tower's slice.
inline uint32_t random_bits(uint64_t seed, uint32_t update, uint32_t stream, uint32_t row, uint32_t column) {
  const auto words = philox_4x32_10({row, column / 4, stream, update},
                                    {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return words[column % 4];
}

// The stream of a purpose, "fc1.weight" or "data.order": FNV-1a over its name.
constexpr uint32_t random_stream(std::string_view name) {
  uint32_t hash = 0x811C9DC5u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
  return hash;
}

}  // namespace netc
