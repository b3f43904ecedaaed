// Diagnostics as text: an excerpt of the source with marks under it, then notes, the call chain and help.
#include <algorithm>
#include <map>

#include "compiler/base/diagnostics.h"
#include "compiler/base/display_text.h"

namespace netc {

namespace {

constexpr const char* kRed = "\033[1;31m";
constexpr const char* kYellow = "\033[1;33m";
constexpr const char* kBlue = "\033[1;34m";
constexpr const char* kBold = "\033[1m";
constexpr const char* kPlain = "\033[0m";
constexpr size_t kMostEditedLines = 4;

// A stretch of one line with a mark under it.
struct Mark {
  int line = 0;
  size_t begin = 0, end = 0;  // bytes within the line
  bool primary = false;
  std::string text;
};

struct Row {
  Mark mark;
  int column = 0, width = 1;
};

class TextPrinter {
 public:
  TextPrinter(const SourceMap& sources, TextOptions options) : sources_(sources), options_(options) {}

  std::string take() { return std::move(out_); }

  void print(const Diagnostic& d) {
    const bool is_error = d.severity == Severity::error;
    severity_color_ = is_error ? kRed : kYellow;
    gutter_ = gutter_width(d);
    out_ += paint(severity_color_, std::string(is_error ? "error[" : "warning[") + code_name(d.code) + "]");
    out_ += paint(kBold, ": " + d.summary) + '\n';
    if (d.span.known()) print_excerpts(d);
    for (const std::string& note : d.notes) print_note(note);
    print_chain(d);
    for (const Help& help : d.helps) print_help(help, d.span.file);
  }

 private:
  std::string paint(const char* color, const std::string& text) const {
    return options_.color ? color + text + kPlain : text;
  }
  std::string blanks(int count) const { return std::string(static_cast<size_t>(std::max(0, count)), ' '); }
  std::string margin() const { return paint(kBlue, blanks(gutter_) + " |"); }
  void numbered(int line, const std::string& text) {
    std::string number = std::to_string(line);
    number += blanks(gutter_ - static_cast<int>(number.size()));
    out_ += paint(kBlue, number + " |") + (text.empty() ? "" : " " + text) + '\n';
  }

  int line_of(Span span) const { return sources_.position(span.file, span.begin).line; }

  // Two digits, or more where a line that is shown has a longer number.
  int gutter_width(const Diagnostic& d) const {
    int last = 0;
    const auto see = [&](Span span) {
      if (span.known()) last = std::max(last, line_of(span));
    };
    see(d.span);
    for (const Label& label : d.labels) see(label.span);
    for (const Help& help : d.helps) {
      for (const auto& edits : help.alternatives) {
        for (const Edit& edit : edits) see(edit.span);
      }
    }
    return std::max(2, static_cast<int>(std::to_string(last).size()));
  }

  // A span that goes over several lines is marked on its first.
  Mark mark_of(Span span, bool primary, const std::string& text) const {
    const int number = line_of(span);
    const std::string_view line = sources_.line(span.file, number);
    const std::string_view all = sources_.text(span.file);
    const auto line_begin = static_cast<size_t>(line.data() - all.data());
    const size_t begin = std::min<size_t>(span.begin, all.size()) - line_begin;
    const size_t end = std::clamp<size_t>(span.end - line_begin, begin, std::max(begin, line.size()));
    return {number, begin, end, primary, text};
  }

  // ---- excerpts: first the file of the primary span, then the others in the order of the labels
  void print_excerpts(const Diagnostic& d) {
    std::vector<FileId> files = {d.span.file};
    for (const Label& label : d.labels) {
      const bool seen = std::find(files.begin(), files.end(), label.span.file) != files.end();
      if (label.span.known() && !seen) files.push_back(label.span.file);
    }
    for (const FileId file : files) {
      std::vector<Mark> marks;
      Span first;
      if (d.span.file == file) {
        marks.push_back(mark_of(d.span, true, d.span_label));
        first = d.span;
      }
      for (const Label& label : d.labels) {
        if (label.span.file != file) continue;
        marks.push_back(mark_of(label.span, false, label.text));
        if (!first.known()) first = label.span;
      }
      const bool is_main = file == d.span.file;
      if (!is_main) out_ += margin() + '\n';
      out_ += paint(kBlue, blanks(gutter_) + (is_main ? "--> " : "::: ")) + sources_.describe(first) + '\n';
      out_ += margin() + '\n';
      print_marked_lines(file, marks);
    }
  }

  void print_marked_lines(FileId file, const std::vector<Mark>& marks) {
    std::map<int, std::vector<Mark>> by_line;
    for (const Mark& mark : marks) by_line[mark.line].push_back(mark);
    int previous = 0;
    for (auto& [line, on_line] : by_line) {
      if (previous != 0 && line > previous + 1) out_ += "...\n";
      previous = line;
      print_marked_line(file, line, on_line);
    }
  }

  void print_marked_line(FileId file, int number, const std::vector<Mark>& marks) {
    const auto focus = std::find_if(marks.begin(), marks.end(), [](const Mark& m) { return m.primary; });
    const DisplayLine line =
        display(sources_.line(file, number), (focus == marks.end() ? marks.front() : *focus).begin);
    numbered(number, line.text);
    std::vector<Row> rows;
    for (const Mark& mark : marks) {
      const int column = line.column(mark.begin);
      rows.push_back({mark, column, std::max(1, line.column(mark.end) - column)});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.column < b.column; });
    print_marks(rows);
  }

  // The label of the last mark stands behind it, the others hang below their own, from right to left.
  void print_marks(const std::vector<Row>& rows) {
    int width = 0;
    for (const Row& row : rows) width = std::max(width, row.column + row.width);
    std::string line(static_cast<size_t>(width), ' ');
    for (const bool primary : {false, true}) {
      for (const Row& row : rows) {
        if (row.mark.primary != primary) continue;
        line.replace(static_cast<size_t>(row.column), static_cast<size_t>(row.width), static_cast<size_t>(row.width),
                     primary ? '^' : '-');
      }
    }
    std::vector<const Row*> labelled;
    for (const Row& row : rows) {
      if (!row.mark.text.empty()) labelled.push_back(&row);
    }
    if (!rows.back().mark.text.empty()) {
      line += ' ' + rows.back().mark.text;
      labelled.pop_back();
    }
    out_ += margin() + ' ' + paint_marks(line, static_cast<size_t>(width)) + '\n';
    if (labelled.empty()) return;
    out_ += margin() + ' ' + hanging(labelled, labelled.size(), {}) + '\n';
    for (size_t i = labelled.size(); i-- > 0;) {
      out_ += margin() + ' ' + hanging(labelled, i, labelled[i]->mark.text) + '\n';
    }
  }

  // `|` under the first `count` labelled marks, then `text` under the next one.
  std::string hanging(const std::vector<const Row*>& labelled, size_t count, const std::string& text) const {
    std::string line;
    const auto reach = [&](size_t i) {
      line.resize(std::max(line.size(), static_cast<size_t>(labelled[i]->column)), ' ');
    };
    for (size_t i = 0; i < count; ++i) {
      reach(i);
      if (line.size() == static_cast<size_t>(labelled[i]->column)) line += '|';
    }
    if (count < labelled.size()) {
      reach(count);
      line += text;
    }
    return line;
  }

  std::string paint_marks(const std::string& line, size_t width) const {
    if (!options_.color) return line;
    const bool has_primary = line.substr(0, width).find('^') != std::string::npos;
    return paint(has_primary ? severity_color_ : kBlue, line);
  }

  // ---- notes and the call chain
  void print_note(const std::string& note) {
    std::string text = blanks(gutter_ + 1) + "= ";
    for (const char c : note) {
      text += c;
      if (c == '\n') text += blanks(gutter_ + 3);
    }
    out_ += text + '\n';
  }

  void print_chain(const Diagnostic& d) {
    for (size_t i = 0; i < d.chain.size(); ++i) {
      const Frame& frame = d.chain[i];
      std::string text = (i == 0 ? "in " : "from ") + frame.place;
      if (!frame.values.empty()) text += " with " + frame.values;
      if (frame.call.known()) text += ", " + sources_.describe(frame.call);
      print_note(text);
    }
  }

  // ---- help, with the lines as they would be
  void print_help(const Help& help, FileId current) {
    std::string text = help.text;
    if (!help.alternatives.empty() && help.confidence == Confidence::certain) text += " (certain)";
    if (!help.alternatives.empty() && help.confidence == Confidence::guess) text += " (guess)";
    out_ += paint(kBold, "help") + ": " + text + '\n';
    for (const std::vector<Edit>& edits : help.alternatives) {
      if (!edits.empty()) print_edited(edits, current);
    }
  }

  void print_edited(std::vector<Edit> edits, FileId current) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
    const FileId file = edits.front().span.file;
    if (file == kNoFile) return;
    if (file != current) out_ += paint(kBlue, blanks(gutter_) + "::: ") + sources_.describe(edits.front().span) + '\n';
    const std::string& all = sources_.text(file);
    const int first = line_of(edits.front().span);
    const int last = sources_.position(file, edits.back().span.end).line;
    const std::string_view first_line = sources_.line(file, first), last_line = sources_.line(file, last);
    size_t at = static_cast<size_t>(first_line.data() - all.data());
    const size_t end = static_cast<size_t>(last_line.data() - all.data()) + last_line.size();
    std::string edited;
    size_t focus = 0;
    for (size_t i = 0; i < edits.size(); ++i) {
      const Edit& edit = edits[i];
      if (edit.span.begin < at) continue;
      edited.append(all, at, edit.span.begin - at);
      if (i == 0) focus = edited.size();
      edited += edit.replacement;
      at = edit.span.end;
    }
    edited.append(all, at, end > at ? end - at : 0);
    print_lines(edited, first, focus);
  }

  void print_lines(const std::string& text, int number, size_t focus) {
    size_t begin = 0;
    for (size_t shown = 0; begin <= text.size(); ++shown, ++number) {
      if (shown == kMostEditedLines) {
        out_ += "...\n";
        return;
      }
      size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line(text.data() + begin, end - begin);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      std::string shown_text = display(line, focus > begin ? focus - begin : 0).text;
      shown_text.erase(shown_text.find_last_not_of(' ') + 1);
      numbered(number, shown_text);
      begin = end + 1;
    }
  }

  const SourceMap& sources_;
  TextOptions options_;
  std::string out_;
  const char* severity_color_ = kRed;
  int gutter_ = 2;
};

}  // namespace

std::string to_text(const Diagnostics& diagnostics, TextOptions options) {
  TextPrinter printer(diagnostics.sources(), options);
  const std::vector<const Diagnostic*> records = diagnostics.sorted();
  const size_t limit = static_cast<size_t>(std::max(0, options.limit));
  std::string out;
  for (size_t i = 0; i < std::min(limit, records.size()); ++i) {
    if (i > 0) out += '\n';
    printer.print(*records[i]);
    out += printer.take();
  }
  if (records.size() > limit) out += "\n" + std::to_string(records.size() - limit) + " more not shown\n";
  return out;
}

}  // namespace netc
