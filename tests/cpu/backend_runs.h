// Runs a program on a backend with made-up data and gives back everything it changed, to be compared.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "compiler/kernel/random.h"
#include "runtime/backend.h"

namespace netc {

// A value in [-1, 1) that depends on what it is for only.
inline float made_up(const std::string& name, int64_t row, int64_t column) {
  uint32_t stream = 2166136261u;
  for (char c : name) stream = (stream ^ static_cast<unsigned char>(c)) * 16777619u;
  const uint32_t bits = random_bits(99, 0, stream, static_cast<uint32_t>(row), static_cast<uint32_t>(column));
  return static_cast<float>(static_cast<int32_t>(bits)) / 2147483648.0f;
}

struct RunSetup {
  std::vector<int64_t> tower_rows{1};
  std::vector<int> tower_threads;
  int steps = 1;
  int64_t classes = 10;          // of i32 inputs
  float parameter_scale = 0.1f;
};

using RunResult = std::map<std::string, std::vector<float>>;   // parameters, results and outputs by name

inline void feed_made_up(const Program& program, const RunSetup& setup, uint32_t update, BufferId id, int tower,
                         int64_t begin, int64_t end, void* to) {
  const Buffer& b = program.buffers[static_cast<size_t>(id)];
  int64_t first = 0;
  for (int t = 0; t < tower; ++t) first += setup.tower_rows[static_cast<size_t>(t)];
  for (int64_t r = begin; r < end; ++r)
    for (int64_t i = 0; i < b.rows.count * b.columns; ++i) {
      const float value = made_up(b.name, (first + r) + update * 1000, i);
      const int64_t at = (r - begin) * b.rows.count * b.columns + i;
      switch (b.dtype) {
        case DType::f32: static_cast<float*>(to)[at] = value; break;
        case DType::i32: static_cast<int32_t*>(to)[at] = static_cast<int32_t>((value + 1) / 2 * static_cast<float>(setup.classes)); break;
        case DType::boolean: static_cast<uint8_t*>(to)[at] = value > 0; break;
        default: static_cast<uint8_t*>(to)[at] = static_cast<uint8_t>((value + 1) * 127.5f); break;
      }
    }
}

inline RunResult run_program(Backend& backend, const Program& program, const RunSetup& setup) {
  const std::vector<Program> programs{program};
  LoadRequest request;
  request.programs = &programs;
  request.tower_count = static_cast<int>(setup.tower_rows.size());
  request.tower_threads = setup.tower_threads;
  LoadedGroup group = backend.load(request);
  for (const Buffer& b : program.buffers) {
    if (b.kind != BufferKind::parameter && b.kind != BufferKind::state) continue;
    std::vector<float> values(static_cast<size_t>(b.rows.count * b.columns));
    for (int64_t r = 0; r < b.rows.count; ++r)
      for (int64_t c = 0; c < b.columns; ++c) {
        const float x = made_up(b.name, r, c) * setup.parameter_scale;
        values[static_cast<size_t>(r * b.columns + c)] = b.kind == BufferKind::state ? std::fabs(x) : x;
      }
    group.parameters->write(b.name, values);
  }
  int64_t rows = 0;
  for (int64_t r : setup.tower_rows) rows += r;
  for (int step = 0; step < setup.steps; ++step) {
    StepContext context;
    context.seed = 42;
    context.update = static_cast<uint32_t>(step);
    context.tower_rows = setup.tower_rows;
    context.scalars = {{"learning_rate", 0.01}, {"inverse_batch", 1.0 / static_cast<double>(std::max<int64_t>(rows, 1))}};
    context.feed = [&](BufferId id, int tower, int64_t begin, int64_t end, void* to) {
      feed_made_up(program, setup, context.update, id, tower, begin, end, to);
    };
    group.programs[0]->run(context);
  }
  RunResult result;
  for (const std::string& name : group.parameters->names()) result[name] = group.parameters->read(name);
  for (const NamedBuffer& named : program.results) {
    if (program.buffers[static_cast<size_t>(named.buffer)].kind == BufferKind::output)
      group.programs[0]->read_output(named.name, &result[named.name]);
    else
      result[named.name] = {static_cast<float>(group.programs[0]->result(named.name))};
  }
  return result;
}

// The largest difference relative to 1 + |expected|; infinity where one is NaN and the other is not.
inline double largest_difference(const std::vector<float>& actual, const std::vector<float>& expected) {
  if (actual.size() != expected.size()) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(actual[i]) && std::isnan(expected[i])) continue;
    if (std::isnan(actual[i]) != std::isnan(expected[i])) return INFINITY;
    if (actual[i] == expected[i]) continue;
    most = std::max(most, std::fabs(double{actual[i]} - double{expected[i]}) / (1 + std::fabs(double{expected[i]})));
  }
  return most;
}

inline bool same_bits(const RunResult& a, const RunResult& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, values] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.size() != values.size()) return false;
    if (std::memcmp(values.data(), other->second.data(), values.size() * 4) != 0) return false;
  }
  return true;
}

}  // namespace netc
