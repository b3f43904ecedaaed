#include "compiler/base/display_text.h"

#include <algorithm>

namespace netc {

namespace {

constexpr int kTabWidth = 4;
constexpr size_t kLongestLine = 240, kShownBefore = 60, kShownAfter = 120;  // bytes
constexpr std::string_view kLeftOut = "...";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Range {
  int32_t first, last;
};
// The blocks that terminals draw two columns wide, and the marks drawn over the character before them.
constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
constexpr Range kNoWidth[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069},
                              {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}};

template <size_t N>
bool lies_in(int32_t c, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return c >= r.first && c <= r.last; });
}

// Characters that would disturb the terminal or reorder the line are shown as replacements.
bool is_printable(int32_t c) {
  const bool reorders = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return c >= 0x20 && c != 0x7F && !(c >= 0x80 && c < 0xA0) && !reorders;
}

int width_of(int32_t c) {
  if (lies_in(c, kNoWidth)) return 0;
  return lies_in(c, kWide) ? 2 : 1;
}

}  // namespace

int32_t decode_utf8(std::string_view text, size_t at, size_t* length) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  *length = 1;
  const unsigned char lead = byte(at);
  if (lead < 0x80) return lead;
  const size_t count = lead >= 0xF0 && lead < 0xF5   ? 4
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xC2 && lead < 0xE0 ? 2
                                                     : 0;
  if (count == 0 || at + count > text.size()) return -1;
  int32_t c = lead & (0x7F >> count);
  for (size_t i = 1; i < count; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return -1;
    c = (c << 6) | (byte(at + i) & 0x3F);
  }
  const bool too_long = (count == 3 && c < 0x800) || (count == 4 && c < 0x10000);
  if (too_long || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return -1;
  *length = count;
  return c;
}

DisplayLine display(std::string_view line, size_t focus) {
  size_t begin = 0, end = line.size();
  if (line.size() > kLongestLine) {
    const auto to_code_point = [&](size_t at) {
      while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80) --at;
      return at;
    };
    focus = std::min(focus, line.size());
    begin = to_code_point(focus - std::min(focus, kShownBefore));
    end = to_code_point(std::min(line.size(), focus + kShownAfter));
  }
  DisplayLine out;
  out.first_byte = begin;
  out.columns.reserve(end - begin + 1);
  if (begin > 0) out.text = kLeftOut;
  int column = static_cast<int>(out.text.size());
  for (size_t i = begin; i < end;) {
    size_t length = 1;
    const int32_t c = decode_utf8(line, i, &length);
    for (size_t k = 0; k < length; ++k) out.columns.push_back(column);
    if (c == '\t') {
      const int blanks = kTabWidth - column % kTabWidth;
      out.text.append(static_cast<size_t>(blanks), ' ');
      column += blanks;
    } else if (c < 0 || !is_printable(c)) {
      out.text += kReplacement;
      column += 1;
    } else {
      out.text += line.substr(i, length);
      column += width_of(c);
    }
    i += length;
  }
  out.columns.push_back(column);
  if (end < line.size()) out.text += kLeftOut;
  return out;
}

}  // namespace netc
