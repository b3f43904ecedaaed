#include "compiler/syntax/parse_check.h"

#include "NetLexer.h"
#include "NetParser.h"

namespace netc {

namespace {

using antlr4::Parser;
using grammar::NetParser;

class AmbiguityListener : public antlr4::BaseErrorListener {
 public:
  explicit AmbiguityListener(GrammarReading& reading) : reading_(reading) {}

  void syntaxError(antlr4::Recognizer*, antlr4::Token*, size_t, size_t, const std::string&,
                   std::exception_ptr) override {
    reading_.fits = false;
  }
  void reportAmbiguity(Parser* parser, const antlr4::dfa::DFA& dfa, size_t, size_t, bool, const antlrcpp::BitSet&,
                       antlr4::atn::ATNConfigSet*) override {
    reading_.ambiguous.push_back(rule(parser, dfa));
  }
  void reportContextSensitivity(Parser* parser, const antlr4::dfa::DFA& dfa, size_t, size_t, size_t,
                                antlr4::atn::ATNConfigSet*) override {
    reading_.full_context.push_back(rule(parser, dfa));
  }

 private:
  static std::string rule(Parser* parser, const antlr4::dfa::DFA& dfa) {
    return parser->getRuleNames().at(dfa.atnStartState->ruleIndex);
  }

  GrammarReading& reading_;
};

// Counts how often the parser looks at a token.
class CountingStream : public antlr4::CommonTokenStream {
 public:
  CountingStream(antlr4::TokenSource* source, int64_t& looked_at) : CommonTokenStream(source), looked_at_(looked_at) {}
  antlr4::Token* LT(ssize_t k) override {
    ++looked_at_;
    return CommonTokenStream::LT(k);
  }

 private:
  int64_t& looked_at_;
};

}  // namespace

GrammarReading read_exactly(FileId file, const SourceMap& sources) {
  GrammarReading reading;
  reading.fits = true;
  AmbiguityListener listener(reading);
  antlr4::ANTLRInputStream input(sources.text(file));
  grammar::NetLexer lexer(&input);
  lexer.removeErrorListeners();
  CountingStream stream(&lexer, reading.looked_at);
  NetParser parser(&stream);
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  auto* interpreter = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  interpreter->setPredictionMode(antlr4::atn::PredictionMode::LL_EXACT_AMBIG_DETECTION);
  parser.file();
  reading.tokens = static_cast<int64_t>(stream.size());
  return reading;
}

}  // namespace netc
