#include "runtime/backend/cpu/cpu_backend.h"

#include <numeric>

#include "compiler/base/errors.h"
#include "compiler/kernel/emit_c.h"
#include "runtime/backend/cpu/cpu_program.h"
#include "runtime/backend/cpu/detect.h"
#include "runtime/backend/cpu/kernel_cache.h"

namespace netc {
namespace {

constexpr int kParts = 2;   // texts compiled at the same time

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(CpuOptions options)
      : options_(std::move(options)), target_(options_.own_target ? *options_.own_target : choose_target(options_.target)),
        compiler_(find_host_compiler(options_.host_cxx)), cache_(options_.cache_directory, options_.notice) {}

  std::string name() const override { return "cpu"; }

  std::string description() const override {
    const int workers = pool_ ? pool_->size() : available_cores();
    return "cpu (" + target_.name + ", " + std::to_string(workers) + (workers == 1 ? " thread, " : " threads, ") +
           compiler_.version + ")";
  }

  LoadedGroup load(const LoadRequest& request) override {
    if (request.separate != nullptr) throw InternalError("CPU towers of one process share their memory");
    const std::vector<Program>& programs = *request.programs;
    const EmittedUnit unit = emit_c(programs, {target_, kParts, options_.span_text});
    const auto compiled = cache_.compile(unit.texts, target_, compiler_);
    const std::vector<int> tower_workers = share_workers(request);
    const int workers = request.tower_threads.empty() ? available_cores()
                                                      : std::accumulate(tower_workers.begin(), tower_workers.end(), 0);
    if (!pool_ || pool_->size() != workers) pool_ = std::make_shared<WorkerPool>(workers, options_.pin_threads);

    LoadedGroup group;
    const auto parameters = std::make_shared<CpuParameters>(programs);
    group.parameters = parameters;
    for (size_t i = 0; i < programs.size(); ++i)
      group.programs.push_back(std::make_unique<CpuProgram>(programs[i], unit.programs[i], compiled, parameters, pool_,
                                                            request.tower_count, tower_workers));
    return group;
  }

 private:
  static Target choose_target(const std::string& name) {
    if (name.empty()) return detect_cpu_target();
    const Target* target = find_target(name);
    if (target == nullptr) throw RuntimeError("no CPU target '" + name + "'", "avx512, avx2 or plain");
    if (!runs_target(*target)) throw RuntimeError("this processor does not run " + name + " code", "another target, or none");
    return *target;
  }

  // Workers that belong to each tower first; all cores shared evenly where nothing is asked for.
  static std::vector<int> share_workers(const LoadRequest& request) {
    const int towers = request.tower_count;
    std::vector<int> workers(static_cast<size_t>(towers), 1);
    const int cores = available_cores();
    for (int tower = 0; tower < towers; ++tower) {
      int& count = workers[static_cast<size_t>(tower)];
      const int wanted = request.tower_threads.empty() ? 0 : request.tower_threads[static_cast<size_t>(tower)];
      const int even = cores / towers + (tower < cores % towers);
      count = std::max(1, wanted > 0 ? wanted : even);
    }
    return workers;
  }

  const CpuOptions options_;
  const Target target_;
  const HostCompiler compiler_;
  const KernelCache cache_;
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(CpuOptions options) { return std::make_unique<CpuBackend>(std::move(options)); }

}  // namespace netc
