#include "runtime/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>

#include "compiler/base/diagnostics.h"
#include "compiler/base/errors.h"
#include "runtime/data/reader.h"
#include "runtime/data/splits.h"
#include "runtime/data/standardize.h"

namespace netc {
namespace {

std::shared_ptr<const Table> read_table(const ReadRequest& request) {
  const std::string& reader = request.reader.reader;
  if (reader == "idx") return read_idx(request);
  if (reader == "csv") return read_csv(request);
  if (reader == "npy") return read_npy(request);
  if (reader == "synthetic") return make_synthetic(request);
  throw InternalError("a reader the runtime does not know: " + reader);
}

// Two splits of one csv file read it once.
bool is_same_table(const ReaderSpec& a, const ReaderSpec& b) {
  return a.reader == "csv" && b.reader == "csv" && !a.files.empty() && !b.files.empty() &&
         a.files.front().second == b.files.front().second && a.header == b.header && a.separator == b.separator &&
         a.missing == b.missing;
}

// A table that is being read by a thread of its own, which reports into records of its own.
struct TableReading {
  const ReaderSpec* reader = nullptr;
  Diagnostics diagnostics;
  std::vector<std::string> remarks;
  std::future<std::shared_ptr<const Table>> table;
};

void copy_records(const Diagnostics& from, Diagnostics& to) {
  for (const Diagnostic* record : from.sorted()) {
    Diagnostic& copy = record->severity == Severity::error
                           ? to.error(record->code, record->span, record->summary, record->span_label)
                           : to.warning(record->code, record->span, record->summary, record->span_label);
    copy.labels = record->labels;
    copy.notes = record->notes;
    copy.helps = record->helps;
  }
}

void take_splits(const DataSpec& spec, Dataset& data) {
  std::vector<int64_t> rows_as_read;
  for (const Split& split : data.splits) rows_as_read.push_back(split.rows());
  for (const ReaderSpec& reader : spec.splits) {
    if (reader.reader != "take") continue;
    size_t from = 0;
    while (from < rows_as_read.size() && data.splits[from].name != reader.take_from) ++from;
    if (from == rows_as_read.size()) throw InternalError("take from " + reader.take_from + ", which is not a split of files");
    Split taken = take_rows(reader, rows_as_read[from], data.splits[from]);
    data.splits.push_back(std::move(taken));
  }
}

void report_empty(const ReaderSpec& reader, const Split& split, Diagnostics& diagnostics) {
  auto& error = diagnostics.error(Code::N0811, reader.span, fmt::format("split `{}` is empty", split.name));
  if (split.table != nullptr) error.note(fmt::format("{} holds {} records", split.table->origin, split.table->records));
}

}  // namespace

const Column* Split::column(const std::string& field) const {
  for (const Column& column : table->columns)
    if (column.field == field) return &column;
  return nullptr;
}

const Split* Dataset::split(const std::string& split_name) const {
  for (const Split& split : splits)
    if (split.name == split_name) return &split;
  return nullptr;
}

int64_t Dataset::bytes() const {
  int64_t total = 0;
  for (size_t i = 0; i < splits.size(); ++i) {
    total += static_cast<int64_t>(splits[i].records.capacity() * sizeof(uint32_t));
    bool counted = splits[i].table == nullptr;
    for (size_t j = 0; j < i; ++j) counted = counted || splits[j].table == splits[i].table;
    if (counted) continue;
    for (const Column& column : splits[i].table->columns) total += static_cast<int64_t>(column.bytes.capacity());
  }
  return total;
}

Dataset open_dataset(const DataSpec& spec, const DataRoot& root, Diagnostics& diagnostics) {
  Dataset data;
  data.name = spec.name;
  data.root = std::filesystem::absolute(root.path).lexically_normal().string();

  std::vector<TableReading> readings;   // one a table, in the order of the splits that want them
  std::vector<std::pair<const ReaderSpec*, size_t>> wanted;
  for (const ReaderSpec& reader : spec.splits) {
    if (reader.reader == "take") continue;
    const auto same = std::find_if(readings.begin(), readings.end(), [&](const auto& r) { return is_same_table(*r.reader, reader); });
    wanted.emplace_back(&reader, static_cast<size_t>(same - readings.begin()));
    if (same == readings.end()) readings.push_back({&reader, Diagnostics(diagnostics.sources()), {}, {}});
  }
  for (TableReading& reading : readings)
    reading.table = std::async(std::launch::async, [&] {
      return read_table({spec, *reading.reader, root, reading.diagnostics, reading.remarks});
    });
  std::vector<std::shared_ptr<const Table>> tables;
  for (TableReading& reading : readings) tables.push_back(reading.table.get());
  for (const TableReading& reading : readings) {
    copy_records(reading.diagnostics, diagnostics);
    data.remarks.insert(data.remarks.end(), reading.remarks.begin(), reading.remarks.end());
  }
  if (std::find(tables.begin(), tables.end(), nullptr) != tables.end()) return data;   // what follows would only repeat it

  for (const auto& [reader, number] : wanted)
    data.splits.push_back({reader->split, tables[number], choose_part(*reader, tables[number]->records)});
  take_splits(spec, data);
  for (const Split& split : data.splits)
    for (const ReaderSpec& reader : spec.splits)
      if (reader.split == split.name && split.rows() == 0) report_empty(reader, split, diagnostics);
  if (diagnostics.has_errors()) return data;

  if (const Split* train = data.split("train")) data.constants = standardize_constants(spec, *train);
  return data;
}

}  // namespace netc
