// What a value depends on.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace netc::sema {

// True for every node that the given ones depend on, and for themselves.
std::vector<bool> reached(const Graph& graph, const std::vector<NodeId>& from);

// The same, but only along ops that pass a gradient on.
std::vector<bool> reached_by_gradient(const Graph& graph, const std::vector<NodeId>& from);

}  // namespace netc::sema
