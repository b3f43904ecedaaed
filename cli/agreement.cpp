#include "cli/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/session.h"
#include "cli/train_overrides.h"
#include "compiler/base/errors.h"
#include "runtime/backend/reference/reference_backend.h"

namespace netc {
namespace {

// A backend may add in another fixed order than the analysis follows; its partial sums are of the same size.
constexpr double kOrderSlack = 2;

struct Weights {
  Shape shape;
  std::vector<float> values;
  std::vector<double> bounds;   // of the reference only
};
using Trained = std::map<std::string, Weights>;

// Null if the model has mistakes: they have been printed.
std::unique_ptr<Session> open(const std::string& file, const std::string& data_root, int64_t steps, const std::string& towers,
                              bool bounded, Terminal& terminal) {
  ModelOptions options;
  options.file = file;
  options.towers = towers;
  TrainOverrides overrides;
  overrides.steps = steps;
  auto model = load_model(file, options.analyze_options(), [&](ast::File& tree) { apply(overrides, "", folder_of(file), tree); });
  if (!is_runnable(*model, file, terminal)) return nullptr;
  MachineOptions machine;
  machine.data_root = data_root;
  if (bounded) machine.backend = "reference";
  machine.bounded = bounded;
  return open_session(std::move(model), data_root_of(file, machine), machine, terminal);
}

Trained weights_after(Session& session, bool bounded) {
  Diagnostics diagnostics(session.model->sources);
  const TrainingJob job = session.job();
  train(job, diagnostics);
  Trained trained;
  const Parameters& parameters = *session.group.parameters;
  for (const WeightSlot& slot : job.weights) {
    Weights& weights = trained[slot.path];
    weights.shape = slot.shape;
    weights.values = parameters.read(slot.path);
    if (bounded) weights.bounds = error_bounds(parameters, slot.path);
  }
  return trained;
}

void compare(const Trained& wanted, const Trained& got, Agreement& agreement) {
  agreement.agrees = true;
  for (const auto& [name, weights] : wanted) {
    const std::vector<float>& values = got.at(name).values;
    for (size_t i = 0; i < values.size(); ++i) {
      const double bound = kOrderSlack * weights.bounds[i] + std::abs(double{weights.values[i]}) * 0x1p-23 + 0x1p-126;
      const double difference = std::abs(double{values[i]} - double{weights.values[i]});
      if (!(difference <= bound)) agreement.agrees = false;
      const double share = std::isnan(difference) ? HUGE_VAL : difference / bound;
      if (share <= agreement.worst && !agreement.where.empty()) continue;
      agreement.worst = share;
      agreement.where = fmt::format("{}[{}] is {:.9g}, {:.9g} on the reference, within {:.2g}", name, i, values[i], weights.values[i], bound);
    }
  }
}

}  // namespace

std::vector<Agreement> compare_devices(const std::string& file, const std::string& data_root, int64_t steps,
                                       const std::vector<std::string>& towers, Terminal& terminal) {
  std::vector<Agreement> all;
  // The reference takes the batch that the towers take together: `per tower` counts them.
  for (const std::string& list : towers) {
    Agreement agreement;
    agreement.towers = list;
    std::string commas = list;
    std::replace(commas.begin(), commas.end(), '+', ',');
    std::string reference_towers = "cpu:0";
    for (int64_t i = 0; i < std::count(list.begin(), list.end(), '+'); ++i) reference_towers += ",cpu:" + std::to_string(i + 1);
    const auto reference = open(file, data_root, steps, reference_towers, true, terminal);
    if (!reference) return {};
    const Trained wanted = weights_after(*reference, true);
    try {
      const auto session = open(file, data_root, steps, commas, false, terminal);
      if (!session) return {};
      compare(wanted, weights_after(*session, false), agreement);
    } catch (const RuntimeError& missing) {
      agreement.refused = missing.what();
    }
    all.push_back(std::move(agreement));
  }
  return all;
}

}  // namespace netc
