// The head of a generated unit: vector types, loads, stores, selections, transposes, random bits, for one target.
#pragma once

#include <string>

#include "compiler/kernel/target.h"

namespace netc {

struct PreludeNeeds {
  bool random = false;
  bool transpose = false;
};

std::string emit_prelude(const Target& target, const PreludeNeeds& needs);

}  // namespace netc
