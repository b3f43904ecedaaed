// Source text as it appears on a terminal: tabs expanded, control bytes and broken UTF-8 made visible, wide characters
// counted as two columns, and of a very long line only the part around the place that matters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace netc {

// A line ready to print, and where each byte of the source line stands in it.
struct DisplayLine {
  std::string text;
  size_t first_byte = 0;      // of the part that is shown
  std::vector<int> columns;   // from 0, of each byte shown; the last entry is the end

  int column(size_t byte) const {
    const size_t at = byte < first_byte ? 0 : byte - first_byte;
    return columns[at < columns.size() ? at : columns.size() - 1];
  }
};

// The whole line, or of a line too long for that the part around byte `focus`, with "..." for what is left out.
DisplayLine display(std::string_view line, size_t focus);

// Code point at `at`, whose length in bytes goes to `length`; -1 with length 1 if the bytes are not UTF-8.
int32_t decode_utf8(std::string_view text, size_t at, size_t* length);

}  // namespace netc
