// The stages of a field: what type each leaves, and the ops of those that are computed with the net.
#pragma once

#include <vector>

#include "compiler/sema/data.h"

namespace netc::sema {

// Walks the stages of `declaration` from analysis->raw; sets type, spec.transforms, available, augmented. Stages without
// an implementation are appended to `unavailable`. False after an error.
bool apply_transforms(const ast::Field& declaration, Evaluator& evaluator, Context& context, FieldAnalysis* analysis,
                      std::vector<Unavailable>* unavailable);

}  // namespace netc::sema
