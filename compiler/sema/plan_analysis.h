// A `plan` declaration checked into the typed Plan.
#pragma once

#include <optional>
#include <vector>

#include "compiler/base/plan.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/evaluator.h"

namespace netc::sema {

// nullopt after an error.
std::optional<Plan> analyze_plan(const ast::PlanDecl& plan, const Module& home, Evaluator& evaluator);

// The plan a file without one means: every GPU, else the processor.
Plan implied_plan();

// Replaces the towers (`--towers`). Several towers need a way to join gradients: `sync: none` becomes allreduce.
void override_towers(Plan* plan, const std::vector<Device>& towers);

// Towers as far as they are known: explicit ones counted, `gpu:*` and `auto` as `gpus` (at least one for auto).
// 0: not known.
int64_t tower_count(const Plan& plan, int gpus);

// N0705, N0709 and what else needs the batch and the plan together. `batch` is the span of the batch.
void check_batch(const Plan& plan, int64_t batch, BatchScope scope, Span batch_span, Diagnostics& diagnostics);

}  // namespace netc::sema
