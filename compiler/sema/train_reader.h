// Reads a train, one method for each of its fields; the methods stand in files by what they are about: train_net (the
// net on its data), train_losses, train_fit (optimizer, schedule ...), train_run (length, batch, validation).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/sema/data.h"
#include "compiler/sema/loss_scope.h"
#include "compiler/sema/record.h"
#include "compiler/sema/train_analysis.h"

namespace netc::sema {

const std::vector<RecordField>& train_fields();

class TrainReader {
 public:
  TrainReader(const ast::TrainDecl& train, const Module& home, const Plan* plan, int gpus, Evaluator& evaluator)
      : declaration_(train), home_(home), plan_(plan), gpus_(gpus), evaluator_(evaluator),
        record_(train.body, train_fields(), Code::N0604, "train", evaluator, with_module(context_, home)) {
    result_.spec.name = train.name.text;
    result_.spec.span = train.span;
  }

  TrainAnalysis read();

 private:
  static Context& with_module(Context& context, const Module& home) {
    context.module = &home;
    return context;
  }
  TrainSpec& spec() { return result_.spec; }
  NetBuild& net() { return evaluator_.net(); }
  Diagnostic& fail(Code code, Span span, std::string summary) {
    sound_ = false;
    return evaluator_.error(code, span, std::move(summary), "", context_);
  }
  static std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
  }

  // net and data
  const Symbol* find_symbol(const ast::Expr& expr, Symbol::Kind kind, std::string_view what);
  void find_data();
  // `inputs: { input: field }`
  void read_inputs(const ast::NetDecl& declaration);
  NodeId input_node(const ast::Input& input, const TensorType& type);
  static std::string as_written(const TensorType& type);
  void build_net();

  // loss and metrics
  LossScope loss_scope();
  NodeId target_node(const FieldAnalysis& field);
  void read_losses();
  void read_metrics();

  // how it is fitted
  void read_optimizer();
  void read_schedule();
  void read_lr_scaling();
  void read_clip();
  void read_rest();
  // Path patterns with `*`; a pattern that matches nothing is an error.
  void read_freeze(const ast::Expr& expr);

  // how long, and what is measured
  std::optional<int64_t> read_count(std::string_view name, int64_t low, ast::Unit unit);
  static std::string show_whole(double value);
  void read_length();
  static std::string plain(double value);
  void read_batch();
  // Both readings, worked out for the plan as far as it is known.
  void report_bare_batch(int64_t batch, Span span);
  void read_seed();
  bool needs_validation(std::string_view field, Span span);
  void read_validation();
  // `validation.accuracy`: a split and what is measured on it.
  bool check_monitor(const std::string& monitor, Span span);
  void read_early_stop();
  bool is_higher_better(const std::string& name) const;

  // the whole
  void finish();
  // Over one sample a channel of one value has no variance.
  void check_batch_norm();
  void check_augmented();
  void check_gradients();

  const ast::TrainDecl& declaration_;
  const Module& home_;
  const Plan* plan_;
  int gpus_;
  Evaluator& evaluator_;
  Context context_;
  RecordReader record_;
  TrainAnalysis result_;
  DataAnalysis data_;
  bool has_data_ = false, net_sound_ = false, sound_ = true;
  const ast::NetDecl* net_ = nullptr;
  std::vector<NetOutput> outputs_;
  std::unordered_map<std::string, std::pair<std::string, Span>> renamed_;   // input -> field, and where it says so
  std::unordered_map<std::string, NodeId> fed_;                             // field -> its value
  size_t net_nodes_ = 0;                                                    // nodes up to here belong to the net
  NodeId total_ = kNoNode;
  std::vector<Result> loss_results_, metric_results_;
  std::vector<std::string> all_metrics_;
  std::optional<Progress> last_point_;
  Span points_span_, warmup_span_;
};

}  // namespace netc::sema
