// netc eval: exact losses and metrics of a run, or of a model with given weights, on one split of its data.
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/run_folder.h"
#include "cli/session.h"
#include "cli/train_overrides.h"

namespace netc {
namespace {

// The split asked for; else the one kept for judging: test, validation, train.
const Split* choose_split(const Dataset& data, const std::string& name) {
  if (!name.empty()) return data.split(name);
  for (const char* each : {"test", "validation", "train"})
    if (const Split* split = data.split(each)) return split;
  return nullptr;
}

std::string split_names(const Dataset& data) {
  std::string names;
  for (const Split& split : data.splits) names += (names.empty() ? "" : ", ") + split.name;
  return names;
}

}  // namespace

int run_eval(Words words, Terminal& terminal) {
  ModelOptions model_options;
  MachineOptions machine;
  TrainOverrides overrides;
  std::string split_name;
  bool json = false;
  Arguments arguments("eval", "measures a trained model on a split of its data");
  arguments.positional("RUN_OR_FILE", "a folder written by `netc train --output`, or a .net file", &model_options.file)
      .option("--split", "NAME", "train, validation or test (else test, or what there is)", &split_name)
      .flag("--json", "print one JSON object", &json)
      .option("--init-from", "FILE", "other weights (.safetensors) than those of the run", &overrides.init_from);
  model_options.declare_choices(arguments);
  machine.declare(arguments);
  arguments.example("netc eval runs/tiny", "loss and metrics of the test split")
      .example("netc eval runs/tiny --split train --json", "of another split, for a script")
      .example("netc eval models/tiny.net --init-from runs/tiny/weights.safetensors", "weights in another file's net");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  const std::string& path = model_options.file;
  TrainedModel trained;
  if (is_run_folder(path)) {
    trained = open_run(path, model_options.analyze_options(), machine);
  } else {
    trained.model = load_model(path, model_options.analyze_options(), [&](ast::File& tree) {
      apply(overrides, model_options.train, folder_of(path), tree);
    });
    trained.data_root = data_root_of(path, machine);
  }
  if (!is_runnable(*trained.model, trained.model->sources.path(0), terminal)) return kExitAuthor;
  if (overrides.init_from) trained.model->analysis.train.init_from = *overrides.init_from;
  const auto session = open_session(std::move(trained.model), trained.data_root, machine, terminal);
  if (!session) return kExitAuthor;

  const Split* split = choose_split(session->data, split_name);
  if (!split)
    throw UsageError("`" + session->data.name + "` has no split `" + split_name + "`", "it has " + split_names(session->data));
  const TrainingJob job = session->job();
  Diagnostics diagnostics(session->model->sources);
  start_weights(job, diagnostics);
  if (!accept(diagnostics, path, terminal)) return kExitAuthor;
  const SplitResult result = evaluate(job, *split);

  if (json) {
    nlohmann::ordered_json report = {{"split", result.split}, {"samples", result.rows}};
    for (const Measurement& measurement : result.values) report[measurement.name] = measurement.value;
    terminal.out << report.dump(2) << "\n";
  } else {
    terminal.out << result.split << ", " << result.rows << " samples\n" << std::fixed << std::setprecision(6);
    for (const Measurement& measurement : result.values)
      terminal.out << "  " << std::left << std::setw(16) << measurement.name << measurement.value << "\n";
  }
  return kExitSuccess;
}

}  // namespace netc
