// Numbers of random streams: a stable hash of the path of a layer, so that inserting a layer changes no other's noise.
#pragma once

#include <cstdint>
#include <string_view>

namespace netc::sema {

// FNV-1a, 63 bits: never negative.
inline int64_t random_stream(std::string_view text) {
  uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<int64_t>(hash >> 1);
}

}  // namespace netc::sema
