#include "runtime/step_runner.h"

#include "compiler/base/errors.h"
#include "runtime/deal.h"

namespace netc {

StepRunner::StepRunner(const Program& program, LoadedProgram& loaded, const Split& split,
                       const std::vector<std::pair<std::string, std::string>>& inputs, std::span<const double> shares,
                       uint64_t seed)
    : program_(program), loaded_(loaded), feed_(program, inputs, split), shares_(shares.begin(), shares.end()),
      most_rows_(rows_that_fit(program.batch_capacity, shares)) {
  context_.seed = seed;
  context_.tower_rows.resize(shares_.size());
  context_.scalars = {{"learning_rate", 0}, {"inverse_batch", 0}, {"update_count", 0}};
  context_.feed = [this](BufferId buffer, int tower, int64_t begin, int64_t end, void* destination) {
    feed_.copy(buffer, tower, begin, end, destination);
  };
}

void StepRunner::prepare(std::span<const uint32_t> rows, int64_t update, double learning_rate) {
  const auto count = static_cast<int64_t>(rows.size());
  deal_by_share(count, shares_, context_.tower_rows);
  feed_.set_batch(rows, context_.tower_rows);
  context_.update = static_cast<uint32_t>(update);
  context_.scalars[0].second = learning_rate;
  context_.scalars[1].second = 1.0 / static_cast<double>(count);
  context_.scalars[2].second = static_cast<double>(update + 1);
}

void StepRunner::run(std::span<const uint32_t> rows, int64_t update, double learning_rate) {
  prepare(rows, update, learning_rate);
  loaded_.run(context_);
}

const Program& program_named(const std::vector<Program>& programs, const std::string& name) {
  for (const Program& program : programs)
    if (program.name == name) return program;
  throw InternalError("no program called " + name + " was loaded");
}

}  // namespace netc
