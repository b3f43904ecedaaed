// Occupancy against the limits of the architectures, by hand.
#include <gtest/gtest.h>

#include "compiler/base/errors.h"
#include "runtime/jit/occupancy.h"

namespace netc::test {
namespace {

TEST(Occupancy, OfEachLimit) {
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_90", 32, 256, 0), 1.0);               // 8 blocks of 8 warps: 64 of 64
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_90", 64, 256, 0), 0.5);               // registers: 65536 / 2048 = 32 warps
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_90", 255, 256, 0), 8.0 / 64);         // 8 warps of 8192 registers: one block
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_90", 16, 32, 0), 32.0 / 64);          // 32 blocks at most
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_80", 16, 256, 48 << 10), 24.0 / 64);  // 164 KiB hold three blocks of 48 + 1
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_75", 16, 256, 0), 1.0);
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_86", 16, 512, 0), 1.0);               // three blocks of 16 warps: 48 of 48
  EXPECT_DOUBLE_EQ(jit::occupancy("sm_103", 32, 256, 0), jit::occupancy("sm_100", 32, 256, 0));
  EXPECT_THROW(jit::occupancy("sm_10", 16, 256, 0), InternalError);
}

}  // namespace
}  // namespace netc::test
