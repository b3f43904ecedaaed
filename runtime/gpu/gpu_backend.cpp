#include "runtime/gpu/gpu_backend.h"

#include "compiler/base/errors.h"
#include "runtime/gpu/gpu_program.h"
#include "runtime/gpu/memory_estimate.h"
#include "runtime/jit/program_cache.h"

namespace netc {
namespace {

class GpuBackend final : public Backend {
 public:
  GpuBackend(std::unique_ptr<GpuGroup> devices, GpuOptions options) : devices_(std::move(devices)), options_(std::move(options)) {}

  std::string name() const override { return devices_->device(0).name().substr(0, devices_->device(0).name().find(':')); }
  std::string description() const override { return devices_->description(); }

  LoadedGroup load(const LoadRequest& request) override {
    if (request.separate == nullptr) throw InternalError("devices with a memory each want programs planned for that");
    if (request.tower_count != devices_->size()) throw InternalError("as many towers as devices");
    for (int tower = 0; tower < devices_->size(); ++tower)
      check_memory(estimate_memory(*request.separate, options_.span_text), devices_->device(tower).capacity_bytes(),
                   request.separate->front().program.batch_capacity, devices_->device(tower).name());
    std::vector<Program> programs;
    for (const TowerProgram& plan : *request.separate) programs.push_back(plan.program);
    EmittedCuda emitted = emit_cuda(programs, {.library_products = true, .span_text = options_.span_text});
    load_kernels(emitted.text);

    LoadedGroup group;
    const auto parameters = std::make_shared<GpuParameters>(*devices_);
    for (const Program& program : programs) parameters->add(program);
    for (size_t i = 0; i < programs.size(); ++i)
      group.programs.push_back(std::make_unique<GpuProgram>((*request.separate)[i], std::move(emitted.programs[i]),
                                                            emitted.symbols, devices_, parameters));
    group.parameters = parameters;
    return group;
  }

 private:
  // Fused multiply-adds stand where the text says so and nowhere else, as on every backend.
  void load_kernels(const std::string& text) {
    const std::string architecture = devices_->device(0).architecture();
    const jit::CompiledProgram compiled = jit::compile_cached(
        options_.cache_directory, text, {"--gpu-architecture=" + architecture, "--fmad=false", "--std=c++17", "--generate-line-info"});
    for (int tower = 0; tower < devices_->size(); ++tower) devices_->device(tower).load(compiled.ptx, compiled.cubin);
  }

  std::shared_ptr<GpuGroup> devices_;
  GpuOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(std::unique_ptr<GpuGroup> devices, GpuOptions options) {
  return std::make_unique<GpuBackend>(std::move(devices), std::move(options));
}

}  // namespace netc
