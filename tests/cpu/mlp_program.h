// A training step of a net of dense layers, written by hand as a Program: what the CPU backend is tested and measured
// with, apart from the compiler that makes such programs from .net files.
//
//   image u8 -> x / 255 -> (dense, relu, dropout)* -> dense -> softmax cross entropy; RMSprop in the weight gradients
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/kernel_builder.h"
#include "compiler/kernel/program.h"
#include "compiler/kernel/target.h"

namespace netc {

struct MlpShape {
  std::vector<int64_t> units{784, 1024, 1024, 10};   // inputs, hidden ..., classes
  int64_t batch_capacity = 128;
  double dropout = 0.2;
  bool panels = true;                                // products on panels; else row-major
};

class MlpProgram {
 public:
  MlpProgram(MlpShape shape, const Target& target) : shape_(std::move(shape)), target_(target) {
    program_.name = "train";
    program_.batch_capacity = shape_.batch_capacity;
    for (const char* leaf : {"learning_rate", "inverse_batch"}) program_.scalars.push_back({leaf, ExprOp::scalar, {}, 0});
  }

  Program build() {
    const auto& units = shape_.units;
    const size_t layers = units.size() - 1;
    const BufferId image = buffer("image", BufferKind::input, DType::u8, {1, true}, units[0], false);
    const BufferId label = buffer("label", BufferKind::input, DType::i32, {1, true}, 1, false);
    std::vector<BufferId> h{activation("x", units[0])}, w, b, vw, vb;
    for (size_t i = 0; i < layers; ++i) {
      const std::string name = "fc" + std::to_string(i + 1);
      w.push_back(buffer(name + ".weight", BufferKind::parameter, DType::f32, {units[i], false}, units[i + 1], shape_.panels));
      b.push_back(buffer(name + ".bias", BufferKind::parameter, DType::f32, {1, false}, units[i + 1], false));
      vw.push_back(buffer(name + ".weight/square_average", BufferKind::state, DType::f32, {units[i], false}, units[i + 1], shape_.panels));
      vb.push_back(buffer(name + ".bias/square_average", BufferKind::state, DType::f32, {1, false}, units[i + 1], false));
      h.push_back(activation("h" + std::to_string(i + 1), units[i + 1]));
    }
    step(scale_input(image, h[0]));
    for (size_t i = 0; i < layers; ++i) {
      next_stage();
      step(forward(h[i], w[i], b[i], h[i + 1], units[i], units[i + 1], i + 1 < layers, static_cast<uint32_t>(i)));
    }
    next_stage();
    std::vector<BufferId> d(layers + 1, kNone);
    for (size_t i = 1; i <= layers; ++i) d[i] = activation("d" + std::to_string(i), units[i]);
    const BufferId loss_rows = buffer("loss_rows", BufferKind::activation, DType::f32, {1, true}, 1, false);
    const BufferId loss = buffer("loss.total", BufferKind::result, DType::f32, {1, false}, 1, false);
    program_.results.push_back({"loss.total", loss});
    step(cross_entropy(h[layers], label, d[layers], loss_rows, units[layers]));
    next_stage();
    step(total(loss_rows, loss));
    for (size_t i = layers - 1; i >= 1; --i) {
      step(input_gradient(d[i + 1], w[i], h[i], d[i], units[i], units[i + 1]));
      next_stage();
    }
    for (size_t i = layers; i-- > 0;) step(weight_gradient(h[i], d[i + 1], w[i], vw[i], units[i], units[i + 1]));
    for (size_t i = layers; i-- > 0;) step(bias_gradient(d[i + 1], b[i], vb[i], units[i + 1]));
    return std::move(program_);
  }

 private:
  BufferId buffer(std::string name, BufferKind kind, DType dtype, Extent rows, int64_t columns, bool panels) {
    Buffer b;
    b.name = std::move(name);
    b.kind = kind;
    b.dtype = dtype;
    b.rows = rows;
    b.columns = columns;
    if (panels) {
      b.layout = Layout::panels;
      b.panel_columns = target_.panel_columns;
      b.padded_rows = padded_panel_rows(target_, rows.times_batch ? rows.count * shape_.batch_capacity : rows.count);
    }
    program_.buffers.push_back(b);
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }
  BufferId activation(const std::string& name, int64_t columns) {
    return buffer(name, BufferKind::activation, DType::f32, {1, true}, columns, shape_.panels);
  }
  void next_stage() { ++stage_; }
  void step(Kernel kernel) {
    const StepScope scope = parallel_over_batch(kernel) ? StepScope::each_tower : StepScope::joint;
    program_.kernels.push_back(std::move(kernel));
    program_.steps.push_back({static_cast<int32_t>(program_.kernels.size() - 1), scope, stage_});
  }

  Kernel scale_input(BufferId image, BufferId x_out) {
    KernelBuilder k("image_to_float");
    const AxisId r = k.parallel("r", {1, true}), c = k.parallel("c", {shape_.units[0], false});
    const ExprId x = k.cast(k.load(image, at(r), at(c), DType::i32), DType::f32);
    k.store(x_out, at(r), at(c), k.binary(ExprOp::mul, x, k.constant(1.0 / 255)));
    return k.take();
  }

  Kernel forward(BufferId x, BufferId w, BufferId b, BufferId y, int64_t in, int64_t out, bool hidden, uint32_t stream) {
    KernelBuilder k("fc" + std::to_string(stream + 1) + (hidden ? "_matmul_add_relu_dropout" : "_matmul_add"));
    const AxisId r = k.parallel("r", {1, true}), n = k.parallel("n", {out, false}), j = k.axis("k", {in, false});
    k.phase({j});
    const ExprId product = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(j)), k.load(w, at(j), at(n))));
    k.phase();
    ExprId z = k.binary(ExprOp::add, product, k.load(b, at_constant(0), at(n)));
    if (hidden) {
      z = k.binary(ExprOp::max, z, k.constant(0));
      if (shape_.dropout > 0) {
        const double bound = static_cast<double>(static_cast<uint64_t>(shape_.dropout * 4294967296.0));
        const ExprId keep = k.binary(ExprOp::ge, k.random(1000 + stream, at(r), at(n)), k.constant(bound, DType::i64));
        const ExprId mask = k.select(keep, k.constant(1), k.constant(0));
        z = k.binary(ExprOp::mul, k.binary(ExprOp::mul, z, mask), k.constant(1 / (1 - shape_.dropout)));
      }
    }
    k.store(y, at(r), at(n), z);
    return k.take();
  }

  static Kernel cross_entropy(BufferId z_in, BufferId label, BufferId dz, BufferId loss, int64_t classes) {
    KernelBuilder k("softmax_cross_entropy");
    const AxisId r = k.parallel("r", {1, true}), c = k.axis("c", {classes, false});
    k.phase({c});
    const ExprId z = k.load(z_in, at(r), at(c));
    const ExprId most = k.reduce(Combine::max, z);
    k.phase({c});
    const ExprId e = k.unary(ExprOp::exp, k.binary(ExprOp::sub, z, most));
    const ExprId sum = k.reduce(Combine::sum, e);
    k.phase({c});
    const ExprId id = k.load(label, at(r), at_constant(0), DType::i32);
    const ExprId target = k.select(k.binary(ExprOp::eq, k.axis_value(c), id), k.constant(1), k.constant(0));
    const ExprId p = k.binary(ExprOp::div, e, sum);
    k.store(dz, at(r), at(c), k.binary(ExprOp::mul, k.binary(ExprOp::sub, p, target), k.scalar(1)));
    k.phase();
    const ExprId own = k.load(z_in, at(r), at_gathered(id));
    k.store(loss, at(r), at_constant(0),
            k.binary(ExprOp::sub, k.binary(ExprOp::add, k.unary(ExprOp::log, sum), most), own));
    return k.take();
  }

  static Kernel total(BufferId rows, BufferId sum) {
    KernelBuilder k("loss_sum");
    const AxisId r = k.axis("r", {1, true});
    k.phase({r});
    const ExprId s = k.reduce(Combine::sum, k.load(rows, at(r), at_constant(0)));
    k.phase();
    k.store(sum, at_constant(0), at_constant(0), s);
    return k.take();
  }

  Kernel input_gradient(BufferId dy, BufferId w, BufferId x, BufferId dx, int64_t in, int64_t out) {
    KernelBuilder k("matmul_relu_dropout_gradient");
    const AxisId r = k.parallel("r", {1, true}), c = k.parallel("c", {in, false}), j = k.axis("n", {out, false});
    k.phase({j});
    const ExprId product = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(dy, at(r), at(j)), k.load(w, at(c), at(j))));
    k.phase();
    const ExprId alive = k.binary(ExprOp::gt, k.load(x, at(r), at(c)), k.constant(0));
    k.store(dx, at(r), at(c), k.binary(ExprOp::mul, product, k.select(alive, k.constant(1 / (1 - shape_.dropout)), k.constant(0))));
    return k.take();
  }

  // v = 0.9 v + 0.1 g^2; w -= lr g / (sqrt v + 1e-7)
  static void rmsprop(KernelBuilder& k, ExprId g, BufferId w, BufferId v, const Index& row, const Index& column) {
    const ExprId old_v = k.load(v, row, column), old_w = k.load(w, row, column);
    const ExprId new_v = k.binary(ExprOp::add, k.binary(ExprOp::mul, old_v, k.constant(0.9)),
                                  k.binary(ExprOp::mul, k.binary(ExprOp::mul, g, g), k.constant(0.1)));
    const ExprId root = k.binary(ExprOp::add, k.unary(ExprOp::sqrt, new_v), k.constant(1e-7));
    const ExprId change = k.binary(ExprOp::div, k.binary(ExprOp::mul, g, k.scalar(0)), root);
    k.store(v, row, column, new_v);
    k.store(w, row, column, k.binary(ExprOp::sub, old_w, change));
  }

  static Kernel weight_gradient(BufferId x, BufferId dy, BufferId w, BufferId v, int64_t in, int64_t out) {
    KernelBuilder k("weight_gradient_rmsprop");
    const AxisId i = k.parallel("k", {in, false}), n = k.parallel("n", {out, false}), r = k.axis("r", {1, true});
    k.phase({r});
    const ExprId g = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), k.load(dy, at(r), at(n))));
    k.phase();
    rmsprop(k, g, w, v, at(i), at(n));
    return k.take();
  }

  static Kernel bias_gradient(BufferId dy, BufferId b, BufferId v, int64_t out) {
    KernelBuilder k("bias_gradient_rmsprop");
    const AxisId n = k.parallel("n", {out, false}), r = k.axis("r", {1, true});
    k.phase({r});
    const ExprId g = k.reduce(Combine::sum, k.load(dy, at(r), at(n)));
    k.phase();
    rmsprop(k, g, b, v, at_constant(0), at(n));
    return k.take();
  }

  MlpShape shape_;
  const Target& target_;
  Program program_;
  int stage_ = 0;
};

}  // namespace netc
