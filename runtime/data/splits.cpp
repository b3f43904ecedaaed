#include "runtime/data/splits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/kernel/random.h"
#include "runtime/epoch_order.h"

namespace netc {
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

}  // namespace netc
