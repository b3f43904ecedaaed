#include "runtime/non_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace netc {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool finite = true;
};

Range range_of(const std::vector<float>& values) {
  Range range;
  for (const float value : values) {
    range.finite = range.finite && std::isfinite(value);
    if (std::isnan(value)) continue;
    range.low = std::min<double>(range.low, value);
    range.high = std::max<double>(range.high, value);
  }
  return range;
}

std::string describe(const std::string& name, const Range& range) {
  const std::string text = fmt::format("{}: {:.4g} .. {:.4g}", name, range.low, range.high);
  return range.finite ? text : text + ", not all finite";
}

bool stores_to(const Kernel& kernel, BufferId buffer) {
  for (const Phase& phase : kernel.phases)
    for (const Store& store : phase.stores)
      if (store.buffer == buffer) return true;
  return false;
}

// The program up to the step that gives the loss, with every value on the way kept as an output.
Program probe_of(const Program& program) {
  Program probe = program;
  probe.name = "probe";
  const auto loss = std::find_if(probe.results.begin(), probe.results.end(),
                                 [](const NamedBuffer& r) { return r.name == "loss.total"; });
  const auto last = std::find_if(probe.steps.begin(), probe.steps.end(), [&](const Step& step) {
    return loss != probe.results.end() && stores_to(probe.kernels[static_cast<size_t>(step.kernel)], loss->buffer);
  });
  if (last != probe.steps.end()) probe.steps.erase(last + 1, probe.steps.end());
  for (Step& step : probe.steps)   // of towers with a memory each: probed as if they shared one
    if (step.scope != StepScope::each_tower) step.scope = StepScope::joint;
  probe.results.clear();
  for (size_t b = 0; b < probe.buffers.size(); ++b) {
    Buffer& buffer = probe.buffers[b];
    if (buffer.kind != BufferKind::activation || buffer.alias_of != kNone || buffer.dtype != DType::f32) continue;
    const bool is_made = std::any_of(probe.steps.begin(), probe.steps.end(), [&](const Step& step) {
      return stores_to(probe.kernels[static_cast<size_t>(step.kernel)], static_cast<BufferId>(b));
    });
    if (!is_made) continue;
    buffer.kind = BufferKind::output;
    buffer.arena_offset = kNone;
    probe.results.push_back({fmt::format("#{}", b), static_cast<BufferId>(b)});
  }
  return probe;
}

}  // namespace

std::optional<NonFinite> find_non_finite(Backend& backend, const Program& program, const Parameters& parameters,
                                         const StepContext& context) {
  for (const Buffer& buffer : program.buffers) {
    if (buffer.kind != BufferKind::parameter || buffer.alias_of != kNone) continue;
    const Range range = range_of(parameters.read(buffer.name));
    if (!range.finite) return NonFinite{"weight " + buffer.name, {buffer.span}, {describe(buffer.name, range)}};
  }

  const std::vector<Program> programs = {probe_of(program)};
  const Program& probe = programs.front();
  const LoadedGroup group = backend.load({&programs, static_cast<int>(context.tower_rows.size()), {}});
  for (const std::string& name : group.parameters->names()) group.parameters->write(name, parameters.read(name));
  LoadedProgram& loaded = *group.programs.front();
  loaded.run(context);

  std::vector<float> values;
  const auto range_in_probe = [&](BufferId b) -> std::optional<Range> {
    const Buffer& buffer = probe.buffers[static_cast<size_t>(b)];
    if (buffer.kind == BufferKind::parameter) return range_of(parameters.read(buffer.name));
    const std::string name = fmt::format("#{}", b);
    const bool kept = std::any_of(probe.results.begin(), probe.results.end(), [&](const auto& r) { return r.name == name; });
    if (!kept) return std::nullopt;
    loaded.read_output(name, &values);
    return range_of(values);
  };

  for (const Step& step : probe.steps) {
    const Kernel& kernel = probe.kernels[static_cast<size_t>(step.kernel)];
    bool finite = true;
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores)
        if (const auto range = range_in_probe(store.buffer)) finite = finite && range->finite;
    // A result (the loss itself) is not kept: the step that makes it is to blame if none before it was.
    const bool is_last = &step == &probe.steps.back();
    if (finite && !is_last) continue;
    NonFinite found{"kernel " + kernel.name, kernel.spans, {}};
    std::vector<BufferId> seen;
    for (const Expr& e : kernel.exprs) {
      if (e.op != ExprOp::load || std::find(seen.begin(), seen.end(), e.buffer) != seen.end()) continue;
      seen.push_back(e.buffer);
      if (const auto range = range_in_probe(e.buffer))
        found.inputs.push_back(describe(probe.buffers[static_cast<size_t>(e.buffer)].name, *range));
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace netc
