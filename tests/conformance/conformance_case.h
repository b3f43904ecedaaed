// What the conformance suite tries on every backend: graphs with data. Each becomes a program, fused and not, and is
// compared with the reference backend in f64, whose running error analysis gives each element its tolerance.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/kernel/program.h"
#include "compiler/kernel/target.h"
#include "compiler/kernel/tower_program.h"
#include "runtime/backend.h"
#include "tests/ops/graph_evaluator.h"

namespace netc::test {

struct ConformanceCase {
  std::string name;
  Graph graph;                 // updates and all; names of leaves are the case's own
  Environment environment;
  int steps = 1;               // with the same rows, and update_count and the random draws moving on
};

std::vector<ConformanceCase> row_cases();      // every row of the op table, on the cases of tests/ops
std::vector<ConformanceCase> net_cases();      // whole training steps of small nets of awkward sizes
std::vector<ConformanceCase> random_cases();   // random graphs and their gradients

// Leaves filled with small numbers, ids with whole numbers below their classes, raw bytes with 0 .. 255.
Environment made_up_environment(const Graph& graph, int64_t rows, uint64_t seed);

// Cases made ready: leaves renamed "case/leaf" so that the cases of a suite can share one load, every result readable.
class CaseSuite {
 public:
  explicit CaseSuite(std::vector<ConformanceCase> cases);

  const std::vector<ConformanceCase>& cases() const { return cases_; }
  std::vector<Program> programs(const Target& target, bool fused) const;   // one a case; InternalError if unsound
  // The same for towers that do not share memory, of the cases that `can_be_separate`.
  std::vector<TowerProgram> separate_programs(const Target& target, bool fused, int towers) const;
  // False for a case that makes something of a whole batch that is no sum, such as a maximum.
  bool can_be_separate(size_t number) const;

 private:
  std::vector<ConformanceCase> cases_;
};

// All that can be seen of a case after a run: results and outputs of each step, weights and slots at the end.
struct Observed {
  std::vector<float> values;
  std::vector<double> errors;   // of the oracle only
};
using Observations = std::map<std::string, Observed>;

// One for each case; empty for those that cannot be planned for `memory`. `with_errors`: the backend is the reference with bounded arithmetic.
std::vector<Observations> run_suite(const CaseSuite& suite, Backend& backend, const Target& target, bool fused,
                                    int towers, bool with_errors = false, TowerMemory memory = TowerMemory::shared);

}  // namespace netc::test
