#include "compiler/kernel/target.h"

#include <array>

namespace netc {

std::span<const Target> known_targets() {
  static const std::array<Target, 3> kTargets{{
      {.name = "avx512", .lanes = 16, .panel_columns = 32, .row_tile = 12, .fma = true, .newton_division = true,
       .compiler_flags = "-mavx2 -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512"},
      {.name = "avx2", .lanes = 8, .panel_columns = 16, .row_tile = 6, .fma = true,
       .compiler_flags = "-mavx2 -mfma -mprefer-vector-width=256"},
      {.name = "plain", .lanes = 4, .panel_columns = 8, .row_tile = 4, .fma = false, .compiler_flags = ""},
  }};
  return kTargets;
}

const Target* find_target(const std::string& name) {
  for (const Target& target : known_targets())
    if (target.name == name) return &target;
  return nullptr;
}

const Target& gpu_target() {
  static const Target kTarget{
      .name = "gpu", .lanes = 1, .panel_columns = 0, .row_tile = 1, .fma = true, .compiler_flags = ""};
  return kTarget;
}

int64_t padded_panel_rows(const Target& target, int64_t rows) {
  // A tile reads some rows of one panel after another: at an odd multiple of 512 bytes from panel to panel they spread
  // over all sets of the first cache, beside the other factor, before they meet again.
  const int64_t row_bytes = target.panel_columns * int64_t{4};
  int64_t padded = (rows + 15) / 16 * 16;
  while (padded * row_bytes % 1024 != 512) ++padded;
  return padded;
}

}  // namespace netc
