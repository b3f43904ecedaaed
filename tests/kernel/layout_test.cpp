#include <gtest/gtest.h>

#include <set>

#include "compiler/kernel/program.h"

namespace netc {
namespace {

Buffer panels(int64_t rows, int64_t columns, int64_t width, int64_t padded) {
  Buffer b;
  b.rows = {rows, false};
  b.columns = columns;
  b.layout = Layout::panels;
  b.panel_columns = width;
  b.padded_rows = padded;
  return b;
}

TEST(Layout, PanelOffsets) {
  const Buffer b = panels(5, 20, 8, 6);
  EXPECT_EQ(element_offset(b, 0, 0), 0);
  EXPECT_EQ(element_offset(b, 0, 7), 7);
  EXPECT_EQ(element_offset(b, 1, 0), 8);
  EXPECT_EQ(element_offset(b, 0, 8), 48);        // the next panel: 6 padded rows of 8
  EXPECT_EQ(element_offset(b, 4, 19), 96 + 32 + 3);
}

TEST(Layout, ElementsAreApartAndInside) {
  for (const Buffer& b : {panels(5, 20, 8, 6), panels(1, 1, 16, 4), panels(7, 33, 16, 8)}) {
    std::set<int64_t> seen;
    for (int64_t r = 0; r < b.rows.count; ++r)
      for (int64_t c = 0; c < b.columns; ++c) {
        const int64_t offset = element_offset(b, r, c);
        EXPECT_TRUE(seen.insert(offset).second);
        EXPECT_GE(offset, 0);
        EXPECT_LT(offset, allocated_elements(b, 0));
      }
  }
}

TEST(Layout, RowMajorHasRoomForAVectorAtTheLastElement) {
  Buffer b;
  b.rows = {3, true};
  b.columns = 7;
  EXPECT_EQ(element_offset(b, 2, 3), 17);
  EXPECT_GE(allocated_elements(b, 5), element_offset(b, 14, 6) + 16);
}

}  // namespace
}  // namespace netc
