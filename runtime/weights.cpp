#include "runtime/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/base/errors.h"
#include "runtime/initial_weights.h"

namespace netc {
namespace {

// A missing weight and a left-over tensor that are the only ones of their shape are taken for one layer renamed.
std::vector<std::string> find_renamed(const std::vector<const WeightSlot*>& missing,
                                      const std::vector<const StoredTensor*>& left_over) {
  std::vector<std::string> renamed;
  for (const WeightSlot* slot : missing) {
    const auto same_slot = std::count_if(missing.begin(), missing.end(), [&](auto* m) { return m->shape == slot->shape; });
    const auto fits = [&](auto* t) { return t->shape == slot->shape; };
    if (same_slot != 1 || std::count_if(left_over.begin(), left_over.end(), fits) != 1) continue;
    const StoredTensor& tensor = **std::find_if(left_over.begin(), left_over.end(), fits);
    renamed.push_back(fmt::format("{} has the shape of `{}` in the file", slot->path, tensor.name));
  }
  return renamed;
}

}  // namespace

void draw_weights(Parameters& parameters, const std::vector<WeightSlot>& weights, const std::vector<StateSlot>& states,
                  uint64_t seed, const std::vector<DataConstant>& constants) {
  std::vector<float> values;
  for (const WeightSlot& slot : weights) {
    const auto constant = std::find_if(constants.begin(), constants.end(), [&](const auto& c) { return c.name == slot.path; });
    values.resize(static_cast<size_t>(element_count(slot.shape)));
    if (constant == constants.end()) {
      draw_initial(slot.init, seed, slot.path, values);
    } else {
      if (constant->values.size() != values.size()) throw InternalError(slot.path + " does not have the shape of its field");
      values = constant->values;
    }
    parameters.write(slot.path, values);
  }
  for (const StateSlot& slot : states) {
    values.assign(static_cast<size_t>(element_count(slot.shape)), static_cast<float>(slot.initial));
    parameters.write(slot.name, values);
  }
}

std::vector<TensorOutline> outline(const std::vector<WeightSlot>& weights) {
  std::vector<TensorOutline> tensors;
  for (const WeightSlot& slot : weights) tensors.push_back({slot.path, slot.shape});
  return tensors;
}

std::vector<TensorOutline> outline(const std::vector<StateSlot>& states) {
  std::vector<TensorOutline> tensors;
  for (const StateSlot& slot : states) tensors.push_back({slot.name, slot.shape});
  return tensors;
}

std::vector<StoredTensor> read_weights(const Parameters& parameters, const std::vector<WeightSlot>& weights) {
  std::vector<StoredTensor> tensors;
  for (const WeightSlot& slot : weights) tensors.push_back({slot.path, slot.shape, parameters.read(slot.path)});
  return tensors;
}

void write_tensors(Parameters& parameters, const std::vector<StoredTensor>& tensors) {
  for (const StoredTensor& tensor : tensors) parameters.write(tensor.name, tensor.values);
}

WeightFit compare_weights(const std::vector<WeightSlot>& weights, const std::vector<StoredTensor>& tensors) {
  WeightFit fit;
  std::vector<const WeightSlot*> missing;
  std::vector<const StoredTensor*> left_over;
  for (const WeightSlot& slot : weights) {
    const auto at = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == slot.path; });
    if (at == tensors.end()) {
      missing.push_back(&slot);
      fit.missing.push_back(slot.path);
    } else if (at->shape != slot.shape) {
      fit.other_shape.push_back(fmt::format("{}: the net has [{}], the file [{}]", slot.path, fmt::join(slot.shape, ", "),
                                            fmt::join(at->shape, ", ")));
    }
  }
  for (const StoredTensor& tensor : tensors) {
    const bool known = std::any_of(weights.begin(), weights.end(), [&](const auto& w) { return w.path == tensor.name; });
    if (known) continue;
    left_over.push_back(&tensor);
    fit.left_over.push_back(tensor.name);
  }
  fit.renamed = find_renamed(missing, left_over);
  return fit;
}

}  // namespace netc
