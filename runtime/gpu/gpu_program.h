// One program on all devices of a run: what a step is made of, in order.
#pragma once

#include <atomic>
#include <barrier>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/gpu/device_memory_plan.h"

namespace netc {

class GpuProgram final : public LoadedProgram {
 public:
  // launches and symbols: as emit_cuda gave them for this program.
  GpuProgram(const TowerProgram& plan, std::vector<CudaLaunch> launches, std::vector<std::string> symbols,
             std::shared_ptr<GpuGroup> devices, std::shared_ptr<GpuParameters> parameters);

  void run(const StepContext& context) override;
  double result(const std::string& name) const override;
  void read_output(const std::string& name, std::vector<float>* values) const override;
  int64_t memory_bytes() const override;

  const std::vector<CudaLaunch>& launches() const { return launches_; }

 private:
  struct Tower {
    GpuDevice* device = nullptr;
    ProgramBuffers buffers;
    DeviceBlock step_block;                    // CudaStepBlock, scalars, CudaFault
    std::vector<char> step_bytes;              // what is copied into it
    std::vector<std::vector<char>> staging;    // rows of each input, as the feed gives them
    int64_t rows = 0, first_row = 0;
  };

  const Program& program() const { return plan_.program; }
  const Buffer& buffer(BufferId id) const { return program().buffers[static_cast<size_t>(id)]; }
  BufferId named(const std::string& name) const;
  size_t fault_offset() const;

  void run_tower(int tower, const StepContext& context);
  void feed(Tower& tower, int number, const StepContext& context);
  void write_step_block(Tower& tower, const StepContext& context);
  void launch(Tower& tower, const CudaLaunch& launch);
  void exchange(const GradientBucket& bucket);
  void look_for_faults();
  template <typename Work>
  void guarded(Work work);                     // the first failure of a tower is kept, later work is skipped

  const TowerProgram plan_;
  std::vector<CudaLaunch> launches_;
  std::vector<std::string> symbols_;
  std::shared_ptr<GpuGroup> devices_;
  std::shared_ptr<GpuParameters> parameters_;
  std::vector<Tower> towers_;
  std::vector<BufferId> inputs_;
  std::vector<std::vector<size_t>> buckets_before_;   // [launch, and one more for the end]: buckets to exchange first
  std::vector<double> scalars_;
  std::unique_ptr<std::barrier<>> meeting_;
  std::atomic<bool> failed_{false};
  std::mutex failure_lock_;
  std::exception_ptr failure_;
};

}  // namespace netc
