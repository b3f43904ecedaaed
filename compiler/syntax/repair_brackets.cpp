// Pairs the brackets. A statement or declaration keyword inside a bracket that cannot hold one shows that the bracket
// was not closed; that is found here rather than by the grammar, which would notice much later.
#include <algorithm>
#include <optional>

#include "compiler/syntax/repair.h"

namespace netc::syntax {

namespace {

constexpr size_t kNone = static_cast<size_t>(-1);
constexpr size_t kLookAhead = 20'000;  // tokens; keeps the work linear in whatever text
constexpr size_t kMostHoists = 20;
constexpr size_t kMostCrooked = 64;

class BracketRepair {
 public:
  BracketRepair(TokenList& list, Diagnostics& diagnostics)
      : list_(list), in_(std::move(list.tokens)), diagnostics_(diagnostics) {}

  void run() {
    out_.reserve(in_.size());
    pair_all();
    while (!hoisted_.empty()) {
      in_ = std::move(hoisted_);
      hoisted_.clear();
      pair_all();
    }
    list_.tokens = std::move(out_);
  }

 private:
  struct Pair {
    size_t open, close;
  };

  void pair_all() {
    find_lines();
    crooked_.clear();
    for (at_ = 0; at_ < in_.size(); ++at_) {
      const TokenKind kind = in_[at_].kind;
      if (!open_.empty() && starts_declaration(in_, at_) && hoist_or_close()) continue;
      if (!open_.empty() && starts_statement(in_, at_)) close_down_to_body();
      if (kind == TokenKind::BRACE_OPEN) close_header();
      if (is_opening(kind)) {
        push_open();
      } else if (is_closing(kind) && !close(kind)) {
        continue;
      }
      out_.push_back(in_[at_]);
    }
    while (!open_.empty()) close_missing(in_.size(), "the file ends here");
  }

  // ---- the open brackets, as indices into in_
  TokenKind kind_of(size_t open) const { return in_[open].kind; }
  size_t& count_of(TokenKind kind) {
    return open_count_[kind == TokenKind::BRACE_OPEN ? 0 : kind == TokenKind::PAREN_OPEN ? 1 : 2];
  }
  void push_open() {
    open_.push_back(at_);
    ++count_of(in_[at_].kind);
  }
  size_t pop_open() {
    const size_t open = open_.back();
    open_.pop_back();
    --count_of(kind_of(open));
    return open;
  }

  // Puts the closing bracket of the innermost open one behind what was written last. `missed` is where it was noticed.
  void close_missing(size_t missed, const std::string& label) {
    const size_t open = pop_open();
    const TokenKind kind = kind_of(open);
    const TokenKind closing = closing_of(kind);
    const Pair* culprit = kind == TokenKind::BRACE_OPEN ? badly_indented(open) : nullptr;
    const Token& at = in_[culprit ? culprit->open : open];
    const bool whole_body = open_.empty() && kind == TokenKind::BRACE_OPEN && !culprit;
    const Token closer = inserted(closing, out_, out_.size() - 1);
    const std::string text =
        kind == TokenKind::BRACE_OPEN ? std::string("\n") + fixed_spelling(closing) : fixed_spelling(closing);
    Diagnostic& record = diagnostics_.error(Code::N0104, list_.span(at),
                                            std::string("this `") + fixed_spelling(kind) + "` is never closed");
    if (culprit) {
      record.label(list_.span(in_[culprit->close]), "this `}` stands where another one would");
    } else if (missed < in_.size()) {
      record.label(list_.span(in_[missed]), label);
    } else {
      record.note(label);
    }
    if (!culprit) {
      record.fix(std::string("close it with `") + fixed_spelling(closing) + "`", list_.span(closer), text,
                 whole_body ? Confidence::certain : Confidence::guess);
    }
    if (!whole_body) list_.damage.push_back(at.begin);
    out_.push_back(closer);
  }

  // `f([1, 2)`: what was opened inside is closed first. A bracket that closes nothing is reported and left out.
  bool close(TokenKind kind) {
    if (count_of(opening_of(kind)) == 0) {
      report_extra(kind);
      return false;
    }
    while (kind_of(open_.back()) != opening_of(kind)) close_missing(at_, "it should end before this");
    if (kind == TokenKind::BRACE_CLOSE) {
      remember_indentation(open_.back());
      if (open_.size() == 1 && closes_too_early()) return false;
    }
    pop_open();
    return true;
  }

  void report_extra(TokenKind kind) {
    const bool goes_on = extra_ == at_ && at_ > 0;  // several in a row are one mistake
    extra_ = at_ + 1;
    if (goes_on) return;
    const std::string partner = fixed_spelling(opening_of(kind));
    diagnostics_
        .error(Code::N0101, list_.span(in_[at_]),
               "expected `" + partner + "` somewhere before, found only `" + fixed_spelling(kind) + "`")
        .fix("remove it", list_.span(in_[at_]), "", Confidence::guess);
  }

  // A body that ends although more of its statements and another `}` follow: this `}` is the one too many.
  bool closes_too_early() {
    if (!starts_statement(in_, at_ + 1) || in_[at_ + 1].kind == TokenKind::KW_ASSERT) return false;
    int depth = 0;
    for (size_t i = at_ + 1; i < std::min(in_.size(), at_ + kLookAhead); ++i) {
      if (depth == 0 && starts_declaration(in_, i)) return false;
      if (is_opening(in_[i].kind)) ++depth;
      if (!is_closing(in_[i].kind)) continue;
      if (depth == 0 && in_[i].kind == TokenKind::BRACE_CLOSE) {
        diagnostics_
            .error(Code::N0101, list_.span(in_[at_]), "expected a statement, found `}`", "this closes too early")
            .label(list_.span(in_[at_ + 1]), "what follows belongs inside")
            .fix("remove it", list_.span(in_[at_]), "", Confidence::guess);
        return true;
      }
      if (depth > 0) --depth;
    }
    return false;
  }

  // A statement can stand only directly in the body of a declaration.
  void close_down_to_body() {
    while (!open_.empty()) {
      const bool is_body = open_.size() == 1 && kind_of(open_.back()) == TokenKind::BRACE_OPEN;
      const bool is_nested_body =
          open_.size() == 2 && kind_of(open_.back()) == TokenKind::BRACE_OPEN && in_header(open_.front());
      if (is_body || is_nested_body) return;
      close_missing(at_, "it should end before this");
    }
  }

  // `block f(x: tensor {`
  void close_header() {
    if (open_.size() == 1 && in_header(open_.back())) close_missing(at_, "it should end before this");
  }
  bool in_header(size_t open) const {
    if (kind_of(open) != TokenKind::PAREN_OPEN || open < 2) return false;
    const TokenKind word = in_[open - 2].kind;
    return word == TokenKind::KW_BLOCK || word == TokenKind::KW_NET;
  }

  // A declaration inside brackets: either something before it was not closed, or it was written inside a body.
  // Returns true if its tokens were taken away.
  bool hoist_or_close() {
    const std::optional<size_t> end = hoists_ < kMostHoists ? end_if_nested() : std::nullopt;
    if (!end) {
      while (!open_.empty()) close_missing(at_, "it should end before this");
      return false;
    }
    diagnostics_
        .error(Code::N0101, list_.span(in_[at_]),
               "expected a statement, found `" + std::string(list_.spelling(in_[at_])) + "`")
        .help("`const`, `param`, `data`, `block`, `net`, `train` and `plan` stand side by side at the top of the file");
    ++hoists_;
    while (at_ < *end) hoisted_.push_back(in_[at_++]);
    --at_;
    return true;
  }

  // If the body around this declaration is closed further on, the end of the declaration.
  std::optional<size_t> end_if_nested() const {
    const bool has_braces = in_[at_].kind != TokenKind::KW_CONST && in_[at_].kind != TokenKind::KW_PARAM;
    int depth = 0;
    size_t end = kNone;
    for (size_t i = at_ + 1; i < std::min(in_.size(), at_ + kLookAhead); ++i) {
      if (depth == 0 && (starts_declaration(in_, i) || (end == kNone && !has_braces && starts_statement(in_, i)))) {
        if (end == kNone && !has_braces) end = i;
        if (starts_declaration(in_, i) && has_braces) return std::nullopt;
      }
      if (is_opening(in_[i].kind)) ++depth;
      if (!is_closing(in_[i].kind)) continue;
      if (--depth < 0) return end == kNone ? std::optional<size_t>(i) : std::optional<size_t>(end);
      if (has_braces && end == kNone && depth == 0 && in_[i].kind == TokenKind::BRACE_CLOSE) end = i + 1;
    }
    return std::nullopt;
  }

  // ---- indentation: when a `{` is left over, a pair inside it whose `}` stands at another column is the better guess
  struct Line {
    uint32_t first = 0;        // the first token on it
    uint32_t indentation = 0;  // bytes before that
  };

  void find_lines() {
    lines_.clear();
    line_of_.clear();
    uint32_t previous_end = 0;
    for (uint32_t i = 0; i < in_.size(); ++i) {
      const std::string_view gap = list_.text.substr(previous_end, in_[i].begin - previous_end);
      const size_t line_break = gap.find_last_of("\r\n");
      if (i == 0 || line_break != std::string_view::npos) {
        const size_t before = line_break == std::string_view::npos ? gap.size() : gap.size() - line_break - 1;
        lines_.push_back({i, static_cast<uint32_t>(before)});
      }
      line_of_.push_back(static_cast<uint32_t>(lines_.size() - 1));
      previous_end = in_[i].end;
    }
  }
  uint32_t indentation(size_t token) const { return lines_[line_of_[token]].indentation; }

  void remember_indentation(size_t open) {
    const bool is_first_on_line = lines_[line_of_[at_]].first == at_;
    if (!is_first_on_line || line_of_[open] == line_of_[at_] || indentation(open) == indentation(at_)) return;
    if (crooked_.size() < kMostCrooked) crooked_.push_back({open, at_});
  }
  const Pair* badly_indented(size_t open) const {
    for (auto pair = crooked_.rbegin(); pair != crooked_.rend(); ++pair) {
      if (pair->open > open && indentation(pair->close) == indentation(open)) return &*pair;
    }
    return nullptr;
  }

  TokenList& list_;
  std::vector<Token> in_;
  Diagnostics& diagnostics_;
  std::vector<Token> out_, hoisted_;
  std::vector<size_t> open_;
  size_t open_count_[3] = {0, 0, 0};
  std::vector<Pair> crooked_;
  std::vector<Line> lines_;
  std::vector<uint32_t> line_of_;
  size_t hoists_ = 0;
  size_t extra_ = kNone;  // behind the last bracket that closes nothing
  size_t at_ = 0;
};

}  // namespace

void repair_brackets(TokenList& list, Diagnostics& diagnostics) {
  BracketRepair(list, diagnostics).run();
}

}  // namespace netc::syntax
