#include "cli/prediction_file.h"

#include <charconv>
#include <cmath>
#include <span>

#include "cli/arguments.h"
#include "runtime/record/atomic_files.h"

namespace netc {
namespace {

// The fewest digits that read back as the same f32; never depends on the locale. JSON has no word for what is not finite.
void append_number(std::string& text, float value, const char* not_finite) {
  char digits[32];
  if (!std::isfinite(value) && not_finite) {
    text += not_finite;
    return;
  }
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

class CsvFile : public PredictionFile {
 public:
  CsvFile(const std::string& path, std::vector<OutputColumn> columns) : columns_(std::move(columns)) {
    file_.begin(path);
    std::string header;
    for (const OutputColumn& column : columns_) {
      const int64_t elements = element_count(column.shape);
      for (int64_t e = 0; e < elements; ++e) {
        header += (header.empty() ? "" : ",") + column.name;
        if (!column.shape.empty()) header += "." + std::to_string(e);
      }
    }
    file_.append(header + "\n");
  }

  void add(int64_t rows, const std::vector<std::vector<float>>& values) override {
    std::string text;
    for (int64_t r = 0; r < rows; ++r) {
      bool first = true;
      for (size_t i = 0; i < columns_.size(); ++i) {
        const int64_t elements = element_count(columns_[i].shape);
        for (int64_t e = 0; e < elements; ++e) {
          if (!first) text += ',';
          first = false;
          append_number(text, values[i][static_cast<size_t>(r * elements + e)], nullptr);
        }
      }
      text += '\n';
    }
    file_.append(text);
  }
  void finish() override { file_.commit(); }

 private:
  std::vector<OutputColumn> columns_;
  AtomicFiles file_;
};

class JsonLinesFile : public PredictionFile {
 public:
  JsonLinesFile(const std::string& path, std::vector<OutputColumn> columns) : columns_(std::move(columns)) {
    file_.begin(path);
  }

  void add(int64_t rows, const std::vector<std::vector<float>>& values) override {
    std::string text;
    for (int64_t r = 0; r < rows; ++r) {
      text += '{';
      for (size_t i = 0; i < columns_.size(); ++i) {
        const auto elements = static_cast<size_t>(element_count(columns_[i].shape));
        text += (i == 0 ? "\"" : ", \"") + columns_[i].name + "\": ";
        append_nested(text, columns_[i].shape, 0, std::span(values[i]).subspan(static_cast<size_t>(r) * elements, elements));
      }
      text += "}\n";
    }
    file_.append(text);
  }
  void finish() override { file_.commit(); }

 private:
  static void append_nested(std::string& text, const Shape& shape, size_t axis, std::span<const float> values) {
    if (axis == shape.size()) {
      append_number(text, values[0], "null");
      return;
    }
    const auto parts = static_cast<size_t>(shape[axis]);
    const size_t part = values.size() / parts;
    text += '[';
    for (size_t i = 0; i < parts; ++i) {
      if (i > 0) text += ", ";
      append_nested(text, shape, axis + 1, values.subspan(i * part, part));
    }
    text += ']';
  }

  std::vector<OutputColumn> columns_;
  AtomicFiles file_;
};

class NpyFile : public PredictionFile {
 public:
  NpyFile(const std::string& path, const OutputColumn& column, int64_t rows) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ",";
    for (int64_t size : column.shape) header += " " + std::to_string(size) + ",";
    header += "), }";
    constexpr size_t kPrelude = 10;   // magic, version, length of the header
    header.resize((kPrelude + header.size() + 1 + 63) / 64 * 64 - kPrelude - 1, ' ');
    header += '\n';
    std::string prelude("\x93NUMPY\x01\x00", 8);
    prelude += static_cast<char>(header.size() & 0xff);
    prelude += static_cast<char>(header.size() >> 8);
    file_.begin(path);
    file_.append(prelude + header);
  }

  void add(int64_t, const std::vector<std::vector<float>>& values) override {
    file_.append(std::as_bytes(std::span(values.front())));
  }
  void finish() override { file_.commit(); }

 private:
  AtomicFiles file_;
};

}  // namespace

std::unique_ptr<PredictionFile> make_prediction_file(const std::string& path, std::vector<OutputColumn> columns,
                                                     int64_t rows) {
  if (path.ends_with(".csv")) return std::make_unique<CsvFile>(path, std::move(columns));
  if (path.ends_with(".jsonl")) return std::make_unique<JsonLinesFile>(path, std::move(columns));
  if (!path.ends_with(".npy"))
    throw UsageError("`--out` wants a file that ends in .csv, .jsonl or .npy, got `" + path + "`", "");
  if (columns.size() != 1) {
    std::string names;
    for (const OutputColumn& column : columns) names += (names.empty() ? "" : ", ") + column.name;
    throw UsageError("a .npy file holds one output, this net has " + std::to_string(columns.size()),
                     "choose with `--outputs`: " + names);
  }
  return std::make_unique<NpyFile>(path, columns.front(), rows);
}

}  // namespace netc
