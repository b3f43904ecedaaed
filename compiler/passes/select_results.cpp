#include "compiler/passes/select_results.h"

#include <algorithm>

#include "compiler/base/errors.h"
#include "compiler/passes/remove_dead.h"

namespace netc {

Graph select_results(Graph graph, const std::vector<std::string>& names, bool keep_updates) {
  std::vector<Result> selected;
  for (const std::string& name : names) {
    const auto found = std::find_if(graph.results.begin(), graph.results.end(),
                                    [&](const Result& result) { return result.name == name; });
    if (found == graph.results.end()) throw InternalError("the graph has no result `" + name + "`");
    selected.push_back(*found);
  }
  graph.results = std::move(selected);
  if (!keep_updates) graph.updates.clear();
  return remove_dead(std::move(graph));
}

}  // namespace netc
