// Runs the generated parser. It stops at the first token that does not fit and says which one that is; what is wrong
// and how to go on is decided by repair_syntax.cpp, in the user's words.
#include <algorithm>

#include "NetParser.h"
#include "compiler/syntax/parse_steps.h"

namespace netc::syntax {

namespace {

using grammar::NetParser;

// In place of ANTLR's strategy, which deletes and inserts tokens by itself and reports sets of tokens.
class StopAtMisfit : public antlr4::DefaultErrorStrategy {
 public:
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
  void sync(antlr4::Parser*) override {}

  void recover(antlr4::Parser*, std::exception_ptr error) override {
    try {
      std::rethrow_exception(error);
    } catch (const antlr4::RecognitionException& e) {
      throw Misfit{e.getOffendingToken()->getTokenIndex()};
    }
  }

  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    throw Misfit{parser->getCurrentToken()->getTokenIndex()};
  }
};

std::vector<std::unique_ptr<antlr4::Token>> to_antlr(const std::vector<Token>& tokens) {
  std::vector<std::unique_ptr<antlr4::Token>> out;
  out.reserve(tokens.size() + 1);
  for (const Token& token : tokens)
    out.push_back(std::make_unique<antlr4::CommonToken>(static_cast<size_t>(token.kind)));
  out.push_back(std::make_unique<antlr4::CommonToken>(antlr4::Token::EOF));
  return out;
}

// A parser over a list of tokens, with everything it needs to live.
struct Run {
  explicit Run(const std::vector<Token>& tokens) : source(to_antlr(tokens)), stream(&source), parser(&stream) {
    parser.removeErrorListeners();
    parser.setErrorHandler(std::make_shared<StopAtMisfit>());
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  }
  antlr4::ListTokenSource source;
  antlr4::CommonTokenStream stream;
  NetParser parser;
};

}  // namespace

std::optional<Misfit> find_misfit(const std::vector<Token>& tokens) {
  Run run(tokens);
  run.parser.setBuildParseTree(false);
  try {
    run.parser.file();
  } catch (const Misfit& misfit) {
    return Misfit{std::min(misfit.token, tokens.size())};
  }
  return std::nullopt;
}

std::optional<Misfit> read_tree(const TokenList& list, ast::File& file, Diagnostics& diagnostics) {
  Run run(list.tokens);
  try {
    build_tree(run.parser.file(), list, file, diagnostics);
  } catch (const Misfit& misfit) {
    return Misfit{std::min(misfit.token, list.tokens.size())};
  }
  return std::nullopt;
}

}  // namespace netc::syntax
