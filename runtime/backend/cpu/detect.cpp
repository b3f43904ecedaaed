#include "runtime/backend/cpu/detect.h"

#include <sched.h>

#include <algorithm>

namespace netc {

// The compiler's probe reads CPUID and asks XGETBV whether the kernel saves the wide registers.
bool runs_target(const Target& target) {
  if (target.name == "plain") return true;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (target.name == "avx2") return avx2;
  if (target.name == "avx512")
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  return false;
}

const Target& detect_cpu_target() {
  const auto targets = known_targets();
  return *std::find_if(targets.begin(), targets.end(), runs_target);   // the last one, plain, always runs
}

int available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace netc
