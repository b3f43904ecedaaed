#include "cli/gpu_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/arguments.h"
#include "compiler/base/errors.h"
#include "compiler/kernel/cuda/emit_cuda.h"
#include "runtime/jit/nvrtc.h"
#include "runtime/jit/occupancy.h"
#include "runtime/jit/resources.h"

namespace netc {
namespace {

EmittedCuda emitted(const GpuStage& stage) {
  return emit_cuda(std::span(stage.program, 1), {.library_products = true, .span_text = stage.span_text});
}

jit::CompiledProgram compiled(const EmittedCuda& cuda, const std::string& architecture) {
  return jit::nvrtc_compile(cuda.text, "netc_kernels.cu",
                            {"--gpu-architecture=" + architecture, "--fmad=false", "--std=c++17", "--ptxas-options=-v"});
}

// A launch as a line of the table; a library's product has no resources of its own.
struct Row {
  std::string name, architecture;
  std::optional<jit::KernelResources> resources;
  double occupancy = 0;
  int block_threads = 0;
  int64_t shared_bytes = 0, bytes = 0, flops = 0;
  std::vector<std::string> lines;
};

std::vector<Row> rows_of(const GpuStage& stage, const EmittedCuda& cuda, const std::string& architecture) {
  std::map<std::string, jit::KernelResources> by_name;
  for (jit::KernelResources& r : jit::parse_resources(compiled(cuda, architecture).log)) by_name[r.kernel] = r;
  const int64_t batch = stage.program->batch_capacity;
  std::vector<Row> rows;
  for (const CudaLaunch& launch : cuda.programs.front()) {
    Row row;
    row.architecture = architecture;
    row.bytes = launch.bytes_moved.at(batch);
    row.flops = launch.flops.at(batch);
    for (const Span& span : launch.spans)
      if (std::string line = stage.span_text(span); !line.empty()) row.lines.push_back(std::move(line));
    if (const auto* kernel = std::get_if<KernelLaunch>(&launch.call)) {
      row.name = kernel->symbol;
      row.resources = by_name.at(kernel->symbol);
      row.block_threads = kernel->block_threads;
      row.shared_bytes = row.resources->shared_bytes + kernel->shared_bytes;
      row.occupancy = jit::occupancy(architecture, row.resources->registers, kernel->block_threads, row.shared_bytes);
    } else {
      row.name = "library product";
      for (int32_t step : launch.steps) row.name += " " + stage.program->kernels[static_cast<size_t>(stage.program->steps[static_cast<size_t>(step)].kernel)].name;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<std::string> parse_architectures(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  std::string known;
  std::vector<std::string> of_machine;
  if (jit::nvrtc_available())
    for (int number : jit::nvrtc_architectures()) {
      of_machine.push_back("sm_" + std::to_string(number));
      known += (known.empty() ? "" : ", ") + of_machine.back();
    }
  for (const std::string& name : names) {
    const bool looks_right = name.size() > 3 && name.starts_with("sm_") &&
                             std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!looks_right) throw UsageError("`--arch`: `" + name + "` is no architecture", "for example sm_90, or sm_80,sm_90");
    if (!of_machine.empty() && std::find(of_machine.begin(), of_machine.end(), name) == of_machine.end())
      throw UsageError("`--arch`: the NVRTC of this machine does not know `" + name + "`", "it knows " + known);
  }
  if (names.empty()) throw UsageError("`--arch` names no architecture", "for example sm_90");
  return names;
}

std::string cuda_text(const GpuStage& stage) { return emitted(stage).text; }

std::string ptx_text(const GpuStage& stage) { return compiled(emitted(stage), stage.architectures.front()).ptx; }

std::string resource_table(const GpuStage& stage) {
  const EmittedCuda cuda = emitted(stage);
  std::string text;
  for (const std::string& architecture : stage.architectures) {
    text += fmt::format("{}, program {}, {} rows a device, {} launches a step\n", architecture, stage.program->name,
                        stage.program->batch_capacity, cuda.programs.front().size());
    text += fmt::format("{:>9} {:>6} {:>8} {:>9} {:>12} {:>14}  kernel\n", "registers", "spills", "shared", "occupancy", "bytes", "operations");
    for (const Row& row : rows_of(stage, cuda, architecture)) {
      if (row.resources)
        text += fmt::format("{:>9} {:>6} {:>8} {:>8.0f}% {:>12} {:>14}  {}\n", row.resources->registers,
                            row.resources->spill_store_bytes + row.resources->spill_load_bytes, row.shared_bytes,
                            100 * row.occupancy, row.bytes, row.flops, row.name);
      else
        text += fmt::format("{:>9} {:>6} {:>8} {:>9} {:>12} {:>14}  {}\n", "-", "-", "-", "-", row.bytes, row.flops, row.name);
    }
  }
  return text;
}

std::string resource_json(const GpuStage& stage) {
  const EmittedCuda cuda = emitted(stage);
  nlohmann::ordered_json json;
  json["program"] = stage.program->name;
  json["rows"] = stage.program->batch_capacity;
  json["launches_per_step"] = cuda.programs.front().size();
  json["kernels"] = nlohmann::ordered_json::array();
  for (const std::string& architecture : stage.architectures)
    for (const Row& row : rows_of(stage, cuda, architecture)) {
      nlohmann::ordered_json kernel = {{"name", row.name}, {"arch", architecture}, {"library", !row.resources.has_value()}};
      if (row.resources) {
        kernel["registers"] = row.resources->registers;
        kernel["spill_bytes"] = row.resources->spill_store_bytes + row.resources->spill_load_bytes;
        kernel["shared_bytes"] = row.shared_bytes;
        kernel["block_threads"] = row.block_threads;
        kernel["occupancy"] = row.occupancy;
      }
      kernel["bytes"] = row.bytes;
      kernel["flops"] = row.flops;
      kernel["lines"] = row.lines;
      json["kernels"].push_back(std::move(kernel));
    }
  return json.dump(2) + "\n";
}

}  // namespace netc
