// One array of NumPy's .npy format (versions 1 to 3), first axis the records:
//
//   \x93NUMPY MAJOR MINOR   header length (2 bytes in version 1, 4 after)
//   {'descr': '<f4', 'fortran_order': False, 'shape': (100, 28, 28), }   then the values
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "runtime/data/raw_column.h"

namespace netc {
namespace {

struct NpyHeader {
  std::string descr;         // "<f4"
  bool fortran_order = false;
  Shape shape;               // with the records in front
};

// The text after `'key':`, without leading blanks; empty if the key is absent.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  size_t begin = header.find(':', at);
  if (begin == std::string_view::npos) return {};
  begin = header.find_first_not_of(' ', begin + 1);
  return begin == std::string_view::npos ? std::string_view{} : header.substr(begin);
}

bool parse_shape(std::string_view text, Shape* shape) {
  if (text.empty() || text[0] != '(') return false;
  const char* p = text.data() + 1;
  const char* end = text.data() + text.size();
  while (p < end && *p != ')') {
    int64_t size = 0;
    const auto [next, fault] = std::from_chars(p, end, size);
    if (fault != std::errc() || size < 0) return false;
    shape->push_back(size);
    p = next;
    while (p < end && (*p == ',' || *p == ' ' || *p == 'L')) ++p;
  }
  return p < end;
}

std::optional<NpyHeader> read_header(InputFile& file) {
  unsigned char start[8];
  if (file.read(start, 8) < 8 || std::memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3) return std::nullopt;
  unsigned char length_bytes[4] = {};
  const size_t width = start[6] == 1 ? 2 : 4;
  if (file.read(length_bytes, width) < width) return std::nullopt;
  const uint32_t length = length_bytes[0] | length_bytes[1] << 8 | length_bytes[2] << 16 | uint32_t{length_bytes[3]} << 24;
  if (length > 1u << 20) return std::nullopt;
  std::string text(length, ' ');
  if (file.read(text.data(), length) < length) return std::nullopt;

  NpyHeader header;
  const std::string_view descr = value_of(text, "descr");
  if (descr.size() < 2 || descr[0] != '\'' || descr.find('\'', 1) == std::string_view::npos) return std::nullopt;
  header.descr = descr.substr(1, descr.find('\'', 1) - 1);
  const std::string_view order = value_of(text, "fortran_order");
  if (!order.starts_with("True") && !order.starts_with("False")) return std::nullopt;
  header.fortran_order = order.starts_with("True");
  if (!parse_shape(value_of(text, "shape"), &header.shape) || header.shape.empty()) return std::nullopt;
  return header;
}

std::optional<DType> npy_dtype(std::string_view kind) {
  if (kind == "f4") return DType::f32;
  if (kind == "f8") return DType::f64;
  if (kind == "i4") return DType::i32;
  if (kind == "i8") return DType::i64;
  if (kind == "u1") return DType::u8;
  if (kind == "b1") return DType::boolean;
  return std::nullopt;
}

std::optional<Column> read_column(const ReadRequest& request, const FieldSpec& field, const std::string& path) {
  InputFile file(path);
  const std::string declared = declared_type(field);
  const auto header = read_header(file);
  if (!header) {
    report_mismatch(request, field, path, "no npy data", declared);
    return std::nullopt;
  }
  if (header->fortran_order && header->shape.size() > 1) {
    report_mismatch(request, field, path, "an array in Fortran order", declared)
        .help("save it in C order: `np.save(file, np.ascontiguousarray(x))`");
    return std::nullopt;
  }
  const auto dtype = npy_dtype(std::string_view(header->descr).substr(1));
  if (!dtype) {
    report_mismatch(request, field, path, fmt::format("values of NumPy's type '{}'", header->descr), declared)
        .help("types read are f4, f8, i4, i8, u1 and b1: `np.save(file, x.astype('f4'))`");
    return std::nullopt;
  }
  const bool big = header->descr[0] == '>';
  return read_raw_column(request, field, path, file,
                         RawValues{*dtype, header->shape, big ? std::endian::big : std::endian::little});
}

}  // namespace

std::shared_ptr<Table> read_npy(const ReadRequest& request) { return read_file_per_field(request, read_column); }

}  // namespace netc
