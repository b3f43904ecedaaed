#include "runtime/backend/reference/separate_towers.h"

#include "compiler/base/errors.h"
#include "compiler/kernel/scalars.h"
#include "runtime/backend/reference/input_feed.h"

namespace netc {
namespace {

class SeparateProgram final : public LoadedProgram {
 public:
  SeparateProgram(const TowerProgram& plan, std::shared_ptr<SeparateParameters> parameters, int tower_count,
                  Arithmetic arithmetic)
      : plan_(plan), parameters_(std::move(parameters)), arithmetic_(arithmetic), scalars_(program().scalars.size()),
        feed_(program(), arithmetic), summands_(plan.buckets.size()) {
    for (const Kernel& kernel : program().kernels) interpreters_.emplace_back(kernel, program(), arithmetic);
    for (int tower = 0; tower < tower_count; ++tower)
      memories_.push_back(std::make_unique<ProgramMemory>(program(), parameters_->tower(tower), 1, arithmetic));
    for (const auto& memory : memories_) views_.push_back({memory->tower(0), 0, 0});
  }
  SeparateProgram(const SeparateProgram&) = delete;
  SeparateProgram& operator=(const SeparateProgram&) = delete;

  void run(const StepContext& context) override {
    take_rows(program(), context.tower_rows, views_);
    feed_.fill(context, views_);
    evaluate_scalars(program(), context.scalars, scalars_);
    const KernelContext kernel_context{context.seed, context.update, scalars_};
    for (size_t step = 0; step <= program().steps.size(); ++step) {
      for (size_t b = 0; b < plan_.buckets.size(); ++b)
        if (plan_.buckets[b].before_step == static_cast<int32_t>(step)) spread(b);
      if (step == program().steps.size()) break;
      for (const TowerView& view : views_)
        interpreters_[static_cast<size_t>(program().steps[step].kernel)].run(kernel_context, {&view, 1});
      for (size_t b = 0; b < plan_.buckets.size(); ++b)
        if (plan_.buckets[b].after_step == static_cast<int32_t>(step)) add_up(b);
    }
  }

  double result(const std::string& name) const override {
    const BufferId id = find(name);
    return read_element(buffer(id), arithmetic_, views_.front().buffers[static_cast<size_t>(id)], 0, 0);
  }

  void read_output(const std::string& name, std::vector<float>* values) const override {
    const BufferId id = find(name);
    values->clear();
    for (const TowerView& view : views_)
      for (int64_t r = 0; r < buffer(id).rows.count * view.rows; ++r)
        for (int64_t c = 0; c < buffer(id).columns; ++c)
          values->push_back(static_cast<float>(
              read_element(buffer(id), arithmetic_, view.buffers[static_cast<size_t>(id)], r, c)));
  }

  int64_t memory_bytes() const override {
    int64_t bytes = 0;
    for (const auto& memory : memories_) bytes += memory->bytes();
    return bytes;
  }

 private:
  const Program& program() const { return plan_.program; }
  const Buffer& buffer(BufferId id) const { return program().buffers[static_cast<size_t>(id)]; }

  BufferId find(const std::string& name) const {
    for (const NamedBuffer& result : program().results)
      if (result.name == name) return result.buffer;
    throw InternalError("program " + program().name + " has no result named " + name);
  }

  // Calls visit(buffer, row, column, sum) for each element of a bucket, `sum` being where the whole is kept meanwhile.
  template <typename Visit>
  void for_each_element(size_t bucket, Visit visit) {
    size_t place = 0;
    for (BufferId id : plan_.buckets[bucket].buffers)
      for (int64_t r = 0; r < buffer(id).rows.count; ++r)
        for (int64_t c = 0; c < buffer(id).columns; ++c, ++place) {
          if (summands_[bucket].size() <= place) summands_[bucket].push_back(0);
          visit(id, r, c, summands_[bucket][place]);
        }
  }

  void add_up(size_t bucket) {
    for_each_element(bucket, [&](BufferId id, int64_t r, int64_t c, double& sum) {
      const auto summand = [&](const TowerView& view) {
        return read_element(buffer(id), arithmetic_, view.buffers[static_cast<size_t>(id)], r, c);
      };
      sum = summand(views_.front());
      for (size_t tower = 1; tower < views_.size(); ++tower) {
        sum += summand(views_[tower]);
        if (arithmetic_ == Arithmetic::f32) sum = static_cast<float>(sum);   // one rounding an addition, as f32 adds
      }
    });
  }

  void spread(size_t bucket) {
    for_each_element(bucket, [&](BufferId id, int64_t r, int64_t c, double& sum) {
      for (const TowerView& view : views_)
        write_element(buffer(id), arithmetic_, view.buffers[static_cast<size_t>(id)], r, c, sum);
    });
  }

  const TowerProgram plan_;
  std::shared_ptr<SeparateParameters> parameters_;
  Arithmetic arithmetic_;
  std::vector<std::unique_ptr<ProgramMemory>> memories_;   // one a tower
  std::vector<double> scalars_;
  std::vector<KernelInterpreter> interpreters_;
  std::vector<TowerView> views_;
  InputFeed feed_;
  std::vector<std::vector<double>> summands_;   // [bucket][element]: added up, not yet copied back
};

}  // namespace

SeparateParameters::SeparateParameters(int tower_count, Arithmetic arithmetic) {
  for (int tower = 0; tower < tower_count; ++tower) towers_.emplace_back(arithmetic);
}

void SeparateParameters::add(const Program& program) {
  for (ReferenceParameters& tower : towers_) tower.add(program);
}

void SeparateParameters::write(const std::string& name, std::span<const float> values) {
  for (ReferenceParameters& tower : towers_) tower.write(name, values);
}

LoadedGroup load_separate(const std::vector<TowerProgram>& programs, int tower_count, Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::bounded) throw InternalError("towers with a memory each are not run in bounded arithmetic");
  const auto parameters = std::make_shared<SeparateParameters>(tower_count, arithmetic);
  LoadedGroup group;
  for (const TowerProgram& program : programs) {
    if (program.memory != TowerMemory::separate) throw InternalError(program.program.name + " is planned for one memory");
    parameters->add(program.program);
  }
  for (const TowerProgram& program : programs)
    group.programs.push_back(std::make_unique<SeparateProgram>(program, parameters, tower_count, arithmetic));
  group.parameters = parameters;
  return group;
}

}  // namespace netc
