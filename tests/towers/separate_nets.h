// Nets for towers with a memory each, one for each thing that may go wrong where sums are completed late.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/graph/graph.h"

namespace netc::test {

struct SeparateNet {
  std::string name;
  Graph graph;              // results loss.total, and others as the net has them
  OptimizerSpec optimizer;
  ClipSpec clip;
};

std::vector<SeparateNet> separate_nets();
SeparateNet separate_net(const std::string& name);

}  // namespace netc::test
