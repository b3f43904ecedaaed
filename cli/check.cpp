// netc check: everything that can be said about a model without its data.
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/model.h"

namespace netc {
namespace {

using Json = nlohmann::ordered_json;

Json types_to_json(const std::vector<TensorType>& types) {
  Json list = Json::array();
  for (const TensorType& type : types) list.push_back(to_string(type));
  return list;
}

Json tables_to_json(const std::vector<ShapeTable>& tables) {
  Json nets = Json::array();
  for (const ShapeTable& table : tables) {
    Json rows = Json::array();
    for (const ShapeRow& row : table.rows)
      rows.push_back({{"depth", row.depth},
                      {"name", row.name},
                      {"kind", row.kind},
                      {"in", types_to_json(row.in)},
                      {"out", types_to_json(row.out)},
                      {"weights", row.weights},
                      {"used_in_training", row.needed}});
    nets.push_back({{"net", table.net}, {"weights", table.weights}, {"rows", std::move(rows)}});
  }
  return nets;
}

}  // namespace

int run_check(Words words, Terminal& terminal) {
  ModelOptions model_options;
  bool shapes = false, json = false, strict = false;
  Arguments arguments("check", "looks for mistakes in a model, without touching its data");
  model_options.declare(arguments);
  arguments.flag("--shapes", "print the layers with their shapes and weights", &shapes)
      .flag("--json", "print the diagnostics (and shapes) as one JSON object", &json)
      .flag("--strict", "fail on warnings too", &strict)
      .example("netc check models/tiny.net", "says whether the file is right; exit status 1 if it is not")
      .example("netc check models/tiny.net --shapes", "shows what each layer makes of one sample, and its weights")
      .example("netc check models/fashion_mlp.net --set hidden=64 --shapes", "the same for a narrower net")
      .example("netc check models/tiny.net --json", "for editors and scripts; docs/commands.md has the fields");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  AnalyzeOptions options = model_options.analyze_options();
  options.every_train = true;
  const auto model = load_model(model_options.file, options);

  // A right file may ask for more than this version can do: said, but no mistake.
  Diagnostics unavailable(model->sources);
  if (!model->diagnostics.has_errors() && model->analysis.complete) report_unavailable(model->analysis, unavailable);

  if (json) {
    Json report = {{"file", model_options.file},
                   {"errors", model->diagnostics.error_count()},
                   {"warnings", model->diagnostics.warning_count()},
                   {"diagnostics", Json::parse(to_json(model->diagnostics))},
                   {"unavailable", Json::parse(to_json(unavailable))}};
    if (shapes) report["nets"] = tables_to_json(model->analysis.tables);
    terminal.out << report.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    const bool failed = model->diagnostics.has_errors() || (strict && model->diagnostics.warning_count() > 0);
    return failed ? kExitAuthor : kExitSuccess;
  }

  if (shapes)
    for (const ShapeTable& table : model->analysis.tables) terminal.out << to_text(table) << "\n";
  terminal.out.flush();
  if (!accept(model->diagnostics, model_options.file, terminal, strict)) return kExitAuthor;
  if (!unavailable.empty()) {
    terminal.err << to_text(unavailable, {.color = terminal.err_is_terminal}) << model_options.file
                 << ": no mistakes, but this netc (" << NETC_VERSION << ") cannot run it\n";
  } else if (model->diagnostics.empty() && !shapes) {
    terminal.out << model_options.file << ": no mistakes\n";
  }
  return kExitSuccess;
}

}  // namespace netc
