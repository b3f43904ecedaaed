#include "runtime/jit/occupancy.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/base/errors.h"

namespace netc::jit {
namespace {

struct Limits {
  int architecture, warps, blocks;
  int64_t shared_bytes;
};
// Registers are the same everywhere: 65,536 a multiprocessor, given to a warp in units of 256.
constexpr Limits kLimits[] = {{75, 32, 16, 64 << 10},  {80, 64, 32, 164 << 10}, {86, 48, 16, 100 << 10}, {87, 48, 16, 164 << 10},
                              {89, 48, 24, 100 << 10}, {90, 64, 32, 228 << 10}, {100, 64, 32, 228 << 10}, {120, 48, 24, 100 << 10}};
constexpr int64_t kRegisters = 65536, kRegisterUnit = 256;
constexpr int64_t kReservedShared = 1024;   // of each block, by the system, from sm_80 on

}  // namespace

double occupancy(const std::string& architecture, int registers_per_thread, int block_threads, int64_t shared_bytes) {
  const int number = architecture.starts_with("sm_") ? std::atoi(architecture.c_str() + 3) : 0;
  const Limits* limits = nullptr;
  for (const Limits& row : kLimits)
    if (row.architecture <= number) limits = &row;
  if (limits == nullptr || block_threads <= 0) throw InternalError("no occupancy for " + architecture);
  const int64_t warps = (block_threads + 31) / 32;
  const int64_t of_warp = (std::max(registers_per_thread, 1) * int64_t{32} + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  const int64_t reserved = number >= 80 ? kReservedShared : 0;
  int64_t blocks = std::min<int64_t>(limits->blocks, limits->warps / warps);
  blocks = std::min(blocks, kRegisters / of_warp / warps);
  if (shared_bytes + reserved > 0) blocks = std::min(blocks, limits->shared_bytes / (shared_bytes + reserved));
  return static_cast<double>(blocks * warps) / limits->warps;
}

}  // namespace netc::jit
