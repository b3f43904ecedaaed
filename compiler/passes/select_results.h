// select_results: keeps the named results and drops the others, with all that only they needed.
//
//   result loss.total = %30                                result logits = %12
//   result logits = %12        -- {"logits"} ->
//   update fc1.weight = %55
//
// Before: any sound graph; every name stands for one of its results. After: results are in the order of `names`;
// updates stay if `keep_updates`. Idempotent; linear in the number of nodes.
//
// One net gives several programs: training reports losses and updates weights, evaluation reports losses and metrics,
// prediction reports outputs. Each starts from the same graph and selects what it is for.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace netc {

Graph select_results(Graph graph, const std::vector<std::string>& names, bool keep_updates);

}  // namespace netc
