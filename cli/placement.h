// Where the towers of a plan are on this machine.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/plan.h"
#include "compiler/kernel/target.h"
#include "compiler/kernel/tower_program.h"

namespace netc {

// The plan with its towers as devices: `towers: auto`, and a plan that names none, is cpu:0.
Plan resolve_towers(Plan plan);
std::vector<TowerPlacement> placements(const Plan& plan);

// The target called `name`, or this machine's own if it is empty. UsageError lists the names.
Target choose_target(const std::string& name);

}  // namespace netc
