// `--set name=value`: values for params from outside.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/sema/declarations.h"

namespace netc::sema {

// Gives the params their values before anything is evaluated. N0314, N0315, N0904.
void apply_params(const std::vector<std::pair<std::string, std::string>>& params, const Declarations& declarations,
                  Diagnostics& diagnostics);

}  // namespace netc::sema
