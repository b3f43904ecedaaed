// The repairs that may make a misfit fit. Internal to compiler/syntax.
#pragma once

#include <functional>
#include <optional>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/parse_steps.h"
#include "compiler/syntax/token.h"

namespace netc::syntax {

struct Repair {
  std::vector<Token> tokens;     // the repaired list
  std::optional<Misfit> misfit;  // the next one in it
  size_t after = 0;              // index of the first token behind the repair
  bool damages = false;          // something was left out
  std::function<void()> report;  // says what was wrong; valid as long as the list that was repaired
};

// The best repair of the misfit at token `k`. Every token read in trials is taken off `budget`.
std::optional<Repair> find_repair(const TokenList& list, size_t k, const Token* following, Diagnostics& diagnostics,
                                  int64_t& budget);

}  // namespace netc::syntax
