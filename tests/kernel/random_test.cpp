#include "compiler/kernel/random.h"

#include <gtest/gtest.h>

namespace netc {
namespace {

using Words = std::array<uint32_t, 4>;

// Known answers of the Random123 library, kat_vectors: philox4x32 10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox_4x32_10({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox_4x32_10({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, BitsOfAnElementAreAWordOfItsGroupOfFour) {
  const Words words = philox_4x32_10({7, 2, 99, 5}, {0x89abcdef, 0x01234567});
  for (uint32_t column = 8; column < 12; ++column)
    EXPECT_EQ(random_bits(0x0123456789abcdefull, 5, 99, 7, column), words[column - 8]);
}

}  // namespace
}  // namespace netc
