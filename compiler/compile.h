// The compiler behind the front end, as one list of passes: a typed net goes in, the programs of a run come out.
//
//   "train"     losses and metrics of a batch, gradients, updated weights
//   "evaluate"  losses and metrics, as the net is outside training
//   "predict"   every output of the net, row by row; needs no targets
//
// The three share weights by name and have the same layout for each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/graph/graph.h"
#include "compiler/kernel/library_product.h"
#include "compiler/kernel/program.h"
#include "compiler/kernel/target.h"
#include "compiler/kernel/tower_program.h"

namespace netc {

struct CompileRequest {
  Target target;                           // numbers for layouts; see known_targets()
  int64_t batch_capacity = 1;              // most rows one tower takes in one step
  std::vector<TowerPlacement> towers;      // at least one
  bool fuse = true;                        // false: one kernel per node, for comparison
  // separate: the towers have a copy of the weights each and add up their gradients (tower_program.h); every program of
  // the run is planned so, also for one tower.
  TowerMemory memory = TowerMemory::shared;
  int64_t bucket_bytes = int64_t{25} << 20;   // separate: most bytes of gradients exchanged at once (Plan::bucket_bytes)
  // The library that makes the matrix products (cublaslt()); none: products are generated kernels, epilogue and all. With
  // one every matrix is row-major.
  std::optional<ProductLibrary> products;
  // Called after every pass with its name ("train/fuse") and what it left; null: nothing is printed.
  std::function<void(const std::string& pass, const std::string& text)> dump;
};

struct PassTime {
  std::string pass;                        // "train/fuse"
  double milliseconds = 0;
};

struct Compiled {
  Graph gradient;                          // one training step, before it is lowered
  std::vector<Program> programs;           // train, evaluate, predict
  TowerProgram train;                      // the first of them, spread over the towers
  TowerProgram evaluate, predict;          // the others; of separate memory only, else empty
  std::vector<PassTime> times;
};

// `net` as compiler/sema makes it: results are losses, metrics (unbatched sums) and outputs (batched). Throws
// InternalError, with the faulty stage printed, if a pass leaves something unsound.
Compiled compile(const Graph& net, const TrainSpec& train, const CompileRequest& request);

const Program* find_program(const std::vector<Program>& programs, const std::string& name);   // null if absent

}  // namespace netc
