#include "runtime/record/run_record.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "compiler/base/errors.h"
#include "runtime/record/atomic_files.h"

namespace netc {
namespace fs = std::filesystem;
namespace {

std::vector<std::pair<std::string, std::string>> metadata_of(const Checkpoint& checkpoint) {
  return {{"producer", "netc " NETC_VERSION},
          {"net", checkpoint.net},
          {"updates", fmt::format("{}", checkpoint.updates)},
          {"epochs", fmt::format("{}", checkpoint.epochs)},
          {"seed", fmt::format("{}", checkpoint.seed)}};
}

template <typename Number>
Number number_note(const TensorFile& content, const std::string& path, const char* key) {
  const std::string text = content.note(key);
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size())
    throw RuntimeError(fmt::format("{} does not say its `{}`: it is not the file of a run", path, key));
  return number;
}

}  // namespace

RunRecord::RunRecord(std::string folder) : folder_(std::move(folder)) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  std::error_code fault;
  fs::create_directories(folder_, fault);
  if (fault || !fs::is_directory(folder_))
    throw RuntimeError(fmt::format("cannot make the folder {}: {}", folder_, fault ? fault.message() : "a file has its name"),
                       "choose another folder with --output");
  fs::remove(file(kReport), fault);
  metrics_ = std::make_unique<MetricsLog>(file(kMetrics));
}

void RunRecord::write_resolved(const std::string& text) const { write_file_atomically(file(kResolved), text); }
void RunRecord::write_report(const std::string& json) const { write_file_atomically(file(kReport), json); }

void RunRecord::save(const Checkpoint& checkpoint) const {
  AtomicFiles files;
  write_safetensors(files, file(kWeights), TensorFile{metadata_of(checkpoint), checkpoint.weights});
  write_safetensors(files, file(kOptimizer), TensorFile{metadata_of(checkpoint), checkpoint.states});
  files.commit();
}

Checkpoint read_checkpoint(const std::string& folder) {
  const std::string weights_path = folder + "/" + RunRecord::kWeights, states_path = folder + "/" + RunRecord::kOptimizer;
  TensorFile weights = read_safetensors(weights_path), states = read_safetensors(states_path);
  Checkpoint checkpoint;
  checkpoint.net = weights.note("net");
  checkpoint.updates = number_note<int64_t>(weights, weights_path, "updates");
  checkpoint.epochs = number_note<int64_t>(weights, weights_path, "epochs");
  checkpoint.seed = number_note<uint64_t>(weights, weights_path, "seed");
  if (number_note<int64_t>(states, states_path, "updates") != checkpoint.updates)
    throw RuntimeError(fmt::format("{} and {} belong to different updates", weights_path, states_path),
                       "the weights alone can still be used: `netc eval`, or `init_from`");
  checkpoint.weights = std::move(weights.tensors);
  checkpoint.states = std::move(states.tensors);
  return checkpoint;
}

}  // namespace netc
