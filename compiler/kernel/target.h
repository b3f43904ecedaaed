// What the compiler may know about a processor: numbers for layouts and tiles, never how to reach one. The runtime
// finds out which of these the machine is (runtime/backend/cpu/detect.h); tests compile for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace netc {

struct Target {
  std::string name;             // "avx512", "avx2", "plain"
  int lanes = 4;                // f32 values of one vector
  int panel_columns = 8;        // columns of a panel (Layout::panels): two vectors, a product's tile; 0: no panels
  int row_tile = 4;             // rows of a product's tile held in registers
  bool fma = false;             // multiply-add with one rounding
  bool newton_division = false; // quotients and roots from a guess and Newton steps, within 1 ulp: where the
                                // instructions take longer than that (16 lanes: 35 cycles for both)
  std::string compiler_flags;   // what gcc and clang need to be told; empty for the baseline of the machine

  friend bool operator==(const Target&, const Target&) = default;
};

std::span<const Target> known_targets();                  // widest first
const Target* find_target(const std::string& name);       // null if there is none

// A GPU of any architecture. No panels: a library's products and coalesced loads both want rows as they are, so every
// buffer stays row_major. Not among the known targets, for which C is generated.
const Target& gpu_target();

// Rows to keep per panel for a matrix of `rows` rows: whole vectors, and a distance between panels that does not put
// the same rows of all panels on the same few sets of the first cache (which halves the speed of products).
int64_t padded_panel_rows(const Target& target, int64_t rows);

}  // namespace netc
