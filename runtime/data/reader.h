// What the readers share: finding files, reading them plain or compressed, and the ways a file can fail to be what the
// fields say. A reader turns one ReaderSpec into a Table, or reports and returns nullptr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/base/experiment.h"
#include "runtime/data/dataset.h"

namespace netc {

struct ReadRequest {
  const DataSpec& data;
  const ReaderSpec& reader;
  const DataRoot& root;
  Diagnostics& diagnostics;
  std::vector<std::string>& remarks;   // Dataset::remarks
};

std::shared_ptr<Table> read_idx(const ReadRequest& request);
std::shared_ptr<Table> read_csv(const ReadRequest& request);
std::shared_ptr<Table> read_npy(const ReadRequest& request);
std::shared_ptr<Table> make_synthetic(const ReadRequest& request);

// Where a path of the source text lies on this machine. Takes `path`.gz if only that exists, and says so in remarks.
// Reports N0804 with the directory searched and names close by.
std::optional<std::string> find_file(const ReadRequest& request, const std::string& path, Span span);

// A file read from its start to its end, decompressed if it is gzip.
class InputFile {
 public:
  explicit InputFile(const std::string& path);   // throws RuntimeError if it cannot be opened
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Bytes read, fewer than asked for only at the end of the file or when it is damaged (see damage()).
  size_t read(void* destination, size_t bytes);
  // In words, "unexpected end of file" or what zlib says; empty while all is well.
  const std::string& damage() const { return damage_; }
  // No more can come out of this file, compressed or not: what a header promises is checked before memory is taken.
  int64_t most_bytes() const { return most_bytes_; }

 private:
  void* file_;   // gzFile; zlib.h stays in the .cpp
  std::string path_;
  std::string damage_;
  int64_t most_bytes_ = 0;
};

// For formats with one file a field: finds and reads them all, and checks that they hold equally many records.
using ReadColumn = std::optional<Column> (*)(const ReadRequest& request, const FieldSpec& field, const std::string& path);
std::shared_ptr<Table> read_file_per_field(const ReadRequest& request, ReadColumn read_column);

// The type of a field as it is written, "u8[28, 28, 1]": of one sample.
std::string declared_type(const FieldSpec& field);

// An empty column for a field, with room for `records`.
Column make_column(const FieldSpec& field, int64_t records);

// Reports N0809 at the field: "`train-images`: the file holds u8[28, 28], the field says u8[32, 32, 1]".
Diagnostic& report_mismatch(const ReadRequest& request, const FieldSpec& field, const std::string& file,
                            const std::string& found, const std::string& declared);

// Values read as whole numbers into the column of a class(N) field; each outside 0 .. N-1 is a N0808.
class LabelCheck {
 public:
  LabelCheck(const FieldSpec& field, std::string file) : field_(field), file_(std::move(file)) {}

  // `place` is the record from 0, or a line of a text file when `line` is given.
  void see(int64_t value, int64_t record, int64_t line = 0);
  bool report(const ReadRequest& request) const;   // reports what was bad, once; true if all were good

 private:
  const FieldSpec& field_;
  std::string file_;
  int64_t bad_ = 0, first_value_ = 0, first_record_ = 0, first_line_ = 0;
  int64_t smallest_ = INT64_MAX, largest_ = INT64_MIN;
};

}  // namespace netc
