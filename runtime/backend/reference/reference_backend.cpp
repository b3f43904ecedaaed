#include "runtime/backend/reference/reference_backend.h"

#include <algorithm>
#include <string>

#include "compiler/base/errors.h"
#include "compiler/kernel/scalars.h"
#include "runtime/backend/reference/reference_memory.h"

namespace netc {
namespace {

class ReferenceProgram final : public LoadedProgram {
 public:
  ReferenceProgram(const Program& program, std::shared_ptr<ReferenceParameters> parameters, int tower_count,
                   Arithmetic arithmetic)
      : program_(program), parameters_(std::move(parameters)), arithmetic_(arithmetic),
        memory_(program_, *parameters_, tower_count, arithmetic), scalars_(program_.scalars.size()) {
    for (const Kernel& kernel : program_.kernels) interpreters_.emplace_back(kernel, program_, arithmetic);
    for (int tower = 0; tower < tower_count; ++tower) views_.push_back({memory_.tower(tower), 0, 0});
    for (const Buffer& buffer : program_.buffers)
      if (buffer.kind == BufferKind::input && buffer.alias_of == kNone)
        fed_row_.resize(std::max(fed_row_.size(), static_cast<size_t>(buffer.rows.count * buffer.columns)));
  }
  ReferenceProgram(const ReferenceProgram&) = delete;
  ReferenceProgram& operator=(const ReferenceProgram&) = delete;

  void run(const StepContext& context) override {
    take_rows(context.tower_rows);
    for (size_t i = 0; i < program_.buffers.size(); ++i)
      if (program_.buffers[i].kind == BufferKind::input && program_.buffers[i].alias_of == kNone)
        feed(context, static_cast<BufferId>(i));

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

  void take_rows(const std::vector<int64_t>& rows) {
    if (rows.size() != views_.size()) throw InternalError("a step must give rows to each tower");
    int64_t first = 0;
    for (size_t tower = 0; tower < views_.size(); ++tower) {
      if (rows[tower] < 0 || rows[tower] > program_.batch_capacity)
        throw InternalError("tower " + std::to_string(tower) + " holds at most " +
                            std::to_string(program_.batch_capacity) + " rows, not " + std::to_string(rows[tower]));
      views_[tower].rows = rows[tower];
      views_[tower].first_row = first;
      first += rows[tower];
    }
  }

  void feed(const StepContext& context, BufferId id) {
    const Buffer& buffer = program_.buffers[static_cast<size_t>(id)];
    const bool as_fed = buffer.layout == Layout::row_major && arithmetic_ == Arithmetic::f32;
    for (size_t tower = 0; tower < views_.size(); ++tower) {
      void* memory = views_[tower].buffers[static_cast<size_t>(id)];
      if (views_[tower].rows == 0) continue;
      if (as_fed) {
        context.feed(id, static_cast<int>(tower), 0, views_[tower].rows, memory);
        continue;
      }
      // Rows come in the buffer's own type, row-major; here they are stored otherwise.
      Buffer fed = buffer;
      fed.layout = Layout::row_major;
      for (int64_t row = 0; row < views_[tower].rows; ++row) {
        context.feed(id, static_cast<int>(tower), row, row + 1, fed_row_.data());
        for (int64_t r = 0; r < buffer.rows.count; ++r)
          for (int64_t c = 0; c < buffer.columns; ++c)
            write_element(buffer, arithmetic_, memory, row * buffer.rows.count + r, c,
                          read_element(fed, Arithmetic::f32, fed_row_.data(), r, c));
      }
    }
  }

  const Program program_;
  std::shared_ptr<ReferenceParameters> parameters_;
  Arithmetic arithmetic_;
  ProgramMemory memory_;
  std::vector<double> scalars_;
  std::vector<KernelInterpreter> interpreters_;
  std::vector<TowerView> views_;
  std::vector<double> fed_row_;   // room for one sample as the feed gives it, aligned for any type
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

}  // namespace netc
