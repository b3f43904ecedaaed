// `netc layers`: the tables of the standard library as text.
#include <algorithm>

#include "compiler/layers/initializers.h"
#include "compiler/layers/layer.h"
#include "compiler/layers/losses.h"
#include "compiler/layers/training_tables.h"
#include "compiler/sema/analyze.h"

namespace netc {
namespace {

template <class Row>
void list(const std::vector<Row>& table, const std::string& title, std::string* text) {
  size_t width = 0;
  for (const Row& row : table) width = std::max(width, row.name.size());
  *text += title + "\n";
  for (const Row& row : table)
    *text += "  " + row.name + std::string(width - row.name.size() + 2, ' ') + row.summary + (row.available ? "" : "  (not in this version)") + "\n";
  *text += "\n";
}

std::string kind_text(const ParameterRow& row) {
  std::string words;
  for (const std::string& word : row.words) words += (words.empty() ? "" : ", ") + word;
  switch (row.kind) {
    case ParameterKind::integer: return "a whole number";
    case ParameterKind::number: return "a number";
    case ParameterKind::boolean: return "true or false";
    case ParameterKind::word: return "one of " + words;
    case ParameterKind::text: return "a string";
    case ParameterKind::initializer: return "an initialiser";
    case ParameterKind::weight: return "a parameter of another layer";
    case ParameterKind::tensor: return "a tensor";
    case ParameterKind::sizes: return "a whole number or a list of them";
    case ParameterKind::padding: return words.empty() ? "a whole number or a list of them" : "one of " + words + ", a whole number or a list of them";
    case ParameterKind::shape: return "a list of whole numbers";
    case ParameterKind::numbers: return "a number or a list of them";
    case ParameterKind::progress: return "epochs or steps";
    case ParameterKind::progress_list: return "a list of epochs or steps";
    case ParameterKind::share: return "a share or a number of samples";
    case ParameterKind::part: return "a range of shares";
    case ParameterKind::split: return "a split";
    case ParameterKind::monitor: return "a split and a metric";
    case ParameterKind::texts: return "a string or a list of them";
    case ParameterKind::reader: return "a reader";
    case ParameterKind::stages: return "stages";
    case ParameterKind::word_or_number: return "one of " + words + ", or a number";
  }
  return "";
}

std::string describe(const Signature& row, const std::string& role, const std::string& shape_rule) {
  std::string text = to_text(row) + "\n  " + role + ": " + row.summary + "\n";
  if (!shape_rule.empty()) text += "  shape of a sample: " + shape_rule + "\n";
  size_t width = 0;
  for (const ParameterRow& parameter : row.parameters) width = std::max(width, parameter.name.size());
  for (const ParameterRow& parameter : row.parameters) {
    text += "    " + parameter.name + std::string(width - parameter.name.size() + 2, ' ') + kind_text(parameter);
    text += parameter.required ? ", required" : ", default " + parameter.fallback;
    if (!parameter.doc.empty()) text += "; " + parameter.doc;
    text += "\n";
  }
  if (row.any_names) text += "    one file for each field, by the name of the field\n";
  if (!row.available) text += "  known and checked, but it cannot be run in this version\n";
  return text;
}

}  // namespace

std::string layer_reference() {
  std::string text;
  list(layer_table(), "Layers", &text);
  list(loss_table(), "Losses", &text);
  list(metric_table(), "Metrics", &text);
  list(optimizer_table(), "Optimizers", &text);
  list(schedule_table(), "Schedules", &text);
  list(initializer_table(), "Initialisers", &text);
  list(reader_table(), "Readers", &text);
  list(transform_table(), "Transforms", &text);
  text.pop_back();
  return text;
}

std::string layer_reference(const std::string& name) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : "\n") + std::move(part); };
  if (const LayerRow* row = find_layer(name)) add(describe(*row, "layer", row->shape_rule));
  if (const LayerRow* row = find_loss(name)) add(describe(*row, "loss", ""));
  if (const LayerRow* row = find_metric(name)) add(describe(*row, "metric", ""));
  const std::pair<const std::vector<Signature>*, const char*> tables[] = {{&optimizer_table(), "optimizer"},
                                                                         {&schedule_table(), "schedule"},
                                                                         {&initializer_table(), "initialiser"},
                                                                         {&reader_table(), "reader"},
                                                                         {&transform_table(), "transform"}};
  for (const auto& [table, role] : tables)
    if (const Signature* row = find_row(*table, name)) add(describe(*row, role, ""));
  return text;
}

}  // namespace netc
