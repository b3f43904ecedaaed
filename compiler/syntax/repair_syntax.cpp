// What the grammar cannot read. At the token that does not fit, repairs are tried in the order of how likely they are:
// each is a small edit of the list of tokens and the diagnostic that says so. The first one that lets the grammar read
// well past the place is what the author meant; if none does, the smallest piece that can be left out is left out.
#include <algorithm>
#include <functional>
#include <limits>

#include "compiler/base/text_distance.h"
#include "compiler/syntax/parse_steps.h"
#include "compiler/syntax/repair.h"
#include "compiler/syntax/token_context.h"

namespace netc::syntax {

namespace {

constexpr size_t kNone = TokenContext::kNone;
constexpr size_t kFar = 6;                 // tokens read past a repair that make it sure
constexpr int kMostReports = 50;           // then the rest of the file is not read
constexpr int64_t kTokenBudget = 2'000'000;  // tokens read in trials, for one file
constexpr size_t kGroupTokens = 256;
constexpr size_t kMostDamage = 1000;       // then the file as a whole is marked

struct ForeignWord {
  const char* word;
  TokenKind meant;
};
// Words for declarations in other languages.
const std::vector<ForeignWord> kForeignDeclarations = {
    {"model", TokenKind::KW_NET},      {"network", TokenKind::KW_NET},   {"graph", TokenKind::KW_NET},
    {"dataset", TokenKind::KW_DATA},   {"datasets", TokenKind::KW_DATA}, {"module", TokenKind::KW_BLOCK},
    {"layer", TokenKind::KW_BLOCK},    {"function", TokenKind::KW_BLOCK}, {"def", TokenKind::KW_BLOCK},
    {"class", TokenKind::KW_BLOCK},    {"training", TokenKind::KW_TRAIN}, {"trainer", TokenKind::KW_TRAIN},
    {"fit", TokenKind::KW_TRAIN},      {"parameter", TokenKind::KW_PARAM}, {"constant", TokenKind::KW_CONST},
    {"let", TokenKind::KW_CONST},      {"var", TokenKind::KW_CONST},      {"import", TokenKind::KW_USE},
    {"include", TokenKind::KW_USE},    {"towers", TokenKind::KW_PLAN},    {"strategy", TokenKind::KW_PLAN},
};
const std::vector<ForeignWord> kForeignStatements = {
    {"var", TokenKind::KW_LET}, {"val", TokenKind::KW_LET}, {"auto", TokenKind::KW_LET}, {"def", TokenKind::KW_LET},
    {"ret", TokenKind::KW_RETURN}, {"inputs", TokenKind::KW_INPUT}, {"outputs", TokenKind::KW_OUTPUT},
};

// Keywords inside expressions and fields.
const std::vector<TokenKind> kWordsInside = {TokenKind::KW_THEN, TokenKind::KW_ELSE, TokenKind::KW_AND, TokenKind::KW_OR,
                                             TokenKind::KW_IN,   TokenKind::KW_AS,   TokenKind::KW_FROM, TokenKind::KW_PER,
                                             TokenKind::KW_TOTAL, TokenKind::KW_REPEAT, TokenKind::KW_SHARED};

const char* expected_in(Place place) {
  switch (place) {
    case Place::top: return "a declaration: const, param, data, block, net, train or plan";
    case Place::net_body: return "a statement: input, output, let, shared or assert";
    case Place::block_body: return "a statement: let, shared, return or assert";
    case Place::data_body: return "a split `name: reader(...)` or a `field`";
    case Place::record: return "a field `name: value`";
    case Place::formals: return "a parameter `name: type`";
    case Place::call:
    case Place::group: return "`,` or `)`";
    case Place::list:
    case Place::shape: return "`,` or `]`";
    case Place::repeat_body: return "`|>` or `}`";
  }
  return "";
}

std::vector<TokenKind> keywords_of(Place place) {
  switch (place) {
    case Place::net_body:
      return {TokenKind::KW_INPUT, TokenKind::KW_OUTPUT, TokenKind::KW_LET, TokenKind::KW_SHARED, TokenKind::KW_ASSERT};
    case Place::block_body: return {TokenKind::KW_LET, TokenKind::KW_SHARED, TokenKind::KW_RETURN, TokenKind::KW_ASSERT};
    case Place::data_body: return {TokenKind::KW_FIELD};
    case Place::top:
      return {TokenKind::KW_CONST, TokenKind::KW_PARAM, TokenKind::KW_DATA,  TokenKind::KW_BLOCK, TokenKind::KW_NET,
              TokenKind::KW_TRAIN, TokenKind::KW_PLAN,  TokenKind::KW_ASSERT, TokenKind::KW_USE,  TokenKind::KW_LANGUAGE};
    default: return {};
  }
}

// An edit of the list: `remove` tokens at `at` make room for `insert`.
struct TokenEdit {
  size_t at = 0;
  size_t remove = 0;
  std::vector<Token> insert;
};

// Reads one declaration (or what stands in its place).
class DeclarationRepair {
 public:
  // `following` is the first token of the file behind these, if there is one.
  DeclarationRepair(TokenList& list, const Token* following, Diagnostics& diagnostics, int64_t& budget, int& reports)
      : list_(list), following_(following), diagnostics_(diagnostics), budget_(budget), reports_(reports) {}

  // Repairs until the grammar reads everything that is left. False if this was given up.
  bool run() {
    std::optional<Misfit> misfit = find_misfit(list_.tokens);
    while (misfit) {
      if (budget_ <= 0 || reports_ >= kMostReports) return false;
      k_ = misfit->token;
      context_.emplace(list_.tokens);
      best_ = {};
      propose();
      if (!best_.found) leave_something_out();
      if (!best_.found) return false;
      if (best_.damages) list_.damage.push_back(place_of(k_).begin);
      if (!is_quiet()) {
        best_.report();
        ++reports_;
      }
      skipped_to_ = best_.damages ? best_.after : kNone;
      list_.tokens = std::move(best_.tokens);
      misfit = best_.misfit;
    }
    return true;
  }

  // For what was given up before anything was said about it.
  void report_unreadable() {
    std::optional<Misfit> misfit = find_misfit(list_.tokens);
    if (!misfit || reports_ >= kMostReports) return;
    k_ = misfit->token;
    context_.emplace(list_.tokens);
    if (is_quiet()) return;
    ++reports_;
    report_unexpected(expected());
  }

 private:
  // ---- trials
  struct Outcome {
    bool found = false;
    size_t gain = 0;
    size_t after = 0;  // index of the first token behind the edit
    bool damages = false;
    std::vector<Token> tokens;
    std::optional<Misfit> misfit;
    std::function<void()> report;
  };

  bool is_decided() const { return best_.found && best_.gain >= kFar; }

  void attempt(TokenEdit edit, std::function<void()> report, bool damages = false) {
    if (is_decided() || budget_ <= 0) return;
    Outcome outcome;
    const auto at = static_cast<std::ptrdiff_t>(edit.at);
    outcome.after = edit.at + edit.insert.size();
    outcome.tokens = list_.tokens;
    outcome.tokens.erase(outcome.tokens.begin() + at, outcome.tokens.begin() + at + static_cast<std::ptrdiff_t>(edit.remove));
    outcome.tokens.insert(outcome.tokens.begin() + at, edit.insert.begin(), edit.insert.end());
    budget_ -= static_cast<int64_t>(outcome.tokens.size());
    outcome.misfit = find_misfit(outcome.tokens);
    if (outcome.misfit && outcome.misfit->token <= outcome.after) return;
    outcome.gain = outcome.misfit ? outcome.misfit->token - outcome.after : std::numeric_limits<size_t>::max();
    if (best_.found && outcome.gain <= best_.gain) return;
    outcome.found = true;
    outcome.damages = damages;
    outcome.report = std::move(report);
    best_ = std::move(outcome);
  }

  void attempt_insert(size_t at, std::vector<TokenKind> kinds, std::function<void()> report) {
    TokenEdit edit{at, 0, {}};
    for (const TokenKind kind : kinds) edit.insert.push_back(inserted(kind, list_.tokens, at == 0 ? kNone : at - 1));
    attempt(std::move(edit), std::move(report));
  }

  void attempt_replace(size_t at, TokenKind kind, bool broken, std::function<void()> report) {
    Token token = list_.tokens[at];
    token.kind = kind;
    token.broken = broken;
    attempt({at, 1, {token}}, std::move(report));
  }

  // ---- the place
  TokenKind kind(size_t i) const { return i < list_.tokens.size() ? list_.tokens[i].kind : TokenKind::end_of_file; }
  TokenKind previous() const { return k_ > 0 ? kind(k_ - 1) : TokenKind::end_of_file; }
  bool at_end() const { return k_ >= list_.tokens.size(); }
  std::string text(size_t i) const { return shortened(list_.spelling(list_.tokens[i])); }
  Span place_of(size_t i) const { return i >= list_.tokens.size() && following_ ? list_.span(*following_) : place(list_, i); }
  Span behind(size_t i) const { return {list_.file, list_.tokens[i].end, list_.tokens[i].end}; }
  Span before(size_t i) const { return {list_.file, list_.tokens[i].begin, list_.tokens[i].begin}; }
  std::string found(size_t i) const {
    if (i < list_.tokens.size() || !following_) return describe(list_, i);
    return '`' + shortened(list_.spelling(*following_)) + '`';
  }
  bool touches_next(size_t i) const {
    return i + 1 < list_.tokens.size() && list_.tokens[i].end == list_.tokens[i + 1].begin;
  }
  bool on_new_line(size_t i) const {
    if (i == 0 || i >= list_.tokens.size()) return true;
    const uint32_t end = list_.tokens[i - 1].end;
    return list_.text.substr(end, list_.tokens[i].begin - end).find_first_of("\r\n") != std::string_view::npos;
  }

  // A mistake that only follows from one that was reported.
  bool is_quiet() const {
    if (skipped_to_ != kNone && k_ <= skipped_to_ + 1 && skipped_to_ < list_.tokens.size()) {
      const bool fresh_start = context_->item_begin(skipped_to_) == skipped_to_ && !has_commas(context_->place(skipped_to_));
      if (!fresh_start) return true;
    }
    // Something was left out right here.
    const uint32_t gap_begin = k_ > 0 ? list_.tokens[k_ - 1].end : 0, gap_end = place_of(k_).begin;
    const bool is_gap_damaged = std::any_of(list_.damage.begin(), list_.damage.end(), [&](uint32_t at) { return at >= gap_begin && at < gap_end; });
    if (is_gap_damaged) return true;
    const auto lies_in = [&](size_t i) {
      const Span at = place(list_, i);
      return std::any_of(list_.quiet.begin(), list_.quiet.end(), [&](Span line) { return at.begin >= line.begin && at.begin <= line.end; });
    };
    return lies_in(k_) || (k_ > 0 && lies_in(k_ - 1));
  }

  // ---- the likely repairs, in order
  void propose() {
    const Place where = context_->place(k_);
    propose_signs(where);
    propose_let(where);
    propose_keyword(where);
    propose_else();
    propose_comma_and_pipe(where);
    propose_name(where);
    propose_missing(where);
    propose_removal();
  }

  // `=` for `:` and the other way round
  void propose_signs(Place where) {
    const bool named = where == Place::record || where == Place::data_body || where == Place::call;
    if (kind(k_) == TokenKind::ASSIGN && named && is_key(previous())) {
      attempt_replace(k_, TokenKind::COLON, false, [this, where] {
        diagnostics_.error(Code::N0107, place_of(k_), (where == Place::call ? "arguments" : "fields") + std::string(" are written `name: value`"))
            .fix("write `:`", cover(behind(k_ - 1), place_of(k_)), touches_next(k_) ? ": " : ":", Confidence::certain);
      });
    }
    const auto swap = [&](TokenKind found_kind, TokenKind meant) {
      if (kind(k_) != found_kind || k_ == 0) return;
      attempt_replace(k_, meant, false, [this, meant] {
        const std::string sign = fixed_spelling(meant);
        diagnostics_.error(Code::N0101, place_of(k_), "expected `" + sign + "`, found " + found(k_))
            .fix("write `" + sign + "`", cover(behind(k_ - 1), place_of(k_)), (meant == TokenKind::COLON ? "" : " ") + sign + (touches_next(k_) ? " " : ""),
                 Confidence::guess);
      });
    };
    swap(TokenKind::ASSIGN, TokenKind::COLON);
    swap(TokenKind::ASSIGN, TokenKind::EQUAL);
    swap(TokenKind::COLON, TokenKind::ASSIGN);
    swap(TokenKind::EQUAL, TokenKind::ASSIGN);
  }

  // `y = ...` in a body
  void propose_let(Place where) {
    if (where != Place::net_body && where != Place::block_body) return;
    if (kind(k_) != TokenKind::IDENT || kind(k_ + 1) != TokenKind::ASSIGN) return;
    attempt_insert(k_, {TokenKind::KW_LET}, [this] {
      diagnostics_.error(Code::N0103, place_of(k_), "`" + text(k_) + " = ...` needs `let`")
          .fix("a value gets its name with `let`", before(k_), "let ", Confidence::certain);
    });
  }

  // A keyword with a slip, or one of another language.
  void propose_keyword(Place where) {
    if (at_end() || !is_word(kind(k_))) return;
    if (where == Place::top) attempt_closest(kForeignDeclarations, keywords_of(where), Code::N0113, where);
    if (kind(k_) != TokenKind::IDENT) return;
    if (where == Place::net_body || where == Place::block_body) attempt_closest(kForeignStatements, keywords_of(where), Code::N0101, where);
    attempt_closest({}, kWordsInside, Code::N0101, Place::call);
  }

  void attempt_closest(const std::vector<ForeignWord>& foreign, const std::vector<TokenKind>& keywords, Code code, Place where) {
    std::vector<std::string> words;
    for (const TokenKind each : keywords) words.emplace_back(fixed_spelling(each));
    for (const ForeignWord& each : foreign) words.emplace_back(each.word);
    const std::optional<std::string> close = suggest(text(k_), words);
    if (!close) return;
    const auto known = std::find_if(foreign.begin(), foreign.end(), [&](const ForeignWord& f) { return *close == f.word; });
    const TokenKind meant = known != foreign.end() ? known->meant : *keyword(*close);
    if (meant != kind(k_)) attempt_keyword(meant, code, where);
  }

  void attempt_keyword(TokenKind meant, Code code, Place where) {
    attempt_replace(k_, meant, false, [this, meant, code, where] {
      const std::string word = fixed_spelling(meant);
      const std::string expected = keywords_of(where).empty() ? '`' + word + '`' : expected_in(where);
      diagnostics_
          .error(code, place_of(k_), code == Code::N0113 ? "`" + text(k_) + "` is not a declaration" : "expected " + expected + ", found " + found(k_))
          .fix("did you mean `" + word + "`?", place_of(k_), word, Confidence::guess);
    });
  }

  // `if` without `else` or `then`
  void propose_else() {
    const size_t open_if = unfinished_if();
    if (open_if == kNone) return;
    const bool in_stage = open_if > 0 && has_pipe_before(open_if);
    attempt_insert(k_, {TokenKind::KW_ELSE, TokenKind::IDENT}, [this, open_if, in_stage] {
      diagnostics_.error(Code::N0112, place_of(open_if), "`if` needs an `else`")
          .fix(in_stage ? "`identity` passes the value on" : "say what the value is otherwise", behind(k_ - 1),
               in_stage ? " else identity" : " else ...", Confidence::guess);
    });
    attempt_insert(k_, {TokenKind::KW_THEN}, [this] { report_missing("`then` after the condition"); });
  }

  // The beginning of the item (statement, argument ...) that the grammar was reading, on the level of the misfit.
  size_t item_before() const {
    const size_t open = context_->opening(k_);
    const size_t first = open == kNone ? 0 : open + 1;
    if (k_ <= first) return first;
    const size_t last = is_closing(kind(k_ - 1)) ? context_->partner(k_ - 1) : k_ - 1;
    return context_->item_begin(last);
  }

  // The last `if` of this item that has no `else` of its own, unless one follows.
  size_t unfinished_if() const {
    const size_t begin = item_before();
    const bool goes_on = !at_end() && context_->item_begin(k_) == begin;
    const size_t end = goes_on ? context_->item_end(k_) : k_;
    for (size_t i = k_; i < end; ++i) {
      if (kind(i) == TokenKind::KW_ELSE) return kNone;
      if (is_opening(kind(i))) i = context_->partner(i);
    }
    int elses = 0;
    for (size_t i = std::min(k_, list_.tokens.size()); i-- > begin;) {
      if (is_closing(kind(i))) i = context_->partner(i);
      if (kind(i) == TokenKind::KW_ELSE) ++elses;
      if (kind(i) == TokenKind::KW_IF && elses-- == 0) return i;
    }
    return kNone;
  }

  // Is the misfit inside the condition of an `if`?
  bool lacks_then() const {
    const size_t begin = item_before();
    for (size_t i = k_; i-- > begin;) {
      if (is_closing(kind(i))) i = context_->partner(i);
      if (kind(i) == TokenKind::KW_THEN) return false;
      if (kind(i) == TokenKind::KW_IF) return true;
    }
    return false;
  }

  bool has_pipe_before(size_t i) const {
    if (i == 0) return false;
    const TokenKind before_if = kind(i - 1);
    return before_if == TokenKind::PIPE || (before_if == TokenKind::PAREN_OPEN && i > 1 && kind(i - 2) == TokenKind::PIPE);
  }

  void propose_comma_and_pipe(Place where) {
    const TokenKind now = kind(k_);
    // `field x: u8[3] to_float(...)`: up to the parenthesis it might have been the name of a split.
    if (where == Place::data_body && now == TokenKind::PAREN_OPEN && k_ >= 2 && is_word(previous())) attempt_pipe(k_ - 1);
    const bool starts_something = !at_end() && (starts_value(now) || is_word(now));
    const bool after_something = ends_value(previous()) || is_word(previous());
    if (!starts_something || !after_something) return;
    const bool may_pipe = is_word(now) && (is_body(where) || where == Place::repeat_body || where == Place::call || where == Place::group);
    const bool pipe_first = may_pipe && (!has_commas(where) || (on_new_line(k_) && last_stage() != kNone));
    if (pipe_first) attempt_pipe(k_);
    if (has_commas(where)) {
      attempt_insert(k_, {TokenKind::COMMA}, [this, where] {
        Span gap{list_.file, list_.tokens[k_ - 1].end, list_.tokens[k_].begin};
        const char* what = where == Place::call ? "arguments" : where == Place::formals ? "parameters" : "values";
        diagnostics_.error(Code::N0111, gap, std::string("missing comma between ") + what)
            .fix("insert a comma", behind(k_ - 1), ",", Confidence::certain);
      });
    }
    if (may_pipe && !pipe_first) attempt_pipe(k_);
  }

  // Where the last stage of the value before the misfit begins; none if it is no pipeline.
  size_t last_stage() const {
    const size_t begin = item_before();
    for (size_t i = k_; i-- > begin;) {
      if (is_closing(kind(i))) i = context_->partner(i);
      if (kind(i) == TokenKind::PIPE) return i + 1;
    }
    return kNone;
  }

  void attempt_pipe(size_t at) {
    attempt_insert(at, {TokenKind::PIPE}, [this, at] {
      Diagnostic& record = diagnostics_.error(Code::N0102, place_of(at), "`" + text(at) + "` is not connected to the pipeline above");
      const size_t stage = last_stage();
      if (stage != kNone && stage < at) {
        record.label(cover(list_.span(list_.tokens[stage]), list_.span(list_.tokens[at - 1])), "the pipeline ends here");
      }
      record.fix("continue it", before(at), "|> ", Confidence::certain);
    });
  }

  // A keyword where a name stands
  void propose_name(Place where) {
    if (at_end() || !is_keyword(kind(k_)) || (on_new_line(k_) && starts_statement(list_.tokens, k_))) return;
    const bool declares = is_keyword(previous()) || where == Place::formals || kind(k_ + 1) == TokenKind::COLON;
    attempt_replace(k_, TokenKind::IDENT, !declares, [this] {
      diagnostics_.error(Code::N0116, place_of(k_), "`" + text(k_) + "` is a keyword")
          .fix("use another name", place_of(k_), text(k_) + "_", Confidence::guess);
    });
  }

  void propose_missing(Place where) {
    const TokenKind before = previous();
    if (where == Place::record || where == Place::data_body) {
      if (is_key(before)) attempt_insert(k_, {TokenKind::COLON}, [this] { report_missing("`:` after the name of the field", ":"); });
      // `loss: optimizer: adam`
      const bool no_value = kind(k_) == TokenKind::COLON && k_ >= 2 && kind(k_ - 2) == TokenKind::COLON;
      if (no_value) {
        attempt_insert(k_ - 1, {TokenKind::IDENT}, [this] {
          diagnostics_.error(Code::N0101, place_of(k_ - 1), "expected a value for `" + text(k_ - 3) + "`, found " + found(k_ - 1));
        });
      }
    } else if (before == TokenKind::IDENT) {
      attempt_insert(k_, {TokenKind::COLON}, [this] { report_missing("`:` and a type", ":"); });
    }
    attempt_insert(k_, {TokenKind::ASSIGN}, [this] { report_missing("`=` and a value", " ="); });
    attempt_insert(k_, {TokenKind::KW_IN}, [this] { report_missing("`in`", " in"); });
    const size_t open = context_->opening(k_);
    if (where == Place::shape && open >= 2 && kind(open - 2) == TokenKind::KW_REPEAT) {  // `repeat f [1, 2] {`
      attempt_insert(open, {TokenKind::KW_IN}, [this, open] {
        diagnostics_.error(Code::N0101, place_of(open), "expected `in`, found `[`").fix("insert `in`", behind(open - 1), " in", Confidence::guess);
      });
    }
    attempt_insert(k_, {TokenKind::IDENT}, [this] { report_missing(expected()); });
    attempt_insert(k_, {TokenKind::COLON, TokenKind::IDENT}, [this] { report_missing("`:` and a type"); });
    attempt_insert(k_, {TokenKind::ASSIGN, TokenKind::IDENT}, [this] { report_missing("`=` and a value"); });
    attempt_insert(k_, {TokenKind::PAREN_OPEN, TokenKind::PAREN_CLOSE}, [this] { report_missing("the inputs and parameters in parentheses"); });
    attempt_insert(k_, {TokenKind::COMMA, TokenKind::STRING}, [this] { report_missing("`,` and the message of the assertion"); });
  }

  void propose_removal() {
    if (at_end() || is_opening(kind(k_)) || is_closing(kind(k_))) return;
    attempt({k_, 1, {}}, [this] {
      Diagnostic& record = report_unexpected(expected());
      if (starts_value(kind(k_)) && context_->place(k_) == Place::record) {
        record.help("several values are written as a list: `[a, b]`");
      } else {
        record.fix("remove it", place_of(k_), "", Confidence::guess);
      }
    });
  }

  // ---- what to say
  // Something has to be put in: point behind the line that lacks it.
  Diagnostic& report_missing(const std::string& what, const std::string& sign = {}) {
    const Span where = k_ > 0 && on_new_line(k_) ? behind(k_ - 1) : place_of(k_);
    Diagnostic& record = diagnostics_.error(Code::N0101, where, "expected " + what + ", found " + found(k_));
    if (!sign.empty() && k_ > 0) record.fix("insert `" + sign.substr(sign.find_first_not_of(' ')) + "`", behind(k_ - 1), sign, Confidence::guess);
    return record;
  }
  // Something else has to stand here: point at what does.
  Diagnostic& report_unexpected(const std::string& what) {
    return diagnostics_.error(Code::N0101, place_of(k_), "expected " + what + ", found " + found(k_));
  }

  // What may stand at the misfit, in words.
  std::string expected() const {
    const Place where = context_->place(k_);
    switch (previous()) {
      case TokenKind::KW_LET:
      case TokenKind::KW_CONST:
      case TokenKind::KW_PARAM:
      case TokenKind::KW_DATA:
      case TokenKind::KW_BLOCK:
      case TokenKind::KW_NET:
      case TokenKind::KW_TRAIN:
      case TokenKind::KW_PLAN:
      case TokenKind::KW_INPUT:
      case TokenKind::KW_OUTPUT:
      case TokenKind::KW_SHARED:
      case TokenKind::KW_FIELD:
      case TokenKind::KW_AS: return std::string("a name after `") + fixed_spelling(previous()) + "`";
      case TokenKind::KW_USE: return "a path in double quotes";
      case TokenKind::KW_LANGUAGE: return "the number of the language";
      case TokenKind::KW_PER: return "`tower` or `host`";
      case TokenKind::PIPE: return "a layer, block or net after `|>`";
      case TokenKind::DOT: return "a name after `.`";
      case TokenKind::COLON: return is_type_here(where) ? "a type, such as f32[28, 28, 1]" : "a value";
      case TokenKind::BRACE_OPEN: return where == Place::repeat_body ? "a layer, block or net" : expected_in(where);
      default: break;
    }
    if (lacks_then()) return "`then` after the condition of `if`";
    if (kind(k_) == TokenKind::COMMA && has_commas(where) && !is_word(previous()) && !ends_value(previous())) return "a value";
    if (kind(k_) == TokenKind::COMMA && where == Place::shape) return "`]`";
    if (previous() == TokenKind::COMMA && !has_commas(where)) return expected_in(where);
    const bool wants_value = !ends_value(previous()) && !is_word(previous()) && previous() != TokenKind::end_of_file;
    if (wants_value && where == Place::formals) return expected_in(where);
    return wants_value || is_keyword(previous()) ? "a value" : expected_in(where);
  }

  bool is_type_here(Place where) const {
    if (where == Place::formals) return true;
    const TokenKind first = kind(context_->item_begin(k_));
    return first == TokenKind::KW_INPUT || first == TokenKind::KW_OUTPUT || first == TokenKind::KW_LET || first == TokenKind::KW_FIELD || first == TokenKind::KW_PARAM;
  }

  // ---- nothing fits: leave out the smallest piece that helps, from the inside out
  void leave_something_out() {
    const auto report = [this] { report_unfit(); };
    size_t at = k_;
    while (!best_.found) {
      const size_t begin = context_->item_begin(at), end = context_->item_end(at);
      const Token unknown = inserted(TokenKind::IDENT, list_.tokens, at == 0 ? kNone : at - 1);
      if (end > at) {
        attempt({at, end - at, {}}, report, true);
        attempt({at, end - at, {unknown}}, report, true);
      }
      if (end > begin) {
        attempt({begin, end - begin, {}}, report, true);
        attempt({begin, end - begin, {unknown}}, report, true);
        const bool with_comma = end < list_.tokens.size() && kind(end) == TokenKind::COMMA;
        if (with_comma) attempt({begin, end - begin + 1, {}}, report, true);
      }
      const size_t open = context_->opening(at);
      if (open == kNone) return;
      at = open;
    }
  }

  void report_unfit() {
    const Place where = context_->place(k_);
    if (where != Place::top) {
      Diagnostic& record = report_unexpected(expected());
      if (where == Place::record && !at_end() && starts_value(kind(k_))) record.help("several values are written as a list: `[a, b]`");
      if (kind(k_) == TokenKind::BRACE_OPEN && lacks_then()) record.help("a choice is written `if c then a else b`, without braces");
      if (kind(k_) == TokenKind::KW_RETURN && where == Place::net_body) record.help("a net gives its values with `output name = ...`");
      if (kind(k_) == TokenKind::KW_INPUT && where == Place::block_body) record.help("the inputs of a block stand in its header: `block name(x: tensor)`");
      if (kind(k_) == TokenKind::KW_OUTPUT && where == Place::block_body) record.help("a block gives its value with `return`");
      return;
    }
    const std::string what = expected();
    if (!at_end() && is_word(kind(k_)) && what == expected_in(Place::top)) {
      Diagnostic& record = diagnostics_.error(Code::N0113, place_of(k_), "`" + text(k_) + "` is not a declaration");
      const bool is_statement = starts_statement(list_.tokens, k_);
      record.help(is_statement ? "statements stand inside the braces of a `net` or `block`" : "declarations are const, param, data, block, net, train and plan");
      return;
    }
    report_unexpected(what);
  }

  TokenList& list_;
  const Token* following_;
  Diagnostics& diagnostics_;
  int64_t& budget_;
  int& reports_;
  std::optional<TokenContext> context_;
  Outcome best_;
  size_t k_ = 0;                 // the token that does not fit
  size_t skipped_to_ = kNone;    // behind what was left out last
};

// ---------------------------------------------------------------- the file, declaration by declaration
bool may_start_declaration(const std::vector<Token>& tokens, size_t i) {
  const TokenKind kind = tokens[i].kind;
  const TokenKind next = i + 1 < tokens.size() ? tokens[i + 1].kind : TokenKind::end_of_file;
  const TokenKind before = i > 0 ? tokens[i - 1].kind : TokenKind::end_of_file;
  const bool inside_expression = before == TokenKind::DOT || before == TokenKind::ASSIGN || before == TokenKind::COLON ||
                                 before == TokenKind::COMMA || (before >= TokenKind::PIPE && before <= TokenKind::NOT_EQUAL);
  switch (kind) {
    case TokenKind::KW_DATA:
    case TokenKind::KW_NET:
    case TokenKind::KW_TRAIN: return !inside_expression && (is_word(next) || next == TokenKind::BRACE_OPEN);
    case TokenKind::KW_CONST:
    case TokenKind::KW_PARAM:
    case TokenKind::KW_BLOCK:
    case TokenKind::KW_PLAN:
    case TokenKind::KW_ASSERT:
    case TokenKind::KW_USE:
    case TokenKind::KW_LANGUAGE: return before != TokenKind::DOT && next != TokenKind::COLON;
    default: return false;
  }
}

// Index of the first token of every declaration; the first piece begins at 0 whatever stands there.
std::vector<size_t> split(const std::vector<Token>& tokens) {
  std::vector<size_t> begins = {0};
  int depth = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (depth == 0 && i > 0 && (starts_declaration(tokens, i) || may_start_declaration(tokens, i))) begins.push_back(i);
    if (is_opening(tokens[i].kind)) ++depth;
    if (is_closing(tokens[i].kind)) --depth;
  }
  return begins;
}

class FileRepair {
 public:
  FileRepair(const TokenList& list, ast::File& file, Diagnostics& diagnostics)
      : list_(list), file_(file), diagnostics_(diagnostics), part_(list) {}

  void run() {
    const std::vector<size_t> begins = split(list_.tokens);
    check_order(begins);
    for (size_t i = 0; i < begins.size() && !stopped_;) {
      // Small declarations are read together; only if that fails, one by one.
      size_t j = i + 1;
      while (j < begins.size() && begins[j] - begins[i] < kGroupTokens) ++j;
      const size_t end = j < begins.size() ? begins[j] : list_.tokens.size();
      take(begins[i], end);
      if (read_tree(part_, file_, diagnostics_)) {
        for (size_t each = i; each < j && !stopped_; ++each) {
          repair(begins[each], each + 1 < begins.size() ? begins[each + 1] : list_.tokens.size());
        }
      }
      i = j;
    }
    mark_damage(list_.damage);
  }

 private:
  // `language`, then `use`, then declarations. Pieces are read one by one, so the grammar does not see their order.
  void check_order(const std::vector<size_t>& begins) {
    bool seen_declaration = false;
    for (const size_t begin : begins) {
      if (begin >= list_.tokens.size()) return;
      const TokenKind kind = list_.tokens[begin].kind;
      const bool misplaced = (kind == TokenKind::KW_LANGUAGE && begin != 0) || (kind == TokenKind::KW_USE && seen_declaration);
      if (misplaced) {
        const std::string word = fixed_spelling(kind);
        diagnostics_.error(Code::N0101, list_.span(list_.tokens[begin]), "expected a declaration, found `" + word + "`")
            .help(kind == TokenKind::KW_USE ? "`use` lines stand above all declarations" : "`language` stands once, as the first of the file");
        ++reports_;
      }
      seen_declaration |= kind != TokenKind::KW_LANGUAGE && kind != TokenKind::KW_USE;
    }
  }

  void take(size_t begin, size_t end) {
    part_.tokens.assign(list_.tokens.begin() + static_cast<std::ptrdiff_t>(begin), list_.tokens.begin() + static_cast<std::ptrdiff_t>(end));
  }

  void repair(size_t begin, size_t end) {
    take(begin, end);
    const auto known_damage = static_cast<std::ptrdiff_t>(part_.damage.size());
    const Token* following = end < list_.tokens.size() ? &list_.tokens[end] : nullptr;
    const int reports_before = reports_;
    DeclarationRepair repair(part_, following, diagnostics_, budget_, reports_);
    if (repair.run()) {
      read_tree(part_, file_, diagnostics_);
      mark_damage({part_.damage.begin() + known_damage, part_.damage.end()});
      return;
    }
    if (reports_ == reports_before) repair.report_unreadable();
    file_.broken = true;
    stopped_ = reports_ >= kMostReports || budget_ <= 0;
  }

  // What lost something says so, or the file does where there is no such mark.
  void mark_damage(const std::vector<uint32_t>& places) {
    if (places.size() > kMostDamage) {
      file_.broken = true;
      return;
    }
    for (const uint32_t at : places) {
      bool marked = false;
      for (ast::Decl& decl : file_.decls) {
        std::visit(
            [&](auto& d) {
              if (at < d.span.begin || at > d.span.end) return;
              if constexpr (requires { d.broken; }) {
                d.broken = true;
                marked = true;
              }
            },
            decl);
      }
      if (!marked) file_.broken = true;
    }
  }

  const TokenList& list_;
  ast::File& file_;
  Diagnostics& diagnostics_;
  TokenList part_;
  int64_t budget_ = kTokenBudget;
  int reports_ = 0;
  bool stopped_ = false;
};

}  // namespace

void read_with_repairs(const TokenList& list, ast::File& file, Diagnostics& diagnostics) {
  FileRepair(list, file, diagnostics).run();
}

}  // namespace netc::syntax
