// The buckets of a program for towers with a memory each; plan_towers.h says by which rules.
#pragma once

#include <vector>

#include "compiler/program/plan_towers.h"

namespace netc {

std::vector<GradientBucket> plan_buckets(const Program& program, const TowerOptions& options);

}  // namespace netc
