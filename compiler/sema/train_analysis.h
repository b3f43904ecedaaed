// A `train` declaration: its net built on its data, with losses and metrics, and the typed specification.
#pragma once

#include "compiler/sema/analyze.h"
#include "compiler/sema/data.h"
#include "compiler/sema/evaluator.h"

namespace netc::sema {

struct TrainAnalysis {
  bool sound = false;
  TrainSpec spec;
  DataSpec data;
  const ast::NetDecl* net_declaration = nullptr;
  ShapeTable table;
  std::vector<Unavailable> unavailable;
};

// Builds into evaluator.net(), which must be fresh. `plan` is the chosen plan if it is sound: for worked-out numbers.
TrainAnalysis analyze_train(const ast::TrainDecl& train, const Module& home, const Plan* plan, int gpus, Evaluator& evaluator);

// A net without a train, with the defaults of its parameters; false if some have none (then nothing is built).
bool analyze_net(const ast::NetDecl& net, const Module& home, Evaluator& evaluator, ShapeTable* table);

}  // namespace netc::sema
