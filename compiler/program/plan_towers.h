// Program -> TowerProgram: which steps every tower does on its own rows, which all do together, and how the gradient
// of each weight becomes that of the whole batch.
#pragma once

#include <vector>

#include "compiler/kernel/tower_program.h"

namespace netc {

TowerProgram plan_towers(Program program, std::vector<TowerPlacement> towers);

}  // namespace netc
