// A Program with its generated kernels and its memory, ready to run on the worker pool.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "compiler/kernel/emit_c.h"
#include "compiler/kernel/kernel_abi.h"
#include "runtime/backend.h"
#include "runtime/backend/cpu/cpu_parameters.h"
#include "runtime/backend/cpu/kernel_cache.h"
#include "runtime/backend/cpu/work_plan.h"
#include "runtime/backend/cpu/worker_pool.h"

namespace netc {

class CpuProgram : public LoadedProgram {
 public:
  // tower_workers: how many workers belong to each tower; the pool has their sum, or fewer workers than towers.
  CpuProgram(const Program& program, std::vector<EmittedKernel> kernels, std::shared_ptr<CompiledUnit> unit,
             std::shared_ptr<CpuParameters> parameters, std::shared_ptr<WorkerPool> pool, int towers,
             const std::vector<int>& tower_workers);

  void run(const StepContext& context) override;
  double result(const std::string& name) const override;
  void read_output(const std::string& name, std::vector<float>* values) const override;
  int64_t memory_bytes() const override;

 private:
  struct RunStep {
    KernelFunction function = nullptr;
    int32_t kernel = kNone;
    std::vector<void*> buffers;   // tower after tower
  };

  void allocate();
  void bind_steps();
  void plan_work(const std::vector<int64_t>& tower_rows);
  void work(int worker);
  void feed(const WorkSegment& segment, int64_t item);
  void report_fault() const;
  BufferId named(const std::string& name, BufferKind kind) const;

  const Program program_;
  const std::vector<EmittedKernel> kernels_;
  const std::shared_ptr<CompiledUnit> unit_;
  const std::shared_ptr<CpuParameters> parameters_;
  const std::shared_ptr<WorkerPool> pool_;
  const int towers_;
  std::vector<std::pair<int, int>> tower_workers_;   // first worker, how many
  std::vector<AlignedMemory> memory_;
  std::vector<std::vector<void*>> addresses_;        // [tower][buffer]
  std::vector<BufferId> inputs_;
  std::vector<RunStep> steps_;
  std::vector<int> stage_of_step_;                   // dense, from 1; stage 0 feeds the inputs
  std::vector<int64_t> rows_, first_rows_;
  std::vector<double> scalar_values_;
  std::vector<float> scalars_;
  std::vector<std::vector<char>> scratch_storage_;
  std::vector<void*> scratch_;
  KernelBatch batch_;
  KernelFault fault_;
  std::unique_ptr<WorkPlan> plan_;
  bool alone_ = false;                               // too little to do to wake the others
  const StepContext* context_ = nullptr;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;                       // of a feed
};

}  // namespace netc
