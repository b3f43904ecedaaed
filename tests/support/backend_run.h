// Runs a Program on a backend from plain tables of numbers: what tests feed and what they get back.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "runtime/backend.h"

namespace netc::test {

using Values = std::vector<double>;
using NamedValues = std::map<std::string, Values>;

class BackendRun {
 public:
  BackendRun(Backend& backend, std::vector<Program> programs, int tower_count = 1) : programs_(std::move(programs)) {
    LoadRequest request;
    request.programs = &programs_;
    request.tower_count = tower_count;
    group_ = backend.load(request);
  }

  // Towers with a memory each.
  BackendRun(Backend& backend, const std::vector<TowerProgram>& separate, int tower_count) {
    for (const TowerProgram& plan : separate) programs_.push_back(plan.program);
    LoadRequest request;
    request.separate = &separate;
    request.tower_count = tower_count;
    group_ = backend.load(request);
  }

  // Row-major values of a weight or slot.
  void set(const std::string& name, const Values& values) {
    const std::vector<float> floats(values.begin(), values.end());
    group_.parameters->write(name, floats);
  }
  std::vector<float> parameter(const std::string& name) const { return group_.parameters->read(name); }

  // One step. Inputs hold the rows of all towers in global order. Scalars the program reads and the test does not set
  // are given harmless values.
  void step(const NamedValues& inputs, std::vector<int64_t> tower_rows, size_t program = 0) {
    StepContext context;
    context.seed = seed;
    context.update = update;
    context.tower_rows = std::move(tower_rows);
    for (const Scalar& s : programs_[program].scalars)
      if (s.op == ExprOp::scalar) context.scalars.emplace_back(s.name, scalars.count(s.name) ? scalars.at(s.name) : 1.0);
    context.feed = [&](BufferId id, int tower, int64_t begin, int64_t end, void* destination) {
      const Buffer& buffer = programs_[program].buffers[static_cast<size_t>(id)];
      const Values& values = inputs.at(buffer.name);
      int64_t first = 0;
      for (int t = 0; t < tower; ++t) first += context.tower_rows[static_cast<size_t>(t)];
      const int64_t width = buffer.rows.count * buffer.columns;
      for (int64_t i = 0; i < (end - begin) * width; ++i)
        put(buffer.dtype, destination, i, values.at(static_cast<size_t>((first + begin) * width + i)));
    };
    group_.programs[program]->run(context);
  }

  double result(const std::string& name, size_t program = 0) const { return group_.programs[program]->result(name); }
  std::vector<float> output(const std::string& name, size_t program = 0) const {
    std::vector<float> values;
    group_.programs[program]->read_output(name, &values);
    return values;
  }
  const Parameters& parameters() const { return *group_.parameters; }
  LoadedProgram& loaded(size_t program = 0) { return *group_.programs[program]; }

  uint64_t seed = 1;
  uint32_t update = 0;
  std::map<std::string, double> scalars;

 private:
  static void put(DType dtype, void* destination, int64_t i, double value) {
    switch (dtype) {
      case DType::f32: static_cast<float*>(destination)[i] = static_cast<float>(value); return;
      case DType::i32: static_cast<int32_t*>(destination)[i] = static_cast<int32_t>(value); return;
      case DType::i64: static_cast<int64_t*>(destination)[i] = static_cast<int64_t>(value); return;
      case DType::f64: static_cast<double*>(destination)[i] = value; return;
      default: static_cast<uint8_t*>(destination)[i] = static_cast<uint8_t>(value); return;
    }
  }

  std::vector<Program> programs_;
  LoadedGroup group_;
};

// `count` rows over `towers` towers: they differ by at most one.
inline std::vector<int64_t> spread(int64_t count, int towers) {
  std::vector<int64_t> rows;
  for (int t = 0; t < towers; ++t) rows.push_back(count / towers + (t < count % towers ? 1 : 0));
  return rows;
}

}  // namespace netc::test
