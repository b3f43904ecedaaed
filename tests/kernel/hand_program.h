// Programs written by hand, for tests of what a kernel means.
#pragma once

#include <string>
#include <utility>

#include "compiler/kernel/kernel_builder.h"
#include "compiler/kernel/program.h"

namespace netc::test {

inline constexpr Extent kBatch{1, true};

struct HandProgram : Program {
  explicit HandProgram(int64_t capacity = 16) {
    name = "test";
    batch_capacity = capacity;
  }

  BufferId add(BufferKind kind, std::string of_name, Extent rows, int64_t columns, DType dtype = DType::f32) {
    Buffer b;
    b.name = std::move(of_name);
    b.kind = kind;
    b.dtype = dtype;
    b.rows = rows;
    b.columns = columns;
    buffers.push_back(b);
    return static_cast<BufferId>(buffers.size() - 1);
  }
  BufferId input(std::string of_name, int64_t columns, DType dtype = DType::f32) {
    return add(BufferKind::input, std::move(of_name), kBatch, columns, dtype);
  }
  BufferId activation(std::string of_name, int64_t columns) {
    return add(BufferKind::activation, std::move(of_name), kBatch, columns);
  }
  BufferId output(std::string of_name, int64_t columns, DType dtype = DType::f32) {
    const BufferId id = add(BufferKind::output, of_name, kBatch, columns, dtype);
    results.push_back({std::move(of_name), id});
    return id;
  }
  BufferId result(std::string of_name) {
    const BufferId id = add(BufferKind::result, of_name, {1, false}, 1);
    results.push_back({std::move(of_name), id});
    return id;
  }
  BufferId parameter(std::string of_name, int64_t rows, int64_t columns) {
    return add(BufferKind::parameter, std::move(of_name), {rows, false}, columns);
  }
  BufferId gradient(std::string of_name, int64_t rows, int64_t columns) {
    return add(BufferKind::gradient, std::move(of_name), {rows, false}, columns);
  }
  int64_t scalar(std::string of_name) {
    scalars.push_back({std::move(of_name), ExprOp::scalar, {kNone, kNone, kNone}, 0});
    return static_cast<int64_t>(scalars.size() - 1);
  }

  void step(Kernel kernel) {
    const StepScope scope = parallel_over_batch(kernel) ? StepScope::each_tower : StepScope::joint;
    const auto n = static_cast<int32_t>(kernels.size());
    kernels.push_back(std::move(kernel));
    steps.push_back({n, scope, n});
  }
};

// out = relu(x * w + bias), a matrix product with its epilogue.
inline Kernel dense_relu(BufferId x, BufferId w, BufferId bias, BufferId out, int64_t inner, int64_t columns,
                         const std::string& name = "dense_relu") {
  KernelBuilder k(name);
  const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false}), i = k.axis("k", {inner, false});
  k.phase({i});
  const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), k.load(w, at(i), at(c))));
  k.phase();
  const ExprId biased = k.binary(ExprOp::add, sum, k.load(bias, at_constant(0), at(c)));
  k.store(out, at(r), at(c), k.binary(ExprOp::max, biased, k.constant(0)));
  return k.take();
}

// out = softmax of each row of x: three phases.
inline Kernel row_softmax(BufferId x, BufferId out, int64_t columns) {
  KernelBuilder k("softmax");
  const AxisId r = k.parallel("r", kBatch), c = k.axis("c", {columns, false});
  k.phase({c});
  const ExprId value = k.load(x, at(r), at(c));
  const ExprId most = k.reduce(Combine::max, value);
  k.phase({c});
  const ExprId power = k.unary(ExprOp::exp, k.binary(ExprOp::sub, value, most));
  const ExprId total = k.reduce(Combine::sum, power);
  k.phase({c});
  k.store(out, at(r), at(c), k.binary(ExprOp::div, power, total));
  return k.take();
}

}  // namespace netc::test
