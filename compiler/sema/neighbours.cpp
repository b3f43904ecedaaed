// Warnings about layers that make no sense beside each other.
#include <unordered_map>

#include "compiler/sema/evaluator.h"

namespace netc::sema {

void Evaluator::warn_of_neighbours(const Context& context) {
  std::unordered_map<NodeId, const StageRecord*> maker;   // the layer that made a node; inner ones come first
  for (const StageRecord& stage : net_->stages)
    if (stage.layer && stage.in != stage.out) maker.emplace(stage.out, &stage);
  for (const StageRecord& stage : net_->stages) {
    if (!stage.layer || stage.in == kNoNode || stage.is_shared) continue;
    const auto found = maker.find(stage.in);
    const StageRecord* before = found == maker.end() ? nullptr : found->second;
    const std::string& name = stage.layer->name;
    const TensorType& in = net_->graph[stage.in].type;
    if (name == "dense" && in.shape.size() == 3)
      warning(Code::W1107, stage.span, "`dense` on [H, W, C] mixes channels only",
              "every place of " + to_string(in) + " goes through the same weights", context)
          .help("`flatten` before it, or a 1x1 convolution to show intent");
    if (!before) continue;
    if (name == "dense" && before->layer->name == "dense" && before->frame == stage.frame)
      warning(Code::W1110, stage.span, "two dense layers in a row are one", "", context)
          .label(before->span, "the other one")
          .help("an activation between them: `|> relu`");
    if (name == "batch_norm" && before->has_bias)
      warning(Code::W1109, before->span, "the bias before batch_norm has no effect", "", context)
          .label(stage.span, "it is taken away here")
          .help("`bias: false`");
  }
}

}  // namespace netc::sema
