#include "cli/run_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "compiler/base/errors.h"
#include "runtime/record/run_record.h"

namespace netc {
namespace {

namespace fs = std::filesystem;

// Where the data of the run were; resolved.net holds the paths as the author wrote them.
DataRoot recorded_data_root(const fs::path& folder) {
  const fs::path report = folder / RunRecord::kReport;
  if (fs::exists(report)) {
    const auto json = nlohmann::json::parse(read_text_file(report.string()), nullptr, false);
    if (json.is_object() && json.contains("data_root") && json["data_root"].is_string())
      return {json["data_root"].get<std::string>(), report.string()};
  }
  return {folder.string(), "the folder of the run"};
}

}  // namespace

bool is_run_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

TrainedModel open_run(const std::string& folder, const AnalyzeOptions& options, const MachineOptions& machine) {
  const fs::path resolved = fs::path(folder) / RunRecord::kResolved;
  const fs::path weights = fs::path(folder) / RunRecord::kWeights;
  for (const fs::path& file : {resolved, weights})
    if (!fs::exists(file))
      throw RuntimeError("`" + folder + "` is not a run: it has no " + file.filename().string(),
                         "a folder that `netc train --output` has written");
  TrainedModel run;
  run.model = load_model(resolved.string(), options);
  run.model->analysis.train.init_from = weights.string();
  run.data_root = machine.data_root.empty() ? recorded_data_root(folder) : data_root_of(resolved.string(), machine);
  return run;
}

}  // namespace netc
