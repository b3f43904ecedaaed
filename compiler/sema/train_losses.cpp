// Losses and metrics of a train.
#include <algorithm>

#include "compiler/layers/losses.h"
#include "compiler/sema/train_reader.h"

namespace netc::sema {

LossScope TrainReader::loss_scope() {
  return LossScope{net_ ? net_->name.text : "", net_, outputs_, has_data_ ? &data_ : nullptr,
                   [this](const FieldAnalysis& field) { return target_node(field); }};
}

NodeId TrainReader::target_node(const FieldAnalysis& field) {
  const std::string& name = field.spec.name;
  if (const auto known = fed_.find(name); known != fed_.end()) return known->second;
  std::string leaf = name;   // an input of that name may be fed by another field
  for (const auto& [input, from] : spec().inputs)
    if (input == name) leaf = "data." + name;
  spec().inputs.emplace_back(leaf, name);
  return fed_[name] = build_field(field, leaf, net());
}

void TrainReader::read_losses() {
  const ast::Property* property = record_.find("loss");
  if (!property) return;
  NodeId total = kNoNode;
  const auto add = [&](const ast::Expr& expr, const std::string& name) {
    if (!net_ || !has_data_) return;
    const NodeId value = loss_value(expr, loss_scope(), name, &evaluator_, context_, &result_.unavailable);
    if (value == kNoNode) {
      sound_ = false;
      return;
    }
    net().builder.at(expr.span).named(name.empty() ? "loss" : "loss." + name);
    const NodeId sum = net().builder.batch_sum(value);
    if (!name.empty()) {
      spec().losses.push_back(name);
      loss_results_.push_back({"loss." + name, sum});
    }
    total = total == kNoNode ? sum : net().builder.add(total, sum);
  };
  if (const ast::Record* terms = property->record()) {
    if (terms->properties.empty()) fail(Code::N0605, property->value_span, "`loss` needs at least one term");
    for (const ast::Property& term : terms->properties) {
      if (std::find(spec().losses.begin(), spec().losses.end(), term.key.text) != spec().losses.end())
        fail(Code::N0306, term.key.span, "`" + term.key.text + "` is given twice");
      else if (const ast::Expr* expr = term.expr()) add(*expr, term.key.text);
      else fail(Code::N0303, term.value_span, "`" + term.key.text + "` wants a loss");
    }
  } else if (!property->expr()->is<ast::Broken>()) {
    add(*property->expr(), "");
  }
  total_ = total;
}

void TrainReader::read_metrics() {
  const ast::Record* record = record_.record("metrics");
  if (!record) return;
  for (const ast::Property& property : record->properties) {
    const std::string& name = property.key.text;
    if (std::find(spec().metrics.begin(), spec().metrics.end(), name) != spec().metrics.end()) {
      fail(Code::N0306, property.key.span, "`" + name + "` is given twice");
      continue;
    }
    const ast::Expr* expr = property.expr();
    if (!expr) {
      fail(Code::N0303, property.value_span, "`" + name + "` wants a metric");
      continue;
    }
    if (expr->is<ast::Broken>()) {
      sound_ = false;
      continue;
    }
    const LayerRow* row = evaluator_.find_row(*expr, metric_table(), "metric", context_);
    if (!row) {
      sound_ = false;
      continue;
    }
    all_metrics_.push_back(name);
    if (!net_ || !has_data_) continue;
    const NodeId value = row_value(*row, *expr, loss_scope(), "metric." + name, &evaluator_, context_);
    if (value == kNoNode) {
      sound_ = false;
      continue;
    }
    if (!row->available) result_.unavailable.push_back({"metric `" + row->name + "`", expr->span});
    net().builder.at(expr->span).named("metric." + name);
    metric_results_.push_back({"metric." + name, net().builder.batch_sum(value)});
    spec().metrics.push_back(name);
    spec().metric_kinds.push_back(row->name);
  }
}

}  // namespace netc::sema
