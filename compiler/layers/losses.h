// Losses and metrics: rows like layers, whose tensors are arguments. A row gives one value per sample; the mean over
// the samples of an update is made by whoever divides the sum over the batch by their number.
#pragma once

#include <string>
#include <vector>

#include "compiler/layers/layer.h"

namespace netc {

const std::vector<LayerRow>& loss_table();
const LayerRow* find_loss(const std::string& name);

const std::vector<LayerRow>& metric_table();
const LayerRow* find_metric(const std::string& name);

// For the rows of both tables: the tensors of two arguments, checked to be of equal shape and floating point (a class(2)
// target becomes 0 and 1 where `classes_count` allows it). False after N0602 or N0406.
bool prediction_and_target(LayerCall& call, const char* first, const char* second, NodeId* prediction, NodeId* target,
                           bool binary_classes = false);
// Logits [..., C] and a class(C)[...] or f32[..., C] target. False after N0602, N0603, N0612.
bool logits_and_target(LayerCall& call, NodeId* logits, NodeId* target, bool distributions);
// Refuses what went through softmax or sigmoid already. False after N0603.
bool are_logits(LayerCall& call, const char* argument);
// The mean over all axes of each sample.
NodeId mean_of_elements(GraphBuilder& b, NodeId x);

}  // namespace netc
