// Source text and places in it. Every AST node, graph node, kernel and diagnostic carries a Span, copied along from
// stage to stage, so that a fault found deep in the compiler still points at the user's line.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace netc {

using FileId = int32_t;
inline constexpr FileId kNoFile = -1;

// A half-open range of bytes [begin, end) of one file. `file == kNoFile` means "no place" (made by the compiler).
struct Span {
  FileId file = kNoFile;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool known() const { return file != kNoFile; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both (of the same file); a if b is unknown and the other way round.
Span cover(Span a, Span b);

// A position for people: line and column from 1, the column counted in code points.
struct Position {
  int line = 0;
  int column = 0;
};

// All files of one compilation. Paths are kept as the user wrote them (relative to the including file's folder).
class SourceMap {
 public:
  FileId add(std::string path, std::string text);
  const std::string& path(FileId file) const { return files_.at(static_cast<size_t>(file)).path; }
  const std::string& text(FileId file) const { return files_.at(static_cast<size_t>(file)).text; }
  size_t size() const { return files_.size(); }

  Position position(FileId file, uint32_t offset) const;
  std::string_view text(Span span) const;               // the spelling of a span; empty if unknown
  std::string_view line(FileId file, int line) const;   // one line without its end; lines count from 1
  int line_count(FileId file) const;
  std::string describe(Span span) const;                // "mnist_mlp.net:33:14"; "" if unknown

 private:
  struct File {
    std::string path;
    std::string text;
    std::deque<uint32_t> line_starts;
  };
  std::deque<File> files_;  // deque: string_views into the text stay valid when files are added
};

}  // namespace netc
