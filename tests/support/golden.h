// Golden text: what a stage prints, kept in a file beside the test. A difference fails with both texts; running the test
// with NETC_BLESS=1 in the environment writes the new text, to be read and committed like code.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace netc::test {

// `file` is relative to the tests folder: "program/golden/seed_net_fused.txt".
inline void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(NETC_SOURCE_DIR) + "/tests/" + file;
  if (std::getenv("NETC_BLESS")) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << "no golden file " << path << "; run once with NETC_BLESS=1 and read what it wrote";
  std::stringstream expected;
  expected << in.rdbuf();
  EXPECT_EQ(expected.str(), text) << "differs from " << path << "; if the change is meant, bless it with NETC_BLESS=1";
}

}  // namespace netc::test
