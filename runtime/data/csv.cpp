// Comma-separated text by RFC 4180, through libcsv. One or several columns of numbers make a field.
#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>

#include "compiler/base/errors.h"
#include "compiler/base/text_distance.h"
#include "runtime/data/reader.h"

namespace netc {
namespace {

std::string read_text(const std::string& path, std::string* damage) {
  InputFile file(path);
  std::string text;
  constexpr size_t kBlock = 1u << 20;
  for (size_t got = kBlock; got == kBlock;) {
    text.resize(text.size() + kBlock);
    got = file.read(text.data() + text.size() - kBlock, kBlock);
    text.resize(text.size() - kBlock + got);
  }
  *damage = file.damage();
  return text;
}

// Feeds the text to libcsv line by line, so that the line a record starts on is known even if quoted cells span lines.
// `row(cells, line)` is called once a record.
template <typename Row>
class CsvText {
 public:
  CsvText(char separator, Row row) : row_(std::move(row)) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw RuntimeError("out of memory in the csv reader");
    csv_set_delim(&parser_, static_cast<unsigned char>(separator));
  }
  ~CsvText() { csv_free(&parser_); }
  CsvText(const CsvText&) = delete;
  CsvText& operator=(const CsvText&) = delete;

  // 0, or the line where quotes went wrong.
  int64_t read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    while (!text.empty()) {
      ++line_;
      const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
      if (csv_parse(&parser_, text.data(), length, on_cell, on_record, this) != length) return line_;
      text.remove_prefix(length);
    }
    return csv_fini(&parser_, on_cell, on_record, this) == 0 ? 0 : line_;
  }

 private:
  static void on_cell(void* cell, size_t bytes, void* self) {
    auto& me = *static_cast<CsvText*>(self);
    if (me.count_ == me.cells_.size()) me.cells_.emplace_back();
    me.cells_[me.count_++].assign(static_cast<const char*>(cell), bytes);   // keeps its memory from record to record
  }
  static void on_record(int, void* self) {
    auto& me = *static_cast<CsvText*>(self);
    me.row_(std::span<const std::string>(me.cells_.data(), me.count_), me.record_line_);
    me.count_ = 0;
    me.record_line_ = me.line_ + 1;
  }

  csv_parser parser_{};
  Row row_;
  std::vector<std::string> cells_;
  size_t count_ = 0;
  int64_t line_ = 0, record_line_ = 1;
};

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

template <typename T>
void put(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }

// Writes a cell as a value of `dtype`; false if it is not one.
bool store_cell(std::string_view text, DType dtype, std::byte* at) {
  if (dtype == DType::boolean) {
    if (text != "true" && text != "false" && text != "0" && text != "1") return false;
    put(at, static_cast<uint8_t>(text == "true" || text == "1"));
    return true;
  }
  const auto value = parse_number(text);
  if (!value) return false;
  if (dtype == DType::f32) {
    if (std::abs(*value) > std::numeric_limits<float>::max()) return false;
    put(at, static_cast<float>(*value));
    return true;
  }
  if (dtype == DType::f64) return put(at, *value), true;
  if (*value != std::floor(*value) || std::abs(*value) > 0x1p53) return false;
  const auto whole = static_cast<int64_t>(*value);
  if (dtype == DType::u8 && whole >= 0 && whole <= 255) return put(at, static_cast<uint8_t>(whole)), true;
  if (dtype == DType::i32 && whole >= INT32_MIN && whole <= INT32_MAX) return put(at, static_cast<int32_t>(whole)), true;
  if (dtype == DType::i64) return put(at, whole), true;
  return false;
}

// One field: which columns of the file it takes, and what was wrong with its cells.
struct FieldReader {
  const FieldSpec* field = nullptr;
  std::vector<size_t> columns;
  LabelCheck labels;
  int64_t bad_cells = 0, first_bad_line = 0;
  std::string first_bad_text, first_bad_column;
  bool first_bad_is_missing = false;
};

std::vector<std::string> columns_of(const FieldSpec& field) {
  return field.columns.empty() ? std::vector<std::string>{field.name} : field.columns;
}

class CsvReader {
 public:
  CsvReader(const ReadRequest& request, std::string path)
      : request_(request), path_(std::move(path)), name_(std::filesystem::path(path_).filename().string()) {}

  std::shared_ptr<Table> read() {
    std::string damage;
    const std::string text = read_text(path_, &damage);
    if (!damage.empty()) {
      request_.diagnostics.error(Code::N0809, request_.reader.span, fmt::format("{} is damaged gzip data: {}", path_, damage))
          .help("fetch the file again");
      return nullptr;
    }
    table_ = std::make_shared<Table>();
    table_->origin = path_;
    const auto row = [this](std::span<const std::string> cells, int64_t line) { take_record(cells, line); };
    const int64_t bad_line = CsvText<decltype(row)>(request_.reader.separator, row).read(text);
    if (bad_line > 0) {
      request_.diagnostics
          .error(Code::N0807, request_.reader.span, fmt::format("{}:{}: the quotes of this line do not pair", name_, bad_line))
          .help("a quote inside a quoted cell is written twice: \"\"");
      sound_ = false;
    }
    for (const FieldReader& reader : readers_) report(reader);
    return sound_ ? table_ : nullptr;
  }

 private:
  void take_record(std::span<const std::string> cells, int64_t line) {
    if (header_.empty()) {
      start(cells);
      if (request_.reader.header) return;
    }
    if (!sound_) return;
    if (cells.size() != header_.size()) {
      request_.diagnostics.error(Code::N0807, request_.reader.span,
                                 fmt::format("{}:{}: {} cells where the {} has {}", name_, line, cells.size(),
                                             request_.reader.header ? "header" : "first line", header_.size()));
      sound_ = false;
      return;
    }
    for (size_t f = 0; f < readers_.size(); ++f) take_cells(readers_[f], table_->columns[f], cells, line);
    ++table_->records;
  }

  // The first record names the columns, or, without a header, only counts them: then they are called "1", "2" ...
  void start(std::span<const std::string> cells) {
    for (size_t i = 0; i < cells.size(); ++i)
      header_.push_back(request_.reader.header ? cells[i] : fmt::format("{}", i + 1));
    for (const FieldSpec& field : request_.data.fields) {
      FieldReader reader{&field, {}, LabelCheck(field, name_), 0, 0, {}, {}, false};
      for (const std::string& column : columns_of(field)) {
        const auto at = std::find(header_.begin(), header_.end(), column);
        if (at != header_.end()) reader.columns.push_back(static_cast<size_t>(at - header_.begin()));
        else report_column(field, column);
      }
      if (sound_ && static_cast<int64_t>(reader.columns.size()) != element_count(field.raw.shape)) {
        report_mismatch(request_, field, path_, fmt::format("{} columns for it", reader.columns.size()), declared_type(field));
        sound_ = false;
      }
      readers_.push_back(std::move(reader));
      table_->columns.push_back(make_column(field, 0));
    }
  }

  void take_cells(FieldReader& reader, Column& column, std::span<const std::string> cells, int64_t line) {
    const auto at = static_cast<int64_t>(column.bytes.size());
    column.bytes.resize(static_cast<size_t>(at + column.record_bytes));
    const int64_t width = dtype_bytes(column.dtype);
    for (size_t i = 0; i < reader.columns.size(); ++i) {
      const std::string& cell = cells[reader.columns[i]];
      std::byte* place = column.bytes.data() + at + static_cast<int64_t>(i) * width;
      const bool missing = cell == request_.reader.missing;
      if (!missing && store_cell(cell, column.dtype, place)) {
        if (reader.field->raw.classes > 0) {
          int32_t label = 0;
          std::memcpy(&label, place, sizeof label);
          reader.labels.see(label, table_->records, line);
        }
      } else if (reader.bad_cells++ == 0) {
        reader.first_bad_line = line;
        reader.first_bad_text = cell;
        reader.first_bad_column = header_[reader.columns[i]];
        reader.first_bad_is_missing = missing;
      }
    }
  }

  void report_column(const FieldSpec& field, const std::string& column) {
    auto& error = request_.diagnostics.error(Code::N0805, field.span, fmt::format("no column `{}` in {}", column, name_));
    error.label(request_.reader.span, "read here");
    error.note(fmt::format("its columns: {}", fmt::join(header_, ", ")));
    if (const auto close = suggest(column, header_)) error.help(fmt::format("did you mean `from \"{}\"`?", *close));
    if (!request_.reader.header) error.note("without a header, columns are called \"1\", \"2\", ...");
    sound_ = false;
  }

  void report(const FieldReader& reader) {
    if (!reader.labels.report(request_)) sound_ = false;
    if (reader.bad_cells == 0) return;
    sound_ = false;
    const std::string place = fmt::format("{}:{}", name_, reader.first_bad_line);
    const std::string type = to_string(TensorType{reader.field->raw.dtype, {}, false, reader.field->raw.classes});
    auto& error = request_.diagnostics.error(
        Code::N0807, reader.field->span,
        reader.first_bad_is_missing
            ? fmt::format("{}: the cell of column `{}` is missing, not {}", place, reader.first_bad_column, type)
            : fmt::format("{}: `{}` is not {}", place, reader.first_bad_text, type));
    error.label(request_.reader.span, "read here");
    error.note(fmt::format("column `{}`; {} such {} in `{}`", reader.first_bad_column, reader.bad_cells,
                           reader.bad_cells == 1 ? "cell" : "cells", reader.field->name));
    error.help("write a number there, or leave the record out");
  }

  const ReadRequest& request_;
  std::string path_, name_;
  std::shared_ptr<Table> table_;
  std::vector<std::string> header_;
  std::vector<FieldReader> readers_;
  bool sound_ = true;
};

}  // namespace

std::shared_ptr<Table> read_csv(const ReadRequest& request) {
  if (request.reader.files.empty()) throw InternalError("a csv reader without a file");
  const Span span = request.reader.file_spans.empty() ? request.reader.span : request.reader.file_spans.front();
  const auto path = find_file(request, request.reader.files.front().second, span);
  return path ? CsvReader(request, *path).read() : nullptr;
}

}  // namespace netc
