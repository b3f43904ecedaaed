#include "runtime/data/dataset.h"

#include <fmt/format.h>

#include <map>

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
std::string csv_key(const ReaderSpec& reader) {
  const std::string file = reader.files.empty() ? "" : reader.files.front().second;
  return fmt::format("{}\n{}\n{}\n{}", file, reader.header, reader.separator, reader.missing);
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
  std::map<std::string, std::shared_ptr<const Table>> csv_tables;
  std::map<std::string, int64_t> rows_as_read;
  bool sound = true;

  for (const ReaderSpec& reader : spec.splits) {
    if (reader.reader == "take") continue;
    const ReadRequest request{spec, reader, root, diagnostics, data.remarks};
    std::shared_ptr<const Table> table;
    if (reader.reader == "csv") {
      const auto [known, is_new] = csv_tables.try_emplace(csv_key(reader));
      if (is_new) known->second = read_table(request);
      table = known->second;
    } else {
      table = read_table(request);
    }
    sound = sound && table != nullptr;
    if (table == nullptr) continue;
    Split split{reader.split, table, choose_part(reader, table->records)};
    rows_as_read[split.name] = split.rows();
    data.splits.push_back(std::move(split));
  }
  if (!sound) return data;   // what follows would only repeat what is already said

  check_parts(spec, data.splits, diagnostics);
  for (const ReaderSpec& reader : spec.splits) {
    if (reader.reader != "take") continue;
    Split* from = nullptr;
    for (Split& split : data.splits)
      if (split.name == reader.take_from) from = &split;
    if (from == nullptr) {
      diagnostics.error(Code::N0801, reader.span, fmt::format("`{}` is not a split with a file of its own", reader.take_from));
      continue;
    }
    Split taken = take_rows(reader, rows_as_read[reader.take_from], *from);
    data.splits.push_back(std::move(taken));
  }
  for (const Split& split : data.splits)
    for (const ReaderSpec& reader : spec.splits)
      if (reader.split == split.name && split.rows() == 0) report_empty(reader, split, diagnostics);
  if (diagnostics.has_errors()) return data;

  if (const Split* train = data.split("train")) data.constants = standardize_constants(spec, *train);
  return data;
}

}  // namespace netc
