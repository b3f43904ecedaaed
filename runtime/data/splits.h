// From tables to splits: shares of a file (`part`, `shuffle`), samples moved out of another split (`take`). That parts do
// not overlap was checked on the declarations, before any file was opened.
#pragma once

#include <vector>

#include "runtime/data/reader.h"

namespace netc {

// The records of a table that a reader's `shuffle` and `part` choose, in their order.
std::vector<uint32_t> choose_part(const ReaderSpec& reader, int64_t records);

// Moves samples out of `from`: which ones depends on seed and count alone; both splits keep the order they had.
// `share` counts the samples `from` was read with, so that two takes of 10% take equally many.
Split take_rows(const ReaderSpec& reader, int64_t rows_as_read, Split& from);

}  // namespace netc
