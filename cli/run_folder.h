// A finished (or interrupted) run on disk as something to evaluate or predict with.
#pragma once

#include <memory>
#include <string>

#include "cli/model.h"
#include "cli/session.h"

namespace netc {

struct TrainedModel {
  std::unique_ptr<Model> model;        // init_from points at the weights of the run
  DataRoot data_root;
};

// True if `path` is a folder: a run, not a model.
bool is_run_folder(const std::string& path);

// Reads resolved.net and finds the weights. Throws RuntimeError if the folder is not a run. `report.json`, if it is
// there, says where the data were.
TrainedModel open_run(const std::string& folder, const AnalyzeOptions& options, const MachineOptions& machine);

}  // namespace netc
