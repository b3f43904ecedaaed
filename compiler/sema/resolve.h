// The resolved file: one train with all it needs in one text, imports joined, values of params put in and defaults
// written out. Reading it again gives the same Analysis.
#pragma once

#include <string>

#include "compiler/sema/analyze.h"
#include "compiler/sema/declarations.h"

namespace netc::sema {

// `train` and `plan` are the chosen declarations of the root file (`plan` null: none); all constants are evaluated.
// Names of different files that clash are made different with the name of their file.
std::string resolved_text(const Declarations& declarations, const ast::TrainDecl& train, const ast::PlanDecl* plan,
                          const Analysis& analysis, const AnalyzeOptions& options);

}  // namespace netc::sema
