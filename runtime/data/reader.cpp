#include "runtime/data/reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "compiler/base/errors.h"
#include "compiler/base/text_distance.h"

namespace netc {
namespace fs = std::filesystem;

std::optional<std::string> find_file(const ReadRequest& request, const std::string& path, Span span) {
  const fs::path place = fs::path(path).is_absolute() ? fs::path(path) : fs::path(request.root.path) / path;
  std::error_code ignored;
  if (fs::is_regular_file(place, ignored)) return place.string();
  const fs::path compressed = place.string() + ".gz";
  if (fs::is_regular_file(compressed, ignored)) {
    request.remarks.push_back(fmt::format("{}: read from {}", path, compressed.string()));
    return compressed.string();
  }

  auto& error = request.diagnostics.error(Code::N0804, span, fmt::format("no file `{}`", path), "not found");
  const fs::path folder = place.parent_path();
  if (!fs::is_directory(folder, ignored)) {
    error.note(fmt::format("there is no folder {}", folder.string()));
  } else {
    error.note(fmt::format("looked in {}", folder.string()));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    if (const auto close = suggest(place.filename().string(), names)) error.note(fmt::format("there is a `{}`", *close));
  }
  if (fs::path(path).is_relative())
    error.note(fmt::format("data_root is {} ({})", request.root.path, request.root.origin))
        .help("say where the files are: `--data-root DIR`");
  return std::nullopt;
}

InputFile::InputFile(const std::string& path) : file_(gzopen(path.c_str(), "rb")), path_(path) {
  if (file_ == nullptr)
    throw RuntimeError(fmt::format("cannot read {}: {}", path, std::strerror(errno)), "check the rights of the file");
  gzbuffer(static_cast<gzFile>(file_), 1u << 18);
  constexpr int64_t kDeflateRatio = 1032;   // the most that deflate can make of a byte
  most_bytes_ = static_cast<int64_t>(fs::file_size(path)) * kDeflateRatio;
}

InputFile::~InputFile() { gzclose(static_cast<gzFile>(file_)); }

size_t InputFile::read(void* destination, size_t bytes) {
  auto* out = static_cast<unsigned char*>(destination);
  size_t done = 0;
  while (done < bytes && damage_.empty()) {
    const auto wanted = static_cast<unsigned>(std::min<size_t>(bytes - done, 1u << 30));
    const int got = gzread(static_cast<gzFile>(file_), out + done, wanted);
    int code = Z_OK;
    const char* words = gzerror(static_cast<gzFile>(file_), &code);
    if (code == Z_ERRNO) throw RuntimeError(fmt::format("reading {} failed: {}", path_, std::strerror(errno)));
    if (code != Z_OK && code != Z_STREAM_END) damage_ = code == Z_BUF_ERROR ? "it ends too early" : words;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

std::string declared_type(const FieldSpec& field) {
  return to_string(TensorType{field.raw.dtype, field.raw.shape, false, field.raw.classes});
}

Column make_column(const FieldSpec& field, int64_t records) {
  Column column;
  column.field = field.name;
  column.dtype = field.raw.dtype;
  column.shape = field.raw.shape;
  column.record_bytes = element_count(field.raw.shape) * dtype_bytes(field.raw.dtype);
  column.bytes.resize(static_cast<size_t>(records * column.record_bytes));
  return column;
}

std::shared_ptr<Table> read_file_per_field(const ReadRequest& request, ReadColumn read_column) {
  auto table = std::make_shared<Table>();
  const auto& files = request.reader.files;
  bool sound = true;
  for (const FieldSpec& field : request.data.fields) {
    const auto named = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.first == field.name; });
    if (named == files.end()) {
      request.diagnostics
          .error(Code::N0805, request.reader.span,
                 fmt::format("split `{}` names no file for field `{}`", request.reader.split, field.name))
          .label(field.span, "declared here")
          .help(fmt::format("`{}({}: \"...\")`", request.reader.reader, field.name));
      sound = false;
      continue;
    }
    const auto number = static_cast<size_t>(named - files.begin());
    const Span span = number < request.reader.file_spans.size() ? request.reader.file_spans[number] : request.reader.span;
    const auto path = find_file(request, named->second, span);
    auto column = path ? read_column(request, field, *path) : std::nullopt;
    if (!column) {
      sound = false;
      continue;
    }
    const int64_t records = static_cast<int64_t>(column->bytes.size()) / std::max<int64_t>(1, column->record_bytes);
    if (table->columns.empty()) {
      table->records = records;
    } else if (records != table->records) {
      report_mismatch(request, field, *path, fmt::format("{} records", records),
                      fmt::format("{} like `{}`", table->records, table->columns.front().field));
      sound = false;
    }
    table->origin += (table->origin.empty() ? "" : ", ") + *path;
    table->columns.push_back(std::move(*column));
  }
  return sound ? table : nullptr;
}

Diagnostic& report_mismatch(const ReadRequest& request, const FieldSpec& field, const std::string& file,
                            const std::string& found, const std::string& declared) {
  auto& error = request.diagnostics.error(
      Code::N0809, field.span, fmt::format("`{}`: the file holds {}, the field says {}", field.name, found, declared));
  error.label(request.reader.span, "read here").note(fmt::format("file {}", file));
  return error;
}

void LabelCheck::see(int64_t value, int64_t record, int64_t line) {
  smallest_ = std::min(smallest_, value);
  largest_ = std::max(largest_, value);
  if (value >= 0 && value < field_.raw.classes) return;
  if (bad_++ == 0) first_value_ = value, first_record_ = record, first_line_ = line;
}

bool LabelCheck::report(const ReadRequest& request) const {
  if (bad_ == 0) return true;
  const std::string place = first_line_ > 0 ? fmt::format("{}:{}", file_, first_line_)
                                            : fmt::format("{}, record {}", file_, first_record_);
  auto& error = request.diagnostics.error(
      Code::N0808, field_.span, fmt::format("{}: label {} outside class({})", place, first_value_, field_.raw.classes));
  error.label(request.reader.span, "read here");
  error.note(fmt::format("{} of the labels {} outside; they go from {} to {}", bad_, bad_ == 1 ? "lies" : "lie", smallest_,
                         largest_));
  if (smallest_ >= 1 && largest_ == field_.raw.classes)
    error.help(fmt::format("the labels count from 1, classes from 0: write class({}), or subtract 1 in the file", largest_ + 1));
  else if (smallest_ >= 0)
    error.help(fmt::format("class({}) holds all of them", largest_ + 1));
  return false;
}

}  // namespace netc
