// The table of initialisers, and what each means for a weight of given fan-in and fan-out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/initializer.h"
#include "compiler/layers/arguments.h"
#include "compiler/layers/signature.h"

namespace netc {

const std::vector<Signature>& initializer_table();

// InternalError for a name that is not in the table or not available (sema has refused it before).
Initializer make_initializer(const InitializerChoice& choice, int64_t fan_in, int64_t fan_out);

}  // namespace netc
