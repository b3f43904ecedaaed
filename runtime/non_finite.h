// Where numbers first went wrong: the first weight or the first kernel of a step whose values are not finite.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/kernel/program.h"
#include "runtime/backend.h"

namespace netc {

struct NonFinite {
  std::string place;                  // "weight fc1.weight", "kernel fc1_matmul_add_relu"
  std::vector<Span> spans;            // the stages inside
  std::vector<std::string> inputs;    // "fc1.weight: -0.05 .. 3.1e38": what the kernel read, with ranges
};

// Runs the part of `program` up to its loss once more, as `context` says, with the weights of `parameters`, and looks at
// every value on the way. Loads a program of its own on `backend`; `parameters` stay as they are.
std::optional<NonFinite> find_non_finite(Backend& backend, const Program& program, const Parameters& parameters,
                                         const StepContext& context);

}  // namespace netc
