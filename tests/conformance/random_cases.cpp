// Random graphs through all passes: chains, broadcasts, reductions and products that nobody would write by hand.
#include "compiler/autodiff/differentiate.h"
#include "compiler/ops/op.h"
#include "tests/conformance/conformance_case.h"
#include "tests/ops/random_graph.h"

namespace netc::test {

std::vector<ConformanceCase> random_cases() {
  constexpr uint64_t kGraphs = 12;
  constexpr int64_t kRows = 5;
  std::vector<ConformanceCase> cases;
  for (uint64_t seed = 1; seed <= kGraphs; ++seed) {
    const Graph forward = random_graph(seed, 30);
    cases.push_back({"random_" + std::to_string(seed), forward, made_up_environment(forward, kRows, seed), 1});

    Graph backward = random_graph(100 + seed, 20);
    GraphBuilder b(backward);
    NodeId loss = b.constant(0);
    for (const Result& result : backward.results) loss = b.add(loss, b.batch_sum(result.node));
    backward.results = {{"loss.total", loss}};
    for (const ParameterGradient& entry : differentiate(backward, loss))
      backward.results.push_back({"d " + backward[entry.parameter].name, entry.gradient});
    cases.push_back({"random_gradient_" + std::to_string(seed), backward, made_up_environment(backward, kRows, seed), 1});
  }
  return cases;
}

}  // namespace netc::test
