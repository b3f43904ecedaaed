// What the author of a file did wrong, as records. A stage reports into one Diagnostics and goes on; nothing throws.
// to_text and to_json print the records.
//
//   diagnostics.error(Code::N0201, use.span, "no value called `hiden` here", "not declared")
//       .label(let.span, "this one is close")
//       .note("names here: hidden, image")
//       .fix("did you mean `hidden`?", use.span, "hidden", Confidence::guess);
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/base/source.h"

namespace netc {

enum class Severity : uint8_t { error, warning };

// One enumerator per line of diagnostic_codes.def, so that a code that is not in the table does not compile.
enum class Code : uint16_t {
#define NETC_CODE(code, title) code,
#include "compiler/base/diagnostic_codes.def"
#undef NETC_CODE
};
const char* code_name(Code code);   // "N0401"
const char* code_title(Code code);  // "`{op}` needs equal shapes"

// How sure a help is. `certain`: `netc fix` may apply it. `guess`: likely. `choice`: the author has to decide.
enum class Confidence : uint8_t { certain, guess, choice };

// Replace the text of `span` (empty span: insert) by `replacement`.
struct Edit {
  Span span;
  std::string replacement;
};

// A second place that matters, with a word on why.
struct Label {
  Span span;
  std::string text;
};

// One level of "block inside block inside net", innermost first.
struct Frame {
  std::string place;   // "block `basic`", "net `resnet20`"
  std::string values;  // "filters = 32, stride = 2"; may be empty
  Span call;           // where, in this frame, the next inner frame was called; unknown for the innermost
};

// A way out. Each alternative is a set of edits that belong together; none means advice in words only.
struct Help {
  std::string text;
  Confidence confidence = Confidence::choice;
  std::vector<std::vector<Edit>> alternatives;
};

struct Diagnostic {
  Severity severity = Severity::error;
  Code code{};
  std::string summary;        // stands alone in one line, in the user's words
  Span span;                  // the thing to change
  std::string span_label;     // printed behind the carets; may be empty
  std::vector<Label> labels;  // second places, also in other files
  std::vector<std::string> notes;
  std::vector<Frame> chain;
  std::vector<Help> helps;

  Diagnostic& label(Span where, std::string text);
  Diagnostic& note(std::string text);  // may hold line breaks
  Diagnostic& from(std::vector<Frame> frames);
  Diagnostic& help(std::string text);  // advice in words
  Diagnostic& fix(std::string text, Span where, std::string replacement, Confidence confidence);
  Diagnostic& fix(std::string text, std::vector<Edit> edits, Confidence confidence);
  // Several ways to write the same place, of which the author has to choose one.
  Diagnostic& choose(std::string text, Span where, const std::vector<std::string>& replacements);
};

// All records of one compilation. A second report of the same code at the same known place is dropped (one mistake,
// one message: a block used ten times fails once). Warnings are silenced by a comment `// netc: allow W1106` on the
// line of their span. All are counted, but no more than the first kMostRecords are kept.
class Diagnostics {
 public:
  static constexpr size_t kMostRecords = 1000;

  explicit Diagnostics(const SourceMap& sources) : sources_(&sources) {}

  // Add to the record at once, in one chain of calls: what is added to a dropped or silenced one goes nowhere.
  Diagnostic& error(Code code, Span span, std::string summary, std::string span_label = {});
  Diagnostic& warning(Code code, Span span, std::string summary, std::string span_label = {});

  bool has_errors() const { return error_count_ > 0; }
  int error_count() const { return error_count_; }
  int warning_count() const { return warning_count_; }
  bool empty() const { return records_.empty(); }

  // In file order: by file (in the order they were read), then by place; without a place first.
  std::vector<const Diagnostic*> sorted() const;
  const SourceMap& sources() const { return *sources_; }

 private:
  Diagnostic& add(Severity severity, Code code, Span span, std::string summary, std::string span_label);
  bool is_silenced(Code code, Span span) const;

  const SourceMap* sources_;
  std::deque<Diagnostic> records_;
  std::set<std::tuple<Code, FileId, uint32_t, uint32_t>> reported_;
  Diagnostic dropped_;
  int error_count_ = 0;
  int warning_count_ = 0;
};

// Text in the form of the language page, at most `limit` records. Empty if there is nothing to say.
struct TextOptions {
  bool color = false;
  int limit = 20;
};
std::string to_text(const Diagnostics& diagnostics, TextOptions options = {});

// A JSON array of all records: severity, code, message, file, line, column, end_line, end_column, labels, notes, chain,
// help, edits. Lines and columns from 1; ends are exclusive; columns count code points.
std::string to_json(const Diagnostics& diagnostics);

}  // namespace netc
