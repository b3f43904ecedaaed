#include "runtime/backend/reference/reference_backend.h"

#include <algorithm>
#include <string>

#include "compiler/base/errors.h"
#include "compiler/kernel/scalars.h"
#include "runtime/backend/reference/input_feed.h"
#include "runtime/backend/reference/reference_memory.h"
#include "runtime/backend/reference/separate_towers.h"

namespace netc {
namespace {

class ReferenceProgram final : public LoadedProgram {
 public:
  ReferenceProgram(const Program& program, std::shared_ptr<ReferenceParameters> parameters, int tower_count,
                   Arithmetic arithmetic)
      : program_(program), parameters_(std::move(parameters)), arithmetic_(arithmetic),
        memory_(program_, *parameters_, tower_count, arithmetic), scalars_(program_.scalars.size()),
        feed_(program_, arithmetic) {
    for (const Kernel& kernel : program_.kernels) interpreters_.emplace_back(kernel, program_, arithmetic);
    for (int tower = 0; tower < tower_count; ++tower) views_.push_back({memory_.tower(tower), 0, 0});
  }
  ReferenceProgram(const ReferenceProgram&) = delete;
  ReferenceProgram& operator=(const ReferenceProgram&) = delete;

  void run(const StepContext& context) override {
    take_rows(program_, context.tower_rows, views_);
    feed_.fill(context, views_);

    evaluate_scalars(program_, context.scalars, scalars_);
    const KernelContext kernel_context{context.seed, context.update, scalars_};
    for (const Step& step : program_.steps) {
      KernelInterpreter& interpreter = interpreters_[static_cast<size_t>(step.kernel)];
      if (step.scope == StepScope::joint) {
        interpreter.run(kernel_context, views_);
      } else {
        for (const TowerView& view : views_) interpreter.run(kernel_context, {&view, 1});
      }
    }
  }

  double result(const std::string& name) const override {
    const BufferId id = find(name);
    return read_element(program_.buffers[static_cast<size_t>(id)], arithmetic_,
                        memory_.tower(0)[static_cast<size_t>(id)], 0, 0);
  }

  void read_output(const std::string& name, std::vector<float>* values) const override {
    const BufferId id = find(name);
    const Buffer& buffer = program_.buffers[static_cast<size_t>(id)];
    values->clear();
    for (const TowerView& view : views_)
      for (int64_t r = 0; r < buffer.rows.count * view.rows; ++r)
        for (int64_t c = 0; c < buffer.columns; ++c)
          values->push_back(static_cast<float>(
              read_element(buffer, arithmetic_, view.buffers[static_cast<size_t>(id)], r, c)));
  }

  std::vector<double> errors(const std::string& name) const {
    const BufferId id = find(name);
    const Buffer& buffer = program_.buffers[static_cast<size_t>(id)];
    if (arithmetic_ != Arithmetic::bounded) throw InternalError("no error bounds without bounded arithmetic");
    std::vector<double> all;
    for (const TowerView& view : views_) {
      if (!buffer.rows.times_batch && !all.empty()) break;   // one, shared by all towers
      const int64_t rows = buffer.rows.count * (buffer.rows.times_batch ? view.rows : 1);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < buffer.columns; ++c)
          all.push_back(read_error(buffer, view.buffers[static_cast<size_t>(id)], r, c));
    }
    return all;
  }

  int64_t memory_bytes() const override { return memory_.bytes(); }

 private:
  BufferId find(const std::string& name) const {
    for (const NamedBuffer& result : program_.results)
      if (result.name == name) return result.buffer;
    throw InternalError("program " + program_.name + " has no result named " + name);
  }

  const Program program_;
  std::shared_ptr<ReferenceParameters> parameters_;
  Arithmetic arithmetic_;
  ProgramMemory memory_;
  std::vector<double> scalars_;
  std::vector<KernelInterpreter> interpreters_;
  std::vector<TowerView> views_;
  InputFeed feed_;
};

class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(Arithmetic arithmetic) : arithmetic_(arithmetic) {}

  std::string name() const override { return "reference"; }
  std::string description() const override {
    static constexpr const char* kWords[] = {"f32", "f64", "f64 with error bounds"};
    return std::string("reference (interpreter, ") + kWords[static_cast<size_t>(arithmetic_)] + ")";
  }

  LoadedGroup load(const LoadRequest& request) override {
    if (request.separate != nullptr) return load_separate(*request.separate, request.tower_count, arithmetic_);
    const auto parameters = std::make_shared<ReferenceParameters>(arithmetic_);
    LoadedGroup group;
    for (const Program& program : *request.programs) parameters->add(program);
    for (const Program& program : *request.programs)
      group.programs.push_back(
          std::make_unique<ReferenceProgram>(program, parameters, request.tower_count, arithmetic_));
    group.parameters = parameters;
    return group;
  }

 private:
  Arithmetic arithmetic_;
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend(Arithmetic arithmetic) {
  return std::make_unique<ReferenceBackend>(arithmetic);
}

std::vector<double> error_bounds(const Parameters& parameters, const std::string& name) {
  return dynamic_cast<const ReferenceParameters&>(parameters).errors(name);
}

std::vector<double> error_bounds(const LoadedProgram& program, const std::string& result) {
  return dynamic_cast<const ReferenceProgram&>(program).errors(result);
}

std::vector<float> weight_of_tower(const Parameters& parameters, int tower, const std::string& name) {
  return dynamic_cast<const SeparateParameters&>(parameters).tower(tower).read(name);
}

}  // namespace netc
