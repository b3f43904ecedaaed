#include <algorithm>
#include <cstdio>
#include <set>

#include "compiler/base/display_text.h"
#include "compiler/base/text_distance.h"
#include "compiler/syntax/literal.h"
#include "compiler/syntax/repair.h"

namespace netc::syntax {

namespace {

struct ForeignUnit {
  const char* word;
  std::vector<const char*> meant;
};

// What people write for units elsewhere. Several meanings: the author has to choose.
const ForeignUnit kForeignUnits[] = {
    {"Mb", {"MB", "MiB"}},  {"mb", {"MB", "MiB"}},    {"M", {"MB", "MiB"}},
    {"Kb", {"kB", "KiB"}},  {"KB", {"kB", "KiB"}},    {"kb", {"kB", "KiB"}},
    {"K", {"kB", "KiB"}},   {"Gb", {"GB", "GiB"}},    {"gb", {"GB", "GiB"}},
    {"G", {"GB", "GiB"}},   {"Tb", {"TB", "TiB"}},    {"tb", {"TB", "TiB"}},
    {"b", {"B"}},           {"byte", {"B"}},          {"bytes", {"B"}},
    {"sec", {"s"}},         {"secs", {"s"}},          {"second", {"s"}},
    {"seconds", {"s"}},     {"m", {"min"}},           {"mins", {"min"}},
    {"minute", {"min"}},    {"minutes", {"min"}},     {"hr", {"h"}},
    {"hrs", {"h"}},         {"hour", {"h"}},          {"hours", {"h"}},
    {"msec", {"ms"}},       {"usec", {"us"}},         {"iter", {"steps"}},
    {"iters", {"steps"}},   {"iteration", {"steps"}}, {"iterations", {"steps"}},
    {"update", {"steps"}},  {"updates", {"steps"}},   {"degree", {"deg"}},
    {"degrees", {"deg"}},   {"percent", {"%"}},       {"pct", {"%"}},
    {"image", {"samples"}}, {"images", {"samples"}},
};

const std::vector<std::string> kUnits = {"B",      "kB",   "MB",    "GB",     "TB",      "KiB",   "MiB",   "GiB",
                                         "TiB",    "us",   "ms",    "s",      "min",     "h",     "deg",   "epoch",
                                         "epochs", "step", "steps", "sample", "samples", "token", "tokens"};

bool is_number(TokenKind kind) {
  return kind == TokenKind::INT || kind == TokenKind::FLOAT;
}

class WordRepair {
 public:
  WordRepair(TokenList& list, Diagnostics& diagnostics)
      : list_(list), in_(std::move(list.tokens)), diagnostics_(diagnostics) {}

  void run() {
    out_.reserve(in_.size());
    while (at_ < in_.size()) {
      const size_t taken = repair_here();
      if (taken == 0) {
        keep(in_[at_]);
        ++at_;
      } else {
        at_ += taken;
      }
    }
    list_.tokens = std::move(out_);
  }

 private:
  // ---- reading ahead
  TokenKind kind(size_t ahead = 0) const {
    return at_ + ahead < in_.size() ? in_[at_ + ahead].kind : TokenKind::end_of_file;
  }
  std::string_view text(size_t ahead = 0) const {
    return at_ + ahead < in_.size() ? list_.spelling(in_[at_ + ahead]) : std::string_view();
  }
  // Does the token follow the one before it without a blank?
  bool touches(size_t ahead) const {
    return at_ + ahead < in_.size() && in_[at_ + ahead - 1].end == in_[at_ + ahead].begin;
  }
  bool same_line(size_t ahead) const {
    if (at_ + ahead >= in_.size()) return false;
    const uint32_t from = in_[at_ + ahead - 1].end;
    return list_.text.substr(from, in_[at_ + ahead].begin - from).find_first_of("\r\n") == std::string_view::npos;
  }
  Span span(size_t count) const { return {list_.file, in_[at_].begin, in_[at_ + count - 1].end}; }
  TokenKind previous() const { return out_.empty() ? TokenKind::end_of_file : out_.back().kind; }

  // ---- writing
  void keep(const Token& token) {
    if (is_opening(token.kind)) open_.push_back(token.kind);
    if (is_closing(token.kind) && !open_.empty()) open_.pop_back();
    out_.push_back(token);
  }
  // The next `count` tokens become one of the given kind.
  size_t join(TokenKind kind, size_t count, bool broken = false) {
    Token token = in_[at_];
    token.kind = kind;
    token.broken = broken;
    token.end = in_[at_ + count - 1].end;
    keep(token);
    return count;
  }
  void damaged() { list_.damage.push_back(in_[at_].begin); }

  // ---- the repairs; each returns how many tokens it took, 0 if it does not apply
  size_t repair_here() {
    switch (kind()) {
      case TokenKind::INT:
      case TokenKind::FLOAT:
      case TokenKind::QUANTITY: return number();
      case TokenKind::IDENT:
        return kind(1) == TokenKind::STRAY && touches(1) && is_foreign_letter(1) ? foreign_name() : device();
      case TokenKind::COLON: return kind(1) == TokenKind::ASSIGN && touches(1) ? walrus() : 0;
      case TokenKind::STAR:
        return kind(1) == TokenKind::STAR && touches(1) ? sign(TokenKind::POWER, 2, "a power is written `^`") : 0;
      case TokenKind::DOT: return kind(1) == TokenKind::DOT && touches(1) ? dots() : 0;
      case TokenKind::PIPE:
      case TokenKind::MINUS:
      case TokenKind::ASSIGN:
      case TokenKind::GREATER: return kind(1) == TokenKind::GREATER && touches(1) ? arrow() : 0;
      case TokenKind::STRAY: return stray();
      default: return 0;
    }
  }

  size_t number() {
    const bool percent = !text().empty() && text().back() == '%';
    if (is_word(kind(1)) && touches(1) && !percent) return unknown_unit();
    if (!is_number(kind()) || !same_line(1)) return 0;
    if (kind(1) == TokenKind::STRAY && text(1) == "%" && !starts_value(kind(2))) return blank_before_unit();
    // `seed: 3 steps: 500` has a field after the number, not a unit.
    const TokenKind after = kind(2);
    const bool is_name = after == TokenKind::COLON || after == TokenKind::ASSIGN || after == TokenKind::PAREN_OPEN ||
                         after == TokenKind::DOT;
    if (kind(1) == TokenKind::IDENT && is_unit(text(1)) && !is_name) return blank_before_unit();
    return 0;
  }

  size_t blank_before_unit() {
    const std::string joined = shortened(text()) + shortened(text(1));
    const Span blank{list_.file, in_[at_].end, in_[at_ + 1].begin};
    diagnostics_.error(Code::N0109, blank, "no blank between a number and its unit")
        .fix("write `" + joined + "`", blank, "", Confidence::certain);
    return join(TokenKind::QUANTITY, 2, true);
  }

  size_t unknown_unit() {
    // A quantity in front (`5stepsx`) means that the unit goes on.
    std::string_view whole = list_.text.substr(in_[at_].begin, in_[at_ + 1].end - in_[at_].begin);
    size_t unit_begin = in_[at_ + 1].begin;
    if (kind() == TokenKind::QUANTITY) {
      unit_begin = in_[at_].begin;
      while (unit_begin < in_[at_].end && !std::isalpha(static_cast<unsigned char>(list_.text[unit_begin])))
        ++unit_begin;
    }
    const std::string number(whole.substr(0, unit_begin - in_[at_].begin));
    const std::string unit(whole.substr(unit_begin - in_[at_].begin));
    const Span unit_span{list_.file, static_cast<uint32_t>(unit_begin), in_[at_ + 1].end};
    Diagnostic& record = diagnostics_.error(Code::N0108, unit_span, "unknown unit `" + shortened(unit) + "`");
    suggest_unit(record, unit_span, number, unit);
    return join(TokenKind::QUANTITY, 2, true);
  }

  void suggest_unit(Diagnostic& record, Span where, const std::string& number, const std::string& unit) const {
    const auto known = std::find_if(std::begin(kForeignUnits), std::end(kForeignUnits),
                                    [&](const ForeignUnit& f) { return unit == f.word; });
    if (known != std::end(kForeignUnits)) {
      std::vector<std::string> choices(known->meant.begin(), known->meant.end());
      if (choices.size() == 1) {
        record.fix("the unit is written `" + choices[0] + "`", where, choices[0], Confidence::certain);
      } else {
        record.choose("`" + choices[0] + "` counts in powers of 1000, `" + choices[1] + "` in powers of 1024", where,
                      choices);
      }
    } else if (unit == "k") {
      record.fix("thousands are written out", where, "_000", Confidence::guess);
    } else if (const auto close = suggest(unit, kUnits)) {
      record.fix("did you mean `" + *close + "`?", where, *close, Confidence::guess);
    } else {
      record.note("units: B kB MB GB TB KiB MiB GiB TiB, us ms s min h, steps epochs samples tokens, deg, %");
      if (number != "0") record.help("a product is written `" + shortened(number) + " * " + shortened(unit) + "`");
    }
  }

  // `gpu: 0`, `gpu :0`, `gpu 0`, `GPU:0`, `cuda:0` where a value stands.
  size_t device() {
    std::string word(text());
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool exact = text() == "gpu" || text() == "cpu" || text() == "sim";
    if (word == "cuda") word = "gpu";
    if (word != "gpu" && word != "cpu" && word != "sim") return 0;
    const bool in_record = !open_.empty() && open_.back() == TokenKind::BRACE_OPEN;
    const bool value_stands_here =
        previous() == TokenKind::COLON ||
        (!in_record && (previous() == TokenKind::COMMA || previous() == TokenKind::BRACKET_OPEN ||
                        previous() == TokenKind::PAREN_OPEN));
    if (!value_stands_here) return 0;
    const size_t number = kind(1) == TokenKind::COLON ? 2 : 1;
    if ((kind(number) != TokenKind::INT && kind(number) != TokenKind::STAR) || !same_line(1) || !same_line(number))
      return 0;
    if (number == 1 && kind(1) == TokenKind::STAR) return 0;  // `gpu * 2` is a product
    const std::string joined = word + ":" + std::string(text(number));
    const Span whole = span(number + 1);
    // Point at the blank if that is all there is to it.
    Span where = whole;
    if (exact && number == 2) where = {list_.file, in_[at_].end, in_[at_ + 2].begin};
    if (exact && number == 2 && touches(1)) where.begin = in_[at_ + 1].end;
    if (exact && number == 2 && touches(2)) where.end = in_[at_ + 1].begin;
    diagnostics_.error(Code::N0117, where, "a device is one word: `" + shortened(joined) + "`")
        .fix(exact ? "join it" : "devices are cpu:N, gpu:N and sim:N", whole, joined,
             exact ? Confidence::certain : Confidence::guess);
    return join(TokenKind::DEVICE, number + 1, true);
  }

  size_t walrus() {
    const TokenKind before_name = out_.size() >= 2 ? out_[out_.size() - 2].kind : TokenKind::end_of_file;
    const bool wants_value = before_name == TokenKind::KW_LET || before_name == TokenKind::KW_CONST ||
                             before_name == TokenKind::KW_OUTPUT || before_name == TokenKind::KW_SHARED;
    Span whole = span(2);
    if (!wants_value && !out_.empty()) whole.begin = out_.back().end;
    diagnostics_.error(Code::N0114, span(2), "`:=` has no meaning here")
        .fix("a type follows `:`, a value follows `=`", whole, wants_value ? "=" : ":", Confidence::certain);
    return join(wants_value ? TokenKind::ASSIGN : TokenKind::COLON, 2);
  }

  size_t dots() {
    size_t count = 2;
    while ((kind(count) == TokenKind::DOT || kind(count) == TokenKind::ASSIGN) && touches(count)) ++count;
    const size_t taken = sign(TokenKind::RANGE, count, "a range is written `0 ..< n`, without its end");
    list_.damage.push_back(out_.back().begin);
    return taken;
  }

  // A sign of another language that has one here.
  size_t sign(TokenKind meant, size_t count, const std::string& advice) {
    const std::string found(list_.text.substr(in_[at_].begin, in_[at_ + count - 1].end - in_[at_].begin));
    std::string replacement = fixed_spelling(meant);
    if (is_word(meant) && at_ > 0 && in_[at_ - 1].end == in_[at_].begin && is_word(in_[at_ - 1].kind))
      replacement.insert(0, " ");
    if (is_word(meant) && touches(count)) replacement += ' ';
    diagnostics_.error(Code::N0114, span(count), "`" + shortened(found) + "` has no meaning here")
        .fix(advice, span(count), replacement, Confidence::guess);
    return join(meant, count);
  }

  // `->`, `=>`, `>>`, `|>>`
  size_t arrow() {
    const bool between_values = !out_.empty() && ends_value_or_name(out_.back().kind) &&
                                (is_word(kind(2)) || kind(2) == TokenKind::PAREN_OPEN) &&
                                kind(3) != TokenKind::BRACE_OPEN;
    if (between_values) return pipe(2);
    if (previous() == TokenKind::PAREN_CLOSE && is_word(kind(2)) && kind(3) == TokenKind::BRACE_OPEN) {
      diagnostics_.error(Code::N0114, span(2), "`" + std::string(text()) + ">` has no meaning here")
          .fix("the type of a result is not written", {list_.file, out_.back().end, in_[at_ + 2].end}, "",
               Confidence::certain);
      return 3;
    }
    return 0;
  }

  size_t pipe(size_t count) {
    diagnostics_.error(Code::N0110, span(count), "a pipeline is written `|>`")
        .fix("write `|>`", span(count), "|>", Confidence::certain);
    return join(TokenKind::PIPE, count);
  }

  static bool ends_value_or_name(TokenKind kind) { return ends_value(kind) || kind == TokenKind::IDENT; }

  size_t stray() {
    const std::string_view c = text();
    if (c == ";") {
      diagnostics_.error(Code::N0114, span(1), "`;` has no meaning here")
          .fix("statements need no `;`", span(1), "", Confidence::certain);
      return 1;
    }
    if (c == "|") return bar();
    if (c == "&") return sign(TokenKind::KW_AND, text(1) == "&" && touches(1) ? 2 : 1, "write `and`");
    if (c == "!" && (starts_value(kind(1)) || is_word(kind(1)))) return sign(TokenKind::KW_NOT, 1, "write `not`");
    if (c == "'") {
      diagnostics_.error(Code::N0105, span(1), "strings use double quotes");
      damaged();
      return 1;
    }
    if (c == "\u201C" || c == "\u201D" || c == "\u2018" || c == "\u2019") return curly_quotes();
    if (c == "%") {
      diagnostics_.error(Code::N0114, span(1), "`%` has no meaning here").help("the rest of a division is `mod(a, b)`");
      damaged();
      return join(TokenKind::SLASH, 1);
    }
    if (is_foreign_letter(0) && kind(1) == TokenKind::IDENT && touches(1)) return foreign_name();
    return meaningless();
  }

  size_t bar() {
    size_t count = 1;
    while (touches(count) &&
           (kind(count) == TokenKind::PIPE || kind(count) == TokenKind::GREATER || text(count) == "|"))
      ++count;
    if (count == 2 && text(1) == "|") return sign(TokenKind::KW_OR, 2, "write `or`; a pipeline is written `|>`");
    if (count == 1 && kind(1) == TokenKind::GREATER && same_line(1)) count = 2;
    return pipe(count);
  }

  // Quotes as word processors make them: two of them on a line are a string.
  size_t curly_quotes() {
    size_t count = 1;
    const auto is_quote = [&](size_t ahead) {
      const std::string_view c = text(ahead);
      return c == "\u201C" || c == "\u201D" || c == "\u2018" || c == "\u2019";
    };
    while (same_line(count) && !is_quote(count)) ++count;
    Diagnostic& record = diagnostics_.error(Code::N0105, span(1), "strings use double quotes");
    if (!same_line(count)) {
      damaged();
      return 1;
    }
    const Span whole = span(count + 1);
    const size_t quote_bytes = text().size();
    const std::string inside(
        list_.text.substr(whole.begin + quote_bytes, whole.end - whole.begin - quote_bytes - text(count).size()));
    if (inside.find_first_of("\"\\") == std::string::npos) {
      record.fix("write straight quotes", whole, '"' + inside + '"', Confidence::certain);
    }
    return join(TokenKind::STRING, count + 1, true);
  }

  bool is_foreign_letter(size_t ahead) const {
    const std::string_view c = text(ahead);
    size_t length = 0;
    const int32_t code_point = c.empty() ? -1 : decode_utf8(c, 0, &length);
    const bool punctuation = code_point >= 0x2000 && code_point < 0x2C00;
    return code_point >= 0xC0 && !punctuation && code_point < 0xE000;
  }

  // A name with letters outside a-z is kept as a name, so that it means the same everywhere, and reported once.
  size_t foreign_name() {
    size_t count = 1;
    while (touches(count) && (kind(count) == TokenKind::IDENT || kind(count) == TokenKind::INT ||
                              (kind(count) == TokenKind::STRAY && is_foreign_letter(count)))) {
      ++count;
    }
    const Span whole = span(count);
    const std::string name(list_.text.substr(whole.begin, whole.end - whole.begin));
    if (foreign_names_.insert(name).second) {
      size_t letter = 0;
      while (letter < count && kind(letter) != TokenKind::STRAY) ++letter;
      diagnostics_
          .error(Code::N0114, list_.span(in_[at_ + letter]), "`" + std::string(text(letter)) + "` has no meaning here")
          .note("names are made of the letters a to z, digits and `_`");
    }
    return join(TokenKind::IDENT, count);
  }

  size_t meaningless() {
    size_t count = 1;
    while (kind(count) == TokenKind::STRAY && touches(count) && !is_special(text(count))) ++count;
    diagnostics_
        .error(Code::N0114, span(count),
               visible(list_.text.substr(in_[at_].begin, in_[at_ + count - 1].end - in_[at_].begin)) +
                   " has no meaning here")
        .fix("remove it", span(count), "", Confidence::guess);
    damaged();
    return count;
  }

  static bool is_special(std::string_view c) { return c == ";" || c == "|" || c == "&" || c == "'" || c == "%"; }

  // `@`; characters that cannot be seen by their number: `U+00A0`
  static std::string visible(std::string_view characters) {
    constexpr size_t kMost = 8;
    std::string out;
    size_t shown = 0;
    for (size_t i = 0; i < characters.size(); ++shown) {
      if (shown == kMost) {
        out += "...";
        break;
      }
      size_t length = 1;
      const int32_t c = decode_utf8(characters, i, &length);
      const bool hidden = c < 0x21 || c == 0x7F || (c >= 0x80 && c <= 0xA0) || c == 0xAD ||
                          (c >= 0x2000 && c < 0x2010) || (c >= 0x2028 && c < 0x2030) || c == 0x3000 || c == 0xFEFF;
      if (hidden) {
        char number[16];
        std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(c));
        out += number;
      } else {
        out += characters.substr(i, length);
      }
      i += length;
    }
    return '`' + out + '`';
  }

  TokenList& list_;
  const std::vector<Token> in_;
  Diagnostics& diagnostics_;
  std::vector<Token> out_;
  std::vector<TokenKind> open_;
  std::set<std::string> foreign_names_;
  size_t at_ = 0;
};

}  // namespace

void repair_words(TokenList& list, Diagnostics& diagnostics) {
  WordRepair(list, diagnostics).run();
}

}  // namespace netc::syntax
