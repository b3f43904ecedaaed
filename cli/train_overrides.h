// Options of the command line that stand for fields of `train`. They are edits of the tree, made before it is analysed:
// every check sees them, and resolved.net holds what really ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/syntax/ast.h"

namespace netc {

struct TrainOverrides {
  std::optional<int64_t> epochs, steps;      // one replaces both
  std::optional<uint64_t> seed;
  std::optional<std::string> init_from;      // relative to the current folder
};

// Edits the `train` called `name`, or all of them if it is empty (there is only one, or the analysis asks which).
// `init_from` of the file becomes absolute: it is relative to `folder`, where the file is, and resolved.net will lie
// elsewhere.
void apply(const TrainOverrides& overrides, const std::string& name, const std::string& folder, ast::File& file);

}  // namespace netc
