// From the values of a binary file, whose header said what they are, to the column of a field. What idx and npy share.
#pragma once

#include <bit>
#include <optional>
#include <string>

#include "runtime/data/reader.h"

namespace netc {

// What the header of a file says about the values that follow it.
struct RawValues {
  DType dtype = DType::u8;
  Shape shape;                              // with the records in front
  std::endian order = std::endian::native;
};

// Checks the header against the field (type, and shape up to axes of size 1: [28, 28] fits u8[28, 28, 1]) and reads the
// values. A class(N) field takes u8, i32 or i64 and checks the range. Reports N0808 or N0809 and gives nothing if
// anything is wrong, also if the file holds fewer or more records than its header promises.
std::optional<Column> read_raw_column(const ReadRequest& request, const FieldSpec& field, const std::string& path,
                                      InputFile& file, const RawValues& raw);

}  // namespace netc
