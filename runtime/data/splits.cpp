#include "runtime/data/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/kernel/random.h"
#include "runtime/epoch_order.h"

namespace netc {
namespace {

std::string percent(const Part& part) { return fmt::format("{:g}% ..< {:g}%", 100 * part.begin, 100 * part.end); }

const ReaderSpec* reader_of(const DataSpec& spec, const std::string& split) {
  for (const ReaderSpec& reader : spec.splits)
    if (reader.split == split) return &reader;
  return nullptr;
}

}  // namespace

std::vector<uint32_t> choose_part(const ReaderSpec& reader, int64_t records) {
  std::vector<uint32_t> rows(static_cast<size_t>(records));
  std::iota(rows.begin(), rows.end(), 0u);
  if (reader.shuffle) shuffle_rows(rows, static_cast<uint64_t>(*reader.shuffle), 0, random_stream("data.shuffle"));
  // Both ends round alike, so that 0% ..< 80% and 80% ..< 100% share no record and leave none out.
  const int64_t begin = std::clamp<int64_t>(std::llround(reader.part.begin * static_cast<double>(records)), 0, records);
  const int64_t end = std::clamp<int64_t>(std::llround(reader.part.end * static_cast<double>(records)), begin, records);
  return {rows.begin() + begin, rows.begin() + end};
}

Split take_rows(const ReaderSpec& reader, int64_t rows_as_read, Split& from) {
  const int64_t asked = reader.take_count > 0 ? reader.take_count
                                              : std::llround(reader.take_share * static_cast<double>(rows_as_read));
  const int64_t count = std::min(asked, from.rows());
  std::vector<uint32_t> positions(from.records.size());
  std::iota(positions.begin(), positions.end(), 0u);
  shuffle_rows(positions, static_cast<uint64_t>(reader.seed), 0, random_stream("data.take"));
  std::vector<bool> taken(from.records.size());
  for (int64_t i = 0; i < count; ++i) taken[positions[static_cast<size_t>(i)]] = true;

  Split split{reader.split, from.table, {}};
  std::vector<uint32_t> left;
  for (size_t i = 0; i < taken.size(); ++i) (taken[i] ? split.records : left).push_back(from.records[i]);
  from.records = std::move(left);
  return split;
}

void check_parts(const DataSpec& spec, const std::vector<Split>& splits, Diagnostics& diagnostics) {
  for (size_t b = 0; b < splits.size(); ++b) {
    if (splits[b].table == nullptr) continue;
    const auto records = static_cast<size_t>(splits[b].table->records);
    std::vector<bool> in_b(records), anywhere(records);
    for (const uint32_t r : splits[b].records) in_b[r] = true;
    bool first_of_table = true;
    for (size_t a = 0; a < splits.size(); ++a) {
      if (splits[a].table != splits[b].table) continue;
      if (a < b) first_of_table = false;
      int64_t common = 0;
      for (const uint32_t r : splits[a].records) common += in_b[r], anywhere[r] = true;
      if (a >= b || common == 0) continue;
      const ReaderSpec *first = reader_of(spec, splits[a].name), *second = reader_of(spec, splits[b].name);
      if (first == nullptr || second == nullptr) continue;
      const Part shared{std::max(first->part.begin, second->part.begin), std::min(first->part.end, second->part.end)};
      const bool same_order = first->shuffle == second->shuffle;
      auto& error = diagnostics.error(
          Code::N0810, second->span,
          same_order ? fmt::format("parts overlap: {} is in {} and in {}", percent(shared), splits[a].name, splits[b].name)
                     : fmt::format("parts overlap: {} records are in {} and in {}", common, splits[a].name, splits[b].name));
      error.label(first->span, "the other part");
      if (!same_order) error.help("give both the same `shuffle`: parts are cut after the file is shuffled");
    }
    const auto unused = std::count(anywhere.begin(), anywhere.end(), false);
    const ReaderSpec* reader = reader_of(spec, splits[b].name);
    if (first_of_table && unused > 0 && reader != nullptr && reader->reader == "csv")
      diagnostics.warning(Code::W1114, reader->span,
                          fmt::format("{} of the {} records of the file are in no split", unused, records));
  }
}

}  // namespace netc
