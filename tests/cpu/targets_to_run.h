// The targets whose code this machine can run: those it has, and the text for 16 lanes compiled for a narrower processor,
// so that its layouts, tiles and masks are executed everywhere.
#pragma once

#include <ostream>
#include <vector>

#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/cpu/detect.h"

namespace netc {

inline std::vector<Target> targets_to_run() {
  std::vector<Target> all;
  for (const Target& target : known_targets())
    if (runs_target(target)) all.push_back(target);
  Target wide = *find_target("avx512");
  wide.name = "wide";
  wide.compiler_flags = runs_target(*find_target("avx2")) ? "-mavx2 -mfma -ffp-contract=fast -O1 -fexpensive-optimizations" : "-O1";
  all.push_back(wide);
  return all;
}

inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }   // for GoogleTest

inline CpuOptions options_for(const Target& target, const std::string& cache_directory) {
  CpuOptions options;
  options.own_target = target;
  options.cache_directory = cache_directory;
  return options;
}

}  // namespace netc
