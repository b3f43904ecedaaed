// Writes kernels by hand, shorter: tests, and lowering where it likes.
//
//   KernelBuilder k("softmax");
//   const AxisId r = k.parallel("r", {1, true});
//   const AxisId c = k.axis("c", {10, false});
//   k.phase({c});
//   const ExprId x = k.load(logits, at(r), at(c));
//   const ExprId m = k.reduce(Combine::max, x);
//   k.phase({c});
//   const ExprId s = k.reduce(Combine::sum, k.unary(ExprOp::exp, k.binary(ExprOp::sub, x, m)));
//   ...
//   Kernel kernel = k.take();
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace netc {

Index at(AxisId axis, int64_t coefficient = 1);   // coefficient * axis
Index at_constant(int64_t offset);                // a fixed row or column
Index at_gathered(ExprId id);                     // the value of an i32 expression
Index operator+(Index a, const Index& b);         // sum of affine parts; at most one may be gathered
Index operator+(Index a, int64_t offset);

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  AxisId axis(std::string name, Extent extent);       // a loop axis, to be named in phase()
  AxisId parallel(std::string name, Extent extent);   // an axis of the parallel domain, outermost first

  ExprId constant(double value, DType type = DType::f32);
  ExprId scalar(int64_t slot);
  ExprId axis_value(AxisId axis);                     // as i32
  ExprId load(BufferId buffer, Index row, Index column, DType type = DType::f32);
  ExprId random(uint32_t stream, Index row, Index column);
  ExprId cast(ExprId value, DType type);
  ExprId unary(ExprOp op, ExprId a);                  // logical_not too
  ExprId binary(ExprOp op, ExprId a, ExprId b);       // comparisons give boolean
  ExprId select(ExprId condition, ExprId a, ExprId b);

  void phase(std::vector<AxisId> loop = {});          // what follows belongs to a new phase
  ExprId reduce(Combine combine, ExprId value);       // over the current phase's loop; its result for later phases
  void store(BufferId buffer, Index row, Index column, ExprId value);
  void accumulate(BufferId buffer, Index row, Index column, ExprId value);

  Kernel take() { return std::move(kernel_); }

 private:
  Phase& current_phase();
  DType type_of(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)].type; }

  Kernel kernel_;
};

}  // namespace netc
