#include "bench/net_contender.h"

#include <chrono>
#include <iostream>
#include <numeric>
#include <stdexcept>

#include "cli/session.h"
#include "cli/terminal.h"
#include "runtime/deal.h"
#include "runtime/step_runner.h"

namespace netc::bench {
namespace {

class TrainingSteps {
 public:
  explicit TrainingSteps(const NetSetup& setup) {
    Terminal terminal{std::cout, std::cerr};
    ModelOptions options;
    options.file = std::string(NETC_SOURCE_DIR "/bench/nets/") + setup.file;
    options.towers = setup.towers;
    MachineOptions machine;
    machine.threads = setup.threads;
    auto model = load_model(options.file, options.analyze_options());
    if (is_runnable(*model, options.file, terminal))
      session_ = open_session(std::move(model), data_root_of(options.file, machine), machine, terminal);
    if (!session_) throw std::runtime_error("cannot load " + options.file);

    const TrainingJob job = session_->job();
    Diagnostics diagnostics(session_->model->sources);
    start_weights(job, diagnostics);
    const Split& split = *session_->data.split("train");
    const BatchPlan batches = plan_batches(*job.spec, session_->plan, split.rows());
    rows_.resize(static_cast<size_t>(split.rows()));
    std::iota(rows_.begin(), rows_.end(), 0u);
    batch_ = batches.update_rows;
    runner_ = std::make_unique<StepRunner>(*find_program(session_->compiled.programs, "train"), session_->loaded("train"),
                                           split, job.spec->inputs, batches.shares, job.spec->seed);
  }

  int64_t batch() const { return batch_; }

  double run(int64_t steps) {
    const auto start = std::chrono::steady_clock::now();
    const int64_t batches = static_cast<int64_t>(rows_.size()) / batch_;
    for (int64_t i = 0; i < steps; ++i, ++update_)
      runner_->run(std::span(rows_).subspan(static_cast<size_t>(update_ % batches * batch_), static_cast<size_t>(batch_)),
                   update_, 0.001);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  std::unique_ptr<Session> session_;
  std::unique_ptr<StepRunner> runner_;
  std::vector<uint32_t> rows_;
  int64_t batch_ = 0, update_ = 0;
};

}  // namespace

double dense_chain_flops(const std::vector<int64_t>& widths, int64_t rows) {
  double flops = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i)
    flops += 2.0 * static_cast<double>(rows * widths[i] * widths[i + 1]) * (i == 0 ? 2 : 3);
  return flops;
}

Contender net_contender(const NetSetup& setup) {
  auto steps = std::make_shared<TrainingSteps>(setup);
  Contender contender;
  contender.name = setup.name;
  contender.cores = setup.threads;
  contender.samples = steps->batch();
  contender.flops = dense_chain_flops(setup.widths, contender.samples);
  contender.run = [steps](int64_t count) { return steps->run(count); };
  return contender;
}

}  // namespace netc::bench
