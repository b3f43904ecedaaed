#include "compiler/sema/train_analysis.h"

#include <algorithm>

#include "compiler/layers/training_tables.h"
#include "compiler/sema/reach.h"
#include "compiler/sema/train_reader.h"

namespace netc::sema {

const std::vector<RecordField>& train_fields() {
  static const std::vector<RecordField> fields = {
      {"net", "mlp", true, false},
      {"data", "mnist", true, false},
      {"inputs", "", false, false},
      {"loss", "cross_entropy(logits, label)", true, false},
      {"metrics", "", false, false},
      {"optimizer", "adam(lr: 1e-3)", true, false},
      {"schedule", "", false, false},
      {"lr_scaling", "", false, false},
      {"clip", "", false, false},
      {"batch", "128 total", true, true},
      {"epochs", "", false, false},
      {"steps", "", false, false},
      {"seed", "", false, false},
      {"validate", "", false, false},
      {"early_stop", "", false, false},
      {"mix", "", false, false},
      {"ema", "", false, false},
      {"init_from", "", false, false},
      {"freeze", "", false, false},
  };
  return fields;
}

TrainAnalysis TrainReader::read() {
  sound_ = record_.has_required(Code::N0605, "train `" + declaration_.name.text + "`", declaration_.name.span, declaration_.broken) &&
           !declaration_.broken;
  find_data();
  build_net();
  read_losses();
  read_metrics();
  read_optimizer();
  read_schedule();
  read_lr_scaling();
  read_clip();
  read_length();
  read_batch();
  read_seed();
  read_validation();
  read_early_stop();
  read_rest();
  if (sound_) finish();
  result_.sound = sound_;
  result_.data = std::move(data_.spec);
  result_.unavailable.insert(result_.unavailable.end(), data_.unavailable.begin(), data_.unavailable.end());
  return std::move(result_);
}

void TrainReader::finish() {
  Graph& graph = net().graph;
  graph.results.push_back({"loss.total", total_});
  graph.results.insert(graph.results.end(), loss_results_.begin(), loss_results_.end());
  graph.results.insert(graph.results.end(), metric_results_.begin(), metric_results_.end());
  std::vector<NodeId> needed;
  for (const Result& result : graph.results) needed.push_back(result.node);
  for (const NetOutput& output : outputs_) graph.results.push_back({output.name, output.value.as<Tensor>()->node});
  const std::vector<bool> computed = reached(graph, needed);
  for (ShapeRow& row : net().rows) row.needed = row.node == kNoNode || computed[static_cast<size_t>(row.node)];
  check_gradients();
  check_batch_norm();
  check_augmented();
  for (size_t i = 0; i < net_nodes_; ++i) {   // losses and metrics without an op have said so under their own name
    const Node& node = graph.nodes[i];
    if (node.op == "unavailable") {
      const std::string& layer = std::get<std::string>(node.attributes.at("layer"));
      const std::string what = "layer `" + layer + "`" + (find_layer(layer) && find_layer(layer)->available ? " with these arguments" : "");
      result_.unavailable.push_back({what, node.span});
    }
  }
  const OptimizerSpec& optimizer = spec().optimizer;
  result_.table.optimizer = optimizer.name;
  result_.table.optimizer_slots = optimizer_slots(optimizer.name, optimizer.argument("momentum", 0) != 0,
                                                  optimizer.argument("centered", 0) != 0, optimizer.argument("amsgrad", 0) != 0);
}

// Over one sample a channel of one value has no variance.
void TrainReader::check_batch_norm() {
  if (spec().batch != 1) return;
  for (const StageRecord& stage : net().stages) {
    if (!stage.layer || stage.layer->name != "batch_norm" || net().graph[stage.out].type.shape.size() != 1) continue;
    fail(Code::N0711, spec().batch_span, "batch norm over one sample")
        .label(stage.span, "the batch norm")
        .help("a larger batch, or a norm over the sample: `layer_norm`, `group_norm`");
    return;
  }
}

void TrainReader::check_augmented() {
  for (const FieldAnalysis& field : data_.fields)
    if (field.augmented && !fed_.contains(field.spec.name))
      evaluator_.warning(Code::W1115, *field.augmented, "`augment` on a field that no input uses", "", context_);
}

void TrainReader::check_gradients() {
  const Graph& graph = net().graph;
  const std::vector<bool> learning = reached_by_gradient(graph, {total_});
  bool any = false;
  std::vector<Span> told;
  for (size_t i = 0; i < graph.nodes.size(); ++i) any = any || (graph.nodes[i].op == "parameter" && learning[i]);
  if (!any) {
    Diagnostic& d = fail(Code::N0607, record_.find("loss")->value_span, "no loss depends on any weight");
    std::string names;
    for (const NetOutput& output : outputs_) names += (names.empty() ? "" : ", ") + output.name;
    d.note("outputs of the net: " + names);
    return;
  }
  for (const Parameter& parameter : graph.parameters) {
    if (!parameter.trainable) continue;
    const auto leaf = net().weights.find(parameter.path);
    if (leaf == net().weights.end() || learning[static_cast<size_t>(leaf->second)]) continue;
    if (std::find(told.begin(), told.end(), parameter.span) != told.end()) continue;
    told.push_back(parameter.span);
    const std::string layer = parameter.path.substr(0, parameter.path.rfind('.'));
    evaluator_.warning(Code::W1108, parameter.span, "weights of `" + layer + "` get no gradient", "", context_)
        .help("let a loss use what depends on them, or leave the layer out");
  }
}

TrainAnalysis analyze_train(const ast::TrainDecl& train, const Module& home, const Plan* plan, int gpus, Evaluator& evaluator) {
  TrainAnalysis result = TrainReader(train, home, plan, gpus, evaluator).read();
  if (result.net_declaration) {
    result.table.net = result.net_declaration->name.text;
    result.table.rows = evaluator.net().rows;
    result.table.weights = evaluator.net().trainable;
  }
  return result;
}

bool analyze_net(const ast::NetDecl& net, const Module& home, Evaluator& evaluator, ShapeTable* table) {
  for (const ast::Formal& formal : net.formals)
    if (!formal.default_value) return false;
  std::vector<NetOutput> outputs;
  const InputSource source = [&](const ast::Input& input, const TensorType& type) {
    return evaluator.net().builder.at(input.span).input(input.name.text, type);
  };
  const bool sound = evaluator.build_net(net, home, {}, net.name.span, source, &outputs);
  table->net = net.name.text;
  table->rows = evaluator.net().rows;
  table->weights = evaluator.net().trainable;
  return sound;
}

}  // namespace netc::sema
