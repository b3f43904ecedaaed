#include "tests/cuda/cuda_programs.h"

#include "compiler/base/errors.h"
#include "compiler/compile.h"
#include "compiler/kernel/cuda/emit_cuda.h"
#include "compiler/kernel/target.h"
#include "compiler/passes/expand_composites.h"
#include "compiler/passes/remove_dead.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "compiler/program/fuse.h"
#include "compiler/program/lower.h"
#include "compiler/program/name_kernels.h"
#include "compiler/program/plan_layouts.h"
#include "compiler/program/plan_memory.h"
#include "compiler/program/plan_stages.h"
#include "tests/kernel/hand_program.h"
#include "tests/ops/op_cases.h"
#include "tests/ops/random_graph.h"
#include "tests/support/mlp.h"

namespace netc::test {
namespace {

Program sound(Program program) {
  for (const std::string& fault : verify(program))
    throw InternalError(program.name + ": " + fault + "\n" + to_string(program));
  return program;
}

// As the conformance suite makes them: results that are no outputs and no sums are stored in a slot.
Program program_of(Graph graph, const std::string& name, int64_t rows, bool fused) {
  graph = expand_composites(simplify(std::move(graph)));
  GraphBuilder b(graph);
  std::vector<Result> results = std::move(graph.results);
  graph.results.clear();
  for (Result& result : results) {
    if (b.type(result.node).dtype != DType::f32)
      result.node = b.op("cast", {result.node}, {{"dtype", std::string("f32")}});
    const TensorType type = b.type(result.node);
    if (type.batched || type.shape.empty()) graph.results.push_back(result);
    else graph.updates.push_back({b.state("result " + result.name, type, 0), result.node});
  }
  graph = remove_dead(share(simplify(std::move(graph))));
  Program program = lower(graph, name);
  program.batch_capacity = rows;
  if (fused) fuse(program);
  name_kernels(program);
  plan_layouts(std::span(&program, 1), gpu_target());
  plan_stages(program);
  plan_memory(program);
  return sound(std::move(program));
}

}  // namespace

std::vector<Program> seed_net_programs(bool on_devices) {
  TrainSpec train;
  train.optimizer = {"rmsprop", {{"lr", 0.001}}, {}};
  CompileRequest request;
  request.target = gpu_target();
  request.batch_capacity = 128;
  request.towers = {{}};
  if (on_devices) {
    request.memory = TowerMemory::separate;
    request.products = cuda_products();
  }
  return compile(mlp(), train, request).programs;
}

Program huge_softmax_program() {
  Program program = softmax_program(1000);
  program.batch_capacity = 3'000'000;
  return program;
}

Program softmax_program(int64_t columns) {
  HandProgram p(64);
  const BufferId x = p.input("x", columns), y = p.output("y", columns);
  p.step(row_softmax(x, y, columns));
  return sound(p);
}

Program layer_norm_program(int64_t columns) {
  HandProgram p(64);
  const BufferId x = p.input("x", columns), scale = p.parameter("scale", 1, columns),
                 shift = p.parameter("shift", 1, columns);
  const BufferId y = p.output("y", columns);
  KernelBuilder k("layer_norm");
  const AxisId r = k.parallel("r", kBatch), c = k.axis("c", {columns, false});
  const ExprId share = k.constant(1.0 / static_cast<double>(columns));
  k.phase({c});
  const ExprId v = k.load(x, at(r), at(c));
  const ExprId total = k.reduce(Combine::sum, v);
  k.phase({c});
  const ExprId centred = k.binary(ExprOp::sub, v, k.binary(ExprOp::mul, total, share));
  const ExprId squares = k.reduce(Combine::sum, k.binary(ExprOp::mul, centred, centred));
  k.phase({c});
  const ExprId variance = k.binary(ExprOp::mul, squares, share);
  const ExprId normal =
      k.binary(ExprOp::mul, centred, k.unary(ExprOp::rsqrt, k.binary(ExprOp::add, variance, k.constant(1e-5))));
  const ExprId scaled = k.binary(ExprOp::mul, normal, k.load(scale, at_constant(0), at(c)));
  k.store(y, at(r), at(c), k.binary(ExprOp::add, scaled, k.load(shift, at_constant(0), at(c))));
  p.step(k.take());
  return sound(p);
}

Program embedding_program() {
  constexpr int64_t kWords = 1000, kWidth = 64;
  HandProgram p(32);
  const BufferId ids = p.input("ids", 1, DType::i32), table = p.parameter("table", kWords, kWidth);
  const BufferId y = p.output("y", kWidth), gradient = p.gradient("d_table", kWords, kWidth);
  {
    KernelBuilder k("gather");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {kWidth, false});
    k.store(y, at(r), at(c), k.load(table, at_gathered(k.load(ids, at(r), at_constant(0), DType::i32)), at(c)));
    p.step(k.take());
  }
  {
    KernelBuilder k("clear");
    const AxisId v = k.parallel("v", {kWords, false}), c = k.parallel("c", {kWidth, false});
    k.store(gradient, at(v), at(c), k.constant(0));
    p.step(k.take());
  }
  {
    KernelBuilder k("scatter_add");
    const AxisId c = k.parallel("c", {kWidth, false}), r = k.axis("r", kBatch);
    k.phase({r});
    const ExprId id = k.load(ids, at(r), at_constant(0), DType::i32);
    k.accumulate(gradient, at_gathered(id), at(c), k.load(y, at(r), at(c)));
    p.step(k.take());
  }
  {
    KernelBuilder k("update");
    const AxisId v = k.parallel("v", {kWords, false}), c = k.parallel("c", {kWidth, false});
    const ExprId w = k.load(table, at(v), at(c)), g = k.load(gradient, at(v), at(c));
    k.store(table, at(v), at(c), k.binary(ExprOp::sub, w, k.binary(ExprOp::mul, g, k.constant(0.1))));
    p.step(k.take());
  }
  return p;
}

Program updates_program(int weights) {
  HandProgram p(8);
  const int64_t rate = p.scalar("learning_rate");
  for (int i = 0; i < weights; ++i) {
    const int64_t rows = 3 + i, columns = i % 2 == 0 ? 512 : 7;   // quads and not
    const std::string name = "w" + std::to_string(i);
    const BufferId w = p.parameter(name, rows, columns), g = p.parameter(name + "/gradient", rows, columns);
    KernelBuilder k(name + "_update");
    const AxisId r = k.parallel("i", {rows, false}), c = k.parallel("c", {columns, false});
    const ExprId step = k.binary(ExprOp::mul, k.load(g, at(r), at(c)), k.scalar(rate));
    k.store(w, at(r), at(c), k.binary(ExprOp::sub, k.load(w, at(r), at(c)), step));
    p.step(k.take());
  }
  return sound(p);
}

std::vector<Program> row_programs(bool fused) {
  std::vector<Program> programs;
  for (const OpRow& row : op_table()) {
    int number = 0;
    for (const OpCase& op_case : cases_of(row))
      programs.push_back(
          program_of(build(row, op_case).graph, row.name + "_" + std::to_string(number++), kCaseRows, fused));
  }
  return programs;
}

std::vector<Program> random_programs(bool fused) {
  std::vector<Program> programs;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    programs.push_back(program_of(random_graph(seed, 30), "random_" + std::to_string(seed), 5, fused));
  return programs;
}

std::string kernels_of(const EmittedCuda& emitted) {
  const size_t begin = emitted.text.find(": kernel");
  return begin == std::string::npos ? "" : emitted.text.substr(emitted.text.rfind("//", begin));
}

}  // namespace netc::test
