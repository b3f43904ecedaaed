// Reads a file whose grammar is not right, declaration by declaration, repairing one misfit after the other.
#include <algorithm>
#include <optional>

#include "compiler/syntax/misfit_site.h"
#include "compiler/syntax/parse_steps.h"
#include "compiler/syntax/repair.h"
#include "compiler/syntax/repair_proposals.h"

namespace netc::syntax {

namespace {

constexpr int kMostReports = 50;             // then the rest of the file is not read
constexpr int64_t kTokenBudget = 2'000'000;  // tokens read in trials, for one file
constexpr size_t kGroupTokens = 256;
constexpr size_t kMostDamage = 1000;  // then the file as a whole is marked

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
      const std::optional<Repair> repair = find_repair(list_, misfit->token, following_, diagnostics_, budget_);
      if (!repair) return false;
      if (!is_quiet(misfit->token)) {
        repair->report();
        ++reports_;
      }
      if (repair->damages)
        list_.damage.push_back(MisfitSite(list_, misfit->token, following_).place_of(misfit->token).begin);
      skipped_to_ = repair->damages ? repair->after : MisfitSite::kNone;
      list_.tokens = repair->tokens;
      misfit = repair->misfit;
    }
    return true;
  }

  // For what was given up before anything was said about it.
  void report_unreadable() {
    const std::optional<Misfit> misfit = find_misfit(list_.tokens);
    if (!misfit || reports_ >= kMostReports || is_quiet(misfit->token)) return;
    const MisfitSite site(list_, misfit->token, following_);
    diagnostics_.error(Code::N0101, site.place_of(misfit->token),
                       "expected " + site.expected() + ", found " + site.found());
    ++reports_;
  }

 private:
  // A mistake that only follows from one that was reported.
  bool is_quiet(size_t k) const {
    const MisfitSite site(list_, k, following_);
    const TokenContext& context = site.context();
    if (skipped_to_ != MisfitSite::kNone && k <= skipped_to_ + 1 && skipped_to_ < list_.tokens.size()) {
      const bool fresh_start =
          context.item_begin(skipped_to_) == skipped_to_ && !has_commas(context.place(skipped_to_));
      if (!fresh_start) return true;
    }
    // Something was left out right here.
    const uint32_t gap_begin = k > 0 ? list_.tokens[k - 1].end : 0, gap_end = site.place_of(k).begin;
    const bool is_gap_damaged = std::any_of(list_.damage.begin(), list_.damage.end(),
                                            [&](uint32_t at) { return at >= gap_begin && at < gap_end; });
    if (is_gap_damaged) return true;
    const auto lies_in = [&](size_t i) {
      const Span at = place(list_, i);
      return std::any_of(list_.quiet.begin(), list_.quiet.end(),
                         [&](Span line) { return at.begin >= line.begin && at.begin <= line.end; });
    };
    return lies_in(k) || (k > 0 && lies_in(k - 1));
  }

  TokenList& list_;
  const Token* following_;
  Diagnostics& diagnostics_;
  int64_t& budget_;
  int& reports_;
  size_t skipped_to_ = MisfitSite::kNone;  // behind what was left out last
};

// ---------------------------------------------------------------- the file, declaration by declaration
bool may_start_declaration(const std::vector<Token>& tokens, size_t i) {
  const TokenKind kind = tokens[i].kind;
  const TokenKind next = i + 1 < tokens.size() ? tokens[i + 1].kind : TokenKind::end_of_file;
  const TokenKind before = i > 0 ? tokens[i - 1].kind : TokenKind::end_of_file;
  const bool inside_expression = before == TokenKind::DOT || before == TokenKind::ASSIGN ||
                                 before == TokenKind::COLON || before == TokenKind::COMMA ||
                                 (before >= TokenKind::PIPE && before <= TokenKind::NOT_EQUAL);
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
      const bool misplaced =
          (kind == TokenKind::KW_LANGUAGE && begin != 0) || (kind == TokenKind::KW_USE && seen_declaration);
      if (misplaced) {
        const std::string word = fixed_spelling(kind);
        diagnostics_.error(Code::N0101, list_.span(list_.tokens[begin]), "expected a declaration, found `" + word + "`")
            .help(kind == TokenKind::KW_USE ? "`use` lines stand above all declarations"
                                            : "`language` stands once, as the first of the file");
        ++reports_;
      }
      seen_declaration |= kind != TokenKind::KW_LANGUAGE && kind != TokenKind::KW_USE;
    }
  }

  void take(size_t begin, size_t end) {
    part_.tokens.assign(list_.tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                        list_.tokens.begin() + static_cast<std::ptrdiff_t>(end));
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
