// Facts about how the grammar reads a file, for tests of the grammar itself: is it ambiguous, does it look far ahead?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"

namespace netc {

struct GrammarReading {
  int64_t tokens = 0;
  int64_t looked_at = 0;               // tokens looked at by all predictions together
  std::vector<std::string> ambiguous;  // the rules in which the text can be read in two ways
  std::vector<std::string> full_context;  // the rules in which one level of lookahead (SLL) was not enough
  bool fits = false;                   // the file has no syntax error
};

// Reads with the exact (slow) prediction of ANTLR, which finds every ambiguity.
GrammarReading read_exactly(FileId file, const SourceMap& sources);

}  // namespace netc
