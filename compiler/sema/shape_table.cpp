// The table of `check --shapes`.
#include <algorithm>
#include <cstdio>

#include "compiler/sema/analyze.h"

namespace netc {
namespace {

// "[B, 28, 28, 1]", and the element type where it is not f32: "u8[B, 4]", "class(10)[B]".
std::string short_type(const TensorType& type) {
  const std::string text = to_string(type);
  return type.dtype == DType::f32 && type.classes == 0 && text.starts_with("f32[") ? text.substr(3) : text;
}

std::string short_types(const std::vector<TensorType>& types) {
  std::string text;
  for (const TensorType& type : types) text += (text.empty() ? "" : ", ") + short_type(type);
  return text;
}

std::string with_commas(int64_t value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<size_t>(at), ",");
  return text;
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

struct Line {
  std::string label, in, out, weights;
};

// Where the rows under `row` end.
size_t end_of(const std::vector<ShapeRow>& rows, size_t row) {
  size_t end = row + 1;
  while (end < rows.size() && rows[end].depth > rows[row].depth) ++end;
  return end;
}

bool is_copy(const ShapeRow& row) { return row.kind.empty() && !row.name.empty(); }

bool same_rows(const std::vector<ShapeRow>& rows, size_t a, size_t b) {
  const size_t size = end_of(rows, a) - a;
  if (end_of(rows, b) - b != size) return false;
  for (size_t i = 0; i < size; ++i) {
    const ShapeRow &x = rows[a + i], &y = rows[b + i];
    const bool names_agree = i == 0 || x.name == y.name;
    if (!names_agree || x.depth != y.depth || x.kind != y.kind || x.in != y.in || x.out != y.out || x.weights != y.weights ||
        x.needed != y.needed)
      return false;
  }
  return true;
}

// Copies of a repeat that are alike in a row are shown once, as "1 .. 5".
std::vector<ShapeRow> joined_copies(const std::vector<ShapeRow>& rows) {
  std::vector<ShapeRow> result;
  for (size_t at = 0; at < rows.size();) {
    result.push_back(rows[at]);
    size_t next = at + 1;
    if (is_copy(rows[at])) {
      size_t last = at, after = end_of(rows, at);
      while (after < rows.size() && rows[after].depth == rows[at].depth && is_copy(rows[after]) && same_rows(rows, at, after)) {
        last = after;
        after = end_of(rows, after);
      }
      if (last != at) {
        result.back().name += (rows[last].name == std::to_string(std::stoll(rows[at].name) + 1) ? ", " : " .. ") + rows[last].name;
        const std::vector<ShapeRow> inner(rows.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                          rows.begin() + static_cast<std::ptrdiff_t>(end_of(rows, at)));
        for (ShapeRow& row : joined_copies(inner)) result.push_back(std::move(row));
        next = after;
      }
    }
    at = next;
  }
  return result;
}

const char* times(int slots) {
  switch (slots) {
    case 1: return " keeps as much again";
    case 2: return " keeps twice as much again";
    case 3: return " keeps three times as much again";
    default: return " keeps nothing besides";
  }
}

}  // namespace

std::string to_text(const ShapeTable& full) {
  ShapeTable table = full;
  table.rows = joined_copies(full.rows);
  // Names stand before kinds. Stages before the first named one of a body take the place of the name.
  size_t name_width = 0;
  for (const ShapeRow& row : table.rows)
    if (row.needed) name_width = std::max(name_width, row.name.empty() ? 0 : row.name.size() + 2 * static_cast<size_t>(row.depth));
  std::vector<bool> named_before(1, false);
  std::vector<bool> stands_first(table.rows.size(), false);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ShapeRow& row = table.rows[i];
    if (!row.needed) continue;
    const size_t depth = static_cast<size_t>(row.depth);
    named_before.resize(depth + 1, false);   // a deeper body starts afresh
    if (!row.name.empty()) named_before[depth] = true;
    stands_first[i] = row.name.empty() && !named_before[depth];
    if (stands_first[i] && row.kind.find(' ') == std::string::npos) name_width = std::max(name_width, row.kind.size() + 2 * depth);
  }
  std::vector<Line> lines;
  size_t label_width = table.net.size(), type_width = 0, weight_width = std::string("weights").size();
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ShapeRow& row = table.rows[i];
    if (!row.needed) continue;
    const std::string indent(2 + 2 * static_cast<size_t>(row.depth), ' ');
    const size_t width = name_width - std::min(name_width, 2 * static_cast<size_t>(row.depth));
    Line line;
    line.label = indent + (stands_first[i] ? row.kind : padded(row.name, width) + (row.kind.empty() ? "" : " " + row.kind));
    line.in = short_types(row.in);
    line.out = short_types(row.out);
    line.weights = with_commas(row.weights);
    label_width = std::max(label_width, line.label.size());
    type_width = std::max({type_width, line.in.size(), line.out.size()});
    weight_width = std::max(weight_width, line.weights.size());
    lines.push_back(std::move(line));
  }
  const auto print = [&](const Line& line) {
    std::string text = padded(line.label, label_width + 4) + padded(line.in, type_width + 3) + padded(line.out, type_width + 1) +
                       std::string(weight_width - std::min(weight_width, line.weights.size()), ' ') + line.weights;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = print({table.net, "in", "out", "weights"});
  for (const Line& line : lines) text += print(line);
  char mib[32];
  const double bytes = static_cast<double>(table.weights) * 4;
  std::snprintf(mib, sizeof mib, bytes >= 1048576 ? "%.1f MiB" : "%.1f KiB", bytes >= 1048576 ? bytes / 1048576 : bytes / 1024);
  text += with_commas(table.weights) + " weights (" + mib + " in f32)";
  if (!table.optimizer.empty()) text += "; " + table.optimizer + times(table.optimizer_slots);
  return text + "\n";
}

}  // namespace netc
