#include "compiler/base/source.h"

#include <algorithm>

namespace netc {

Span cover(Span a, Span b) {
  if (!a.known()) return b;
  if (!b.known() || a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceMap::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}};
  for (size_t i = 0; i < file.text.size(); ++i) {
    const bool lone_return = file.text[i] == '\r' && (i + 1 == file.text.size() || file.text[i + 1] != '\n');
    if (file.text[i] == '\n' || lone_return) file.line_starts.push_back(static_cast<uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return static_cast<FileId>(files_.size() - 1);
}

Position SourceMap::position(FileId file, uint32_t offset) const {
  const File& f = files_.at(static_cast<size_t>(file));
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(f.text.size()));
  const auto next = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
  const auto line = static_cast<size_t>(next - f.line_starts.begin());
  int column = 1;
  for (uint32_t i = f.line_starts[line - 1]; i < offset; ++i) {
    const bool continuation_byte = (static_cast<unsigned char>(f.text[i]) & 0xC0) == 0x80;
    if (!continuation_byte) ++column;
  }
  return {static_cast<int>(line), column};
}

std::string_view SourceMap::text(Span span) const {
  if (!span.known()) return {};
  const std::string& all = text(span.file);
  const size_t begin = std::min<size_t>(span.begin, all.size());
  const size_t end = std::clamp<size_t>(span.end, begin, all.size());
  return std::string_view(all).substr(begin, end - begin);
}

std::string_view SourceMap::line(FileId file, int line) const {
  const File& f = files_.at(static_cast<size_t>(file));
  if (line < 1 || line > static_cast<int>(f.line_starts.size())) return {};
  const size_t begin = f.line_starts[static_cast<size_t>(line - 1)];
  size_t end = line < static_cast<int>(f.line_starts.size()) ? f.line_starts[static_cast<size_t>(line)] : f.text.size();
  while (end > begin && (f.text[end - 1] == '\n' || f.text[end - 1] == '\r')) --end;
  return std::string_view(f.text).substr(begin, end - begin);
}

int SourceMap::line_count(FileId file) const {
  return static_cast<int>(files_.at(static_cast<size_t>(file)).line_starts.size());
}

std::string SourceMap::describe(Span span) const {
  if (!span.known()) return {};
  const Position p = position(span.file, span.begin);
  return path(span.file) + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

}  // namespace netc
