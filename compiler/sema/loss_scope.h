// Names inside `loss` and `metrics`: outputs of the net and fields of the data.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/sema/data.h"
#include "compiler/sema/evaluator.h"

namespace netc::sema {

struct LossScope {
  std::string net_name;
  const ast::NetDecl* net = nullptr;
  const std::vector<NetOutput>& outputs;
  const DataAnalysis* data = nullptr;
  std::function<NodeId(const FieldAnalysis&)> field_node;   // builds the leaf of a field when it is used
};

// A row of losses or metrics with its tensors: one value a sample. kNoNode after an error (N0601, N0608, ...).
NodeId row_value(const LayerRow& row, const ast::Expr& expr, const LossScope& scope, const std::string& path,
                 Evaluator* evaluator, Context& context);

// Sums and constant multiples of losses: one value a sample. kNoNode after an error.
NodeId loss_value(const ast::Expr& expr, const LossScope& scope, const std::string& name, Evaluator* evaluator,
                  Context& context, std::vector<Unavailable>* unavailable);

}  // namespace netc::sema
