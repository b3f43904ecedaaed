// The smallest thing that trains, written by hand: y = x w + b on four numbers, squared error, gradient descent with
// momentum. And its data: 103 rows of a known law with a little noise.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "runtime/backend/reference/reference_backend.h"
#include "runtime/trainer.h"
#include "tests/kernel/hand_program.h"

namespace netc {

inline constexpr int64_t kInputs = 4;
inline constexpr int64_t kRows = 103, kValidationRows = 20;
inline constexpr double kMomentum = 0.5;

// predict, loss and metric; `train` adds the update of w and b.
inline Program linear_program(const std::string& name, bool train, int64_t capacity) {
  using namespace test;
  HandProgram p(capacity);
  p.name = name;
  const BufferId x = p.input("x", kInputs), t = p.input("target", 1);
  const BufferId w = p.parameter("w", kInputs, 1), b = p.parameter("b", 1, 1);
  const BufferId e = p.activation("error", 1);
  {
    KernelBuilder k("predict_error");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {1, false}), i = k.axis("k", {kInputs, false});
    k.phase({i});
    const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), k.load(w, at(i), at(c))));
    k.phase();
    const ExprId y = k.binary(ExprOp::add, sum, k.load(b, at_constant(0), at(c)));
    k.store(e, at(r), at(c), k.binary(ExprOp::sub, y, k.load(t, at(r), at(c))));
    p.step(k.take());
  }
  const auto batch_sum = [&](const std::string& result, auto term) {
    const BufferId out = p.result(result);
    KernelBuilder k("sum_" + result);
    const AxisId r = k.axis("r", kBatch);
    k.phase({r});
    const ExprId sum = k.reduce(Combine::sum, term(k, k.load(e, at(r), at_constant(0))));
    k.phase();
    k.store(out, at_constant(0), at_constant(0), sum);
    p.step(k.take());
  };
  batch_sum("metric.mae", [](KernelBuilder& k, ExprId v) { return k.unary(ExprOp::abs, v); });
  batch_sum("loss.total", [](KernelBuilder& k, ExprId v) { return k.binary(ExprOp::mul, v, v); });
  if (!train) return p;

  const int64_t rate = p.scalar("learning_rate"), share = p.scalar("inverse_batch");
  const auto descend = [&](BufferId parameter, int64_t rows, const std::string& state) {
    const BufferId v = p.add(BufferKind::state, state, {rows, false}, 1);
    KernelBuilder k("update_" + state);
    const AxisId i = k.parallel("i", {rows, false}), r = k.axis("r", kBatch);
    k.phase({r});
    const ExprId error = k.load(e, at(r), at_constant(0));
    const ExprId term = parameter == w ? k.binary(ExprOp::mul, k.load(x, at(r), at(i)), error) : error;
    const ExprId sum = k.reduce(Combine::sum, term);
    k.phase();
    const ExprId gradient = k.binary(ExprOp::mul, k.binary(ExprOp::mul, sum, k.constant(2)), k.scalar(share));
    const ExprId kept = k.binary(ExprOp::mul, k.load(v, at(i), at_constant(0)), k.constant(kMomentum));
    const ExprId speed = k.binary(ExprOp::add, kept, gradient);
    const ExprId old = k.load(parameter, at(i), at_constant(0));
    k.store(v, at(i), at_constant(0), speed);
    k.store(parameter, at(i), at_constant(0), k.binary(ExprOp::sub, old, k.binary(ExprOp::mul, k.scalar(rate), speed)));
    p.step(k.take());
  };
  descend(w, kInputs, "w/momentum");
  descend(b, 1, "b/momentum");
  return p;
}

// Everything a TrainingJob needs, on the reference backend.
class LinearRun {
 public:
  explicit LinearRun(int towers = 1, int64_t batch = 16, double share_of_first = 1) {
    spec.name = spec.net = "line";
    spec.data = "law";
    spec.learning_rate = 0.05;
    spec.batch = batch;
    spec.epochs = 3;
    spec.seed = 7;
    spec.metrics = {"mae"};
    spec.metric_kinds = {"mae"};
    spec.inputs = {{"x", "numbers"}};   // `target` is fed by the field of its own name
    for (int t = 0; t < towers; ++t) {
      TowerSpec tower;
      tower.device = {DeviceKind::cpu, t};
      tower.share = t == 0 ? share_of_first : 1;
      plan.towers.push_back(tower);
    }
    make_data();
    const int64_t capacity = plan_batches(spec, plan, 0).tower_capacity;
    programs = {linear_program("train", true, capacity), linear_program("evaluate", false, capacity)};
    backend = make_reference_backend(Arithmetic::f32);
    LoadRequest request;
    request.programs = &programs;
    request.tower_count = towers;
    group = backend->load(request);
  }

  TrainingJob job() {
    TrainingJob job;
    job.spec = &spec;
    job.plan = &plan;
    job.data = &data;
    job.programs = &programs;
    job.group = &group;
    job.backend = job.prober = backend.get();
    job.weights = {{"w", {kInputs, 1}, {Initializer::Kind::normal, 0, 0.5, false}, true},
                   {"b", {1}, {Initializer::Kind::zeros, 0, 0, false}, true}};
    job.states = {{"w/momentum", {kInputs, 1}, 0}, {"b/momentum", {1}, 0}};
    return job;
  }

  TrainingOutcome train() {
    TrainingOutcome outcome = netc::train(job(), diagnostics);
    return outcome;
  }

  SourceMap sources;
  Diagnostics diagnostics{sources};
  TrainSpec spec;
  Plan plan;
  Dataset data;
  std::vector<Program> programs;
  std::unique_ptr<Backend> backend;
  LoadedGroup group;

 private:
  void make_data() {
    DataSpec law;
    FieldSpec x, t;
    x.name = "numbers";
    x.raw = x.type = {DType::f32, {kInputs}, false, 0};
    t.name = "target";
    t.raw = t.type = {DType::f32, {}, false, 0};
    law.fields = {x, t};
    for (const auto& [split, rows] : {std::pair{"train", kRows}, {"validation", kValidationRows}}) {
      ReaderSpec reader;
      reader.split = split;
      reader.reader = "synthetic";
      reader.kind = "linear";
      reader.samples = rows;
      law.splits.push_back(reader);
    }
    data = open_dataset(law, {}, diagnostics);
  }
};

}  // namespace netc
