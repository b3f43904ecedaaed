// At the token that does not fit, repairs are tried in the order of how likely they are: each is a small edit of the
// list of tokens and the diagnostic that says so. The first one that lets the grammar read well past the place is what
// the author meant; if none does, the smallest piece that can be left out is left out.
#include "compiler/syntax/repair_proposals.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "compiler/base/text_distance.h"
#include "compiler/syntax/misfit_site.h"

namespace netc::syntax {

namespace {

constexpr size_t kFar = 6;  // tokens read past a repair that make it sure

struct ForeignWord {
  const char* word;
  TokenKind meant;
};
// Words for declarations in other languages.
const std::vector<ForeignWord> kForeignDeclarations = {
    {"model", TokenKind::KW_NET},    {"network", TokenKind::KW_NET},     {"graph", TokenKind::KW_NET},
    {"dataset", TokenKind::KW_DATA}, {"datasets", TokenKind::KW_DATA},   {"module", TokenKind::KW_BLOCK},
    {"layer", TokenKind::KW_BLOCK},  {"function", TokenKind::KW_BLOCK},  {"def", TokenKind::KW_BLOCK},
    {"class", TokenKind::KW_BLOCK},  {"training", TokenKind::KW_TRAIN},  {"trainer", TokenKind::KW_TRAIN},
    {"fit", TokenKind::KW_TRAIN},    {"parameter", TokenKind::KW_PARAM}, {"constant", TokenKind::KW_CONST},
    {"let", TokenKind::KW_CONST},    {"var", TokenKind::KW_CONST},       {"import", TokenKind::KW_USE},
    {"include", TokenKind::KW_USE},  {"towers", TokenKind::KW_PLAN},     {"strategy", TokenKind::KW_PLAN},
};
const std::vector<ForeignWord> kForeignStatements = {
    {"var", TokenKind::KW_LET},        {"val", TokenKind::KW_LET},    {"auto", TokenKind::KW_LET},
    {"def", TokenKind::KW_LET},        {"ret", TokenKind::KW_RETURN}, {"inputs", TokenKind::KW_INPUT},
    {"outputs", TokenKind::KW_OUTPUT},
};

// Keywords inside expressions and fields.
const std::vector<TokenKind> kWordsInside = {TokenKind::KW_THEN,   TokenKind::KW_ELSE,  TokenKind::KW_AND,
                                             TokenKind::KW_OR,     TokenKind::KW_IN,    TokenKind::KW_AS,
                                             TokenKind::KW_FROM,   TokenKind::KW_PER,   TokenKind::KW_TOTAL,
                                             TokenKind::KW_REPEAT, TokenKind::KW_SHARED};

std::vector<TokenKind> keywords_of(Place place) {
  switch (place) {
    case Place::net_body:
      return {TokenKind::KW_INPUT, TokenKind::KW_OUTPUT, TokenKind::KW_LET, TokenKind::KW_SHARED, TokenKind::KW_ASSERT};
    case Place::block_body:
      return {TokenKind::KW_LET, TokenKind::KW_SHARED, TokenKind::KW_RETURN, TokenKind::KW_ASSERT};
    case Place::data_body: return {TokenKind::KW_FIELD};
    case Place::top:
      return {TokenKind::KW_CONST, TokenKind::KW_PARAM,   TokenKind::KW_DATA, TokenKind::KW_BLOCK,
              TokenKind::KW_NET,   TokenKind::KW_TRAIN,   TokenKind::KW_PLAN, TokenKind::KW_ASSERT,
              TokenKind::KW_USE,   TokenKind::KW_LANGUAGE};
    default: return {};
  }
}

// An edit of the list: `remove` tokens at `at` make room for `insert`.
struct TokenEdit {
  size_t at = 0;
  size_t remove = 0;
  std::vector<Token> insert;
};

class Proposals : public MisfitSite {
 public:
  Proposals(const TokenList& list, size_t k, const Token* following, Diagnostics& diagnostics, int64_t& budget)
      : MisfitSite(list, k, following), diagnostics_(diagnostics), budget_(budget) {}

  std::optional<Repair> best() {
    propose();
    if (!best_) leave_something_out();
    return std::move(best_);
  }

 private:
  // ---- trials
  bool is_decided() const { return best_ && best_gain_ >= kFar; }

  void attempt(const TokenEdit& edit, std::function<void()> report, bool damages = false) {
    if (is_decided() || budget_ <= 0) return;
    Repair repair;
    const auto at = static_cast<std::ptrdiff_t>(edit.at);
    repair.after = edit.at + edit.insert.size();
    repair.tokens = list_.tokens;
    repair.tokens.erase(repair.tokens.begin() + at,
                        repair.tokens.begin() + at + static_cast<std::ptrdiff_t>(edit.remove));
    repair.tokens.insert(repair.tokens.begin() + at, edit.insert.begin(), edit.insert.end());
    budget_ -= static_cast<int64_t>(repair.tokens.size());
    repair.misfit = find_misfit(repair.tokens);
    if (repair.misfit && repair.misfit->token <= repair.after) return;
    const size_t gain = repair.misfit ? repair.misfit->token - repair.after : std::numeric_limits<size_t>::max();
    if (best_ && gain <= best_gain_) return;
    repair.damages = damages;
    repair.report = std::move(report);
    best_ = std::move(repair);
    best_gain_ = gain;
  }

  void attempt_insert(size_t at, std::vector<TokenKind> kinds, std::function<void()> report) {
    TokenEdit edit{at, 0, {}};
    for (const TokenKind kind : kinds) edit.insert.push_back(inserted(kind, list_.tokens, at == 0 ? kNone : at - 1));
    attempt(edit, std::move(report));
  }

  void attempt_replace(size_t at, TokenKind kind, bool broken, std::function<void()> report) {
    Token token = list_.tokens[at];
    token.kind = kind;
    token.broken = broken;
    attempt({at, 1, {token}}, std::move(report));
  }

  // ---- the likely repairs, in order
  void propose() {
    const Place where = context_.place(k_);
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
        diagnostics_
            .error(Code::N0107, place_of(k_),
                   (where == Place::call ? "arguments" : "fields") + std::string(" are written `name: value`"))
            .fix("write `:`", cover(behind(k_ - 1), place_of(k_)), touches_next(k_) ? ": " : ":", Confidence::certain);
      });
    }
    const auto swap = [&](TokenKind found_kind, TokenKind meant) {
      if (kind(k_) != found_kind || k_ == 0) return;
      attempt_replace(k_, meant, false, [this, meant] {
        const std::string sign = fixed_spelling(meant);
        diagnostics_.error(Code::N0101, place_of(k_), "expected `" + sign + "`, found " + found(k_))
            .fix("write `" + sign + "`", cover(behind(k_ - 1), place_of(k_)),
                 (meant == TokenKind::COLON ? "" : " ") + sign + (touches_next(k_) ? " " : ""), Confidence::guess);
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
    if (where == Place::net_body || where == Place::block_body)
      attempt_closest(kForeignStatements, keywords_of(where), Code::N0101, where);
    attempt_closest({}, kWordsInside, Code::N0101, Place::call);
  }

  void attempt_closest(const std::vector<ForeignWord>& foreign, const std::vector<TokenKind>& keywords, Code code,
                       Place where) {
    std::vector<std::string> words;
    for (const TokenKind each : keywords) words.emplace_back(fixed_spelling(each));
    for (const ForeignWord& each : foreign) words.emplace_back(each.word);
    const std::optional<std::string> close = suggest(text(k_), words);
    if (!close) return;
    const auto known =
        std::find_if(foreign.begin(), foreign.end(), [&](const ForeignWord& f) { return *close == f.word; });
    const TokenKind meant = known != foreign.end() ? known->meant : *keyword(*close);
    if (meant != kind(k_)) attempt_keyword(meant, code, where);
  }

  void attempt_keyword(TokenKind meant, Code code, Place where) {
    attempt_replace(k_, meant, false, [this, meant, code, where] {
      const std::string word = fixed_spelling(meant);
      const std::string expected = keywords_of(where).empty() ? '`' + word + '`' : expected_in(where);
      diagnostics_
          .error(code, place_of(k_),
                 code == Code::N0113 ? "`" + text(k_) + "` is not a declaration"
                                     : "expected " + expected + ", found " + found(k_))
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

  void propose_comma_and_pipe(Place where) {
    const TokenKind now = kind(k_);
    // `field x: u8[3] to_float(...)`: up to the parenthesis it might have been the name of a split.
    if (where == Place::data_body && now == TokenKind::PAREN_OPEN && k_ >= 2 && is_word(previous()))
      attempt_pipe(k_ - 1);
    const bool starts_something = !at_end() && (starts_value(now) || is_word(now));
    const bool after_something = ends_value(previous()) || is_word(previous());
    if (!starts_something || !after_something) return;
    const bool may_pipe = is_word(now) && (is_body(where) || where == Place::repeat_body || where == Place::call ||
                                           where == Place::group);
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

  void attempt_pipe(size_t at) {
    attempt_insert(at, {TokenKind::PIPE}, [this, at] {
      Diagnostic& record =
          diagnostics_.error(Code::N0102, place_of(at), "`" + text(at) + "` is not connected to the pipeline above");
      const size_t stage = last_stage();
      if (stage != kNone && stage < at) {
        record.label(cover(list_.span(list_.tokens[stage]), list_.span(list_.tokens[at - 1])),
                     "the pipeline ends here");
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
      if (is_key(before))
        attempt_insert(k_, {TokenKind::COLON}, [this] { report_missing("`:` after the name of the field", ":"); });
      // `loss: optimizer: adam`
      const bool no_value = kind(k_) == TokenKind::COLON && k_ >= 3 && kind(k_ - 2) == TokenKind::COLON &&
                            is_key(kind(k_ - 3));
      if (no_value) {
        attempt_insert(k_ - 1, {TokenKind::IDENT}, [this] {
          diagnostics_.error(Code::N0101, place_of(k_ - 1),
                             "expected a value for `" + text(k_ - 3) + "`, found " + found(k_ - 1));
        });
      }
    } else if (before == TokenKind::IDENT) {
      attempt_insert(k_, {TokenKind::COLON}, [this] { report_missing("`:` and a type", ":"); });
    }
    attempt_insert(k_, {TokenKind::ASSIGN}, [this] { report_missing("`=` and a value", " ="); });
    attempt_insert(k_, {TokenKind::KW_IN}, [this] { report_missing("`in`", " in"); });
    const size_t open = context_.opening(k_);
    if (where == Place::shape && open >= 2 && kind(open - 2) == TokenKind::KW_REPEAT) {  // `repeat f [1, 2] {`
      attempt_insert(open, {TokenKind::KW_IN}, [this, open] {
        diagnostics_.error(Code::N0101, place_of(open), "expected `in`, found `[`")
            .fix("insert `in`", behind(open - 1), " in", Confidence::guess);
      });
    }
    attempt_insert(k_, {TokenKind::IDENT}, [this] { report_missing(expected()); });
    attempt_insert(k_, {TokenKind::COLON, TokenKind::IDENT}, [this] { report_missing("`:` and a type"); });
    attempt_insert(k_, {TokenKind::ASSIGN, TokenKind::IDENT}, [this] { report_missing("`=` and a value"); });
    attempt_insert(k_, {TokenKind::PAREN_OPEN, TokenKind::PAREN_CLOSE},
                   [this] { report_missing("the inputs and parameters in parentheses"); });
    attempt_insert(k_, {TokenKind::COMMA, TokenKind::STRING},
                   [this] { report_missing("`,` and the message of the assertion"); });
  }

  void propose_removal() {
    if (at_end() || is_opening(kind(k_)) || is_closing(kind(k_))) return;
    attempt({k_, 1, {}}, [this] {
      Diagnostic& record = report_unexpected(expected());
      if (starts_value(kind(k_)) && context_.place(k_) == Place::record) {
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
    if (!sign.empty() && k_ > 0)
      record.fix("insert `" + sign.substr(sign.find_first_not_of(' ')) + "`", behind(k_ - 1), sign, Confidence::guess);
    return record;
  }
  // Something else has to stand here: point at what does.
  Diagnostic& report_unexpected(const std::string& what) {
    return diagnostics_.error(Code::N0101, place_of(k_), "expected " + what + ", found " + found(k_));
  }

  // ---- nothing fits: leave out the smallest piece that helps, from the inside out
  void leave_something_out() {
    const auto report = [this] { report_unfit(); };
    size_t at = k_;
    while (!best_) {
      const size_t begin = context_.item_begin(at), end = context_.item_end(at);
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
      const size_t open = context_.opening(at);
      if (open == kNone) return;
      at = open;
    }
  }

  void report_unfit() {
    const Place where = context_.place(k_);
    if (where != Place::top) {
      Diagnostic& record = report_unexpected(expected());
      if (where == Place::record && !at_end() && starts_value(kind(k_)))
        record.help("several values are written as a list: `[a, b]`");
      if (kind(k_) == TokenKind::BRACE_OPEN && lacks_then())
        record.help("a choice is written `if c then a else b`, without braces");
      if (kind(k_) == TokenKind::KW_RETURN && where == Place::net_body)
        record.help("a net gives its values with `output name = ...`");
      if (kind(k_) == TokenKind::KW_INPUT && where == Place::block_body)
        record.help("the inputs of a block stand in its header: `block name(x: tensor)`");
      if (kind(k_) == TokenKind::KW_OUTPUT && where == Place::block_body)
        record.help("a block gives its value with `return`");
      return;
    }
    const std::string what = expected();
    if (!at_end() && is_word(kind(k_)) && what == expected_in(Place::top)) {
      Diagnostic& record = diagnostics_.error(Code::N0113, place_of(k_), "`" + text(k_) + "` is not a declaration");
      const bool is_statement = starts_statement(list_.tokens, k_);
      record.help(is_statement ? "statements stand inside the braces of a `net` or `block`"
                               : "declarations are const, param, data, block, net, train and plan");
      return;
    }
    report_unexpected(what);
  }

  Diagnostics& diagnostics_;
  int64_t& budget_;
  std::optional<Repair> best_;
  size_t best_gain_ = 0;  // tokens read past the best repair
};

}  // namespace

std::optional<Repair> find_repair(const TokenList& list, size_t k, const Token* following, Diagnostics& diagnostics,
                                  int64_t& budget) {
  const auto proposals = std::make_shared<Proposals>(list, k, following, diagnostics, budget);
  std::optional<Repair> best = proposals->best();
  // The report asks the proposals about the place, so it keeps them.
  if (best) best->report = [proposals, report = std::move(best->report)] { report(); };
  return best;
}

}  // namespace netc::syntax
