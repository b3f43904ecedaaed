// A backend that computes nothing: it notes which rows it was fed and gives the losses a test wrote down. For what the
// training loop does around a step.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <mutex>

#include "runtime/backend.h"

namespace netc {

class ScriptedParameters final : public Parameters {
 public:
  void write(const std::string& name, std::span<const float> values) override { values_[name].assign(values.begin(), values.end()); }
  std::vector<float> read(const std::string& name) const override { return values_.at(name); }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, values] : values_) names.push_back(name);
    return names;
  }
  float& first(const std::string& name) { return values_.at(name).front(); }

 private:
  std::map<std::string, std::vector<float>> values_;
};

// One step as it was asked for.
struct SeenStep {
  uint32_t update = 0;
  std::vector<int64_t> tower_rows;
  std::vector<std::pair<std::string, double>> scalars;
  std::vector<int32_t> rows;             // what the input "row" gave, all towers in order
};

class ScriptedProgram final : public LoadedProgram {
 public:
  // `loss` gives the mean loss of the step.
  ScriptedProgram(std::function<double(const SeenStep&)> loss, bool keep_steps) : loss_(std::move(loss)), keeps_(keep_steps) {}

  void run(const StepContext& context) override {
    step_.update = context.update;
    step_.tower_rows = context.tower_rows;
    step_.scalars = context.scalars;
    step_.rows.clear();
    for (size_t t = 0; t < context.tower_rows.size(); ++t) {
      const int64_t count = context.tower_rows[t];
      const size_t at = step_.rows.size();
      step_.rows.resize(at + static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i)   // one at a time, last first: any order must do
        context.feed(0, static_cast<int>(t), count - 1 - i, count - i, &step_.rows[at + static_cast<size_t>(count - 1 - i)]);
    }
    sum_ = loss_(step_) * static_cast<double>(step_.rows.size());
    if (keeps_) steps.push_back(step_);
  }
  double result(const std::string&) const override { return sum_; }
  void read_output(const std::string&, std::vector<float>*) const override {}
  int64_t memory_bytes() const override { return 0; }

  std::vector<SeenStep> steps;

 private:
  std::function<double(const SeenStep&)> loss_;
  bool keeps_;
  SeenStep step_;
  double sum_ = 0;
};

}  // namespace netc
