#include "compiler/base/text_distance.h"

#include <gtest/gtest.h>

namespace netc {
namespace {

TEST(TextDistance, CountsSlips) {
  EXPECT_EQ(text_distance("dense", "dense"), 0);
  EXPECT_EQ(text_distance("Dense", "dense"), 0);
  EXPECT_EQ(text_distance("dnese", "dense"), 1);  // neighbours swapped
  EXPECT_EQ(text_distance("dens", "dense"), 1);
  EXPECT_EQ(text_distance("densee", "dense"), 1);
  EXPECT_EQ(text_distance("dance", "dense"), 2);
  EXPECT_EQ(text_distance("", "abc"), 3);
}

TEST(Suggest, PrefersTheClosest) {
  const std::vector<std::string> layers = {"dense", "dropout", "relu", "relu6", "selu", "conv2d", "conv1d"};
  EXPECT_EQ(suggest("dense1", layers), "dense");
  EXPECT_EQ(suggest("Dense", layers), "dense");
  EXPECT_EQ(suggest("droput", layers), "dropout");
  EXPECT_EQ(suggest("rleu", layers), "relu");
  EXPECT_EQ(suggest("conv3d", layers), "conv2d");  // a tie: the first
  EXPECT_EQ(suggest("softmax", layers), std::nullopt);
  EXPECT_EQ(suggest("", layers), std::nullopt);
  EXPECT_EQ(suggest("xy", {"ab", "y"}), "y");
  EXPECT_EQ(suggest("a", {"b"}), std::nullopt);
}

}  // namespace
}  // namespace netc
