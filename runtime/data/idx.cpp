// The idx format of the MNIST family (big-endian), plain or gzip:
//
//   0 0 TYPE RANK   four bytes: 08 u8, 0C i32, 0D f32, 0E f64; then RANK sizes of four bytes, the first the records
//   values          row-major
#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>

#include "runtime/data/raw_column.h"

namespace netc {
namespace {

uint32_t big_endian(const unsigned char* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

std::optional<DType> idx_dtype(unsigned char code) {
  switch (code) {
    case 0x08: return DType::u8;
    case 0x0C: return DType::i32;
    case 0x0D: return DType::f32;
    case 0x0E: return DType::f64;
    default: return std::nullopt;
  }
}

std::string damaged(const InputFile& file, const std::string& otherwise) {
  return file.damage().empty() ? otherwise : "damaged gzip data: " + file.damage();
}

// Empty, with `fault` in words, if this is no idx file we can read.
std::optional<RawValues> read_header(InputFile& file, std::string* fault) {
  std::array<unsigned char, 4> magic{};
  if (file.read(magic.data(), 4) < 4) {
    *fault = damaged(file, "no idx data (less than 4 bytes)");
    return std::nullopt;
  }
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0 || magic[3] > 8) {
    *fault = fmt::format("no idx data (it starts with {:02x} {:02x} {:02x} {:02x}, not 00 00 08 03 or the like)", magic[0],
                         magic[1], magic[2], magic[3]);
    return std::nullopt;
  }
  const auto dtype = idx_dtype(magic[2]);
  if (!dtype) {
    *fault = fmt::format("idx values of type {:02x}, of which only 08 (u8), 0c (i32), 0d (f32) and 0e (f64) are read", magic[2]);
    return std::nullopt;
  }
  RawValues header{*dtype, {}, std::endian::big};
  double elements = 1;
  for (int axis = 0; axis < magic[3]; ++axis) {
    std::array<unsigned char, 4> size{};
    if (file.read(size.data(), 4) < 4) {
      *fault = damaged(file, "an idx header that ends too early");
      return std::nullopt;
    }
    header.shape.push_back(big_endian(size.data()));
    elements *= static_cast<double>(header.shape.back());
  }
  if (elements > 0x1p40) {
    *fault = fmt::format("an idx header of {:.3g} values", elements);
    return std::nullopt;
  }
  return header;
}

std::optional<Column> read_column(const ReadRequest& request, const FieldSpec& field, const std::string& path) {
  InputFile file(path);
  std::string fault;
  const auto header = read_header(file, &fault);
  if (!header) {
    report_mismatch(request, field, path, fault, declared_type(field));
    return std::nullopt;
  }
  return read_raw_column(request, field, path, file, *header);
}

}  // namespace

std::shared_ptr<Table> read_idx(const ReadRequest& request) { return read_file_per_field(request, read_column); }

}  // namespace netc
