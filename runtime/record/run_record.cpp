#include "runtime/record/run_record.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "compiler/base/errors.h"
#include "runtime/record/atomic_files.h"

namespace netc {
namespace fs = std::filesystem;
namespace {

std::vector<std::pair<std::string, std::string>> metadata_of(const RunState& state) {
  return {{"producer", "netc " NETC_VERSION},
          {"net", state.net},
          {"updates", fmt::format("{}", state.updates)},
          {"epochs", fmt::format("{}", state.epochs)},
          {"seed", fmt::format("{}", state.seed)}};
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

// What a run that was killed while it wrote has left behind: weights.safetensors.1234.part, as AtomicFiles names it.
void remove_left_overs(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder, fault)) {
    const std::string name = entry.path().filename().string();
    for (const std::string ours : {RunRecord::kWeights, RunRecord::kOptimizer, RunRecord::kResolved, RunRecord::kReport})
      if (name.starts_with(ours + ".") && name.ends_with(".part")) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove(path, fault);
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
  remove_left_overs(folder_);
  metrics_ = std::make_unique<MetricsLog>(file(kMetrics));
}

void RunRecord::write_resolved(const std::string& text) const { write_file_atomically(file(kResolved), text); }
void RunRecord::write_report(const std::string& json) const { write_file_atomically(file(kReport), json); }

void RunRecord::save(const RunState& state, const std::vector<TensorOutline>& weights,
                     const std::vector<TensorOutline>& slots, const TensorValues& values) const {
  AtomicFiles files;
  write_safetensors(files, file(kWeights), metadata_of(state), weights, values);
  write_safetensors(files, file(kOptimizer), metadata_of(state), slots, values);
  files.commit();
}

Checkpoint read_checkpoint(const std::string& folder) {
  const std::string weights_path = folder + "/" + RunRecord::kWeights, slots_path = folder + "/" + RunRecord::kOptimizer;
  TensorFile weights = read_safetensors(weights_path), slots = read_safetensors(slots_path);
  Checkpoint checkpoint;
  RunState& state = checkpoint.state;
  state.net = weights.note("net");
  state.updates = number_note<int64_t>(weights, weights_path, "updates");
  state.epochs = number_note<int64_t>(weights, weights_path, "epochs");
  state.seed = number_note<uint64_t>(weights, weights_path, "seed");
  if (number_note<int64_t>(slots, slots_path, "updates") != state.updates)
    throw RuntimeError(fmt::format("{} and {} belong to different updates", weights_path, slots_path),
                       "the weights alone can still be used: `netc eval`, or `init_from`");
  checkpoint.weights = std::move(weights.tensors);
  checkpoint.slots = std::move(slots.tensors);
  return checkpoint;
}

}  // namespace netc
