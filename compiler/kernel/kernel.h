// A kernel: one fused loop nest, as data. Iteration domain + scalar body + index maps + reductions.
//
//   for every point of the PARALLEL axes (independent of one another, any order, split over workers):
//     for each phase, in order:
//       for every point of the phase's own LOOP axes (in ascending order, the last axis fastest):
//         evaluate the body; fold the phase's reductions; do the phase's stores
//
// A phase without loop axes runs once per parallel point: the epilogue. A later phase may use the results of the
// reductions of earlier phases. That one shape covers
//   pointwise chains     parallel = [r, c], one phase without loops: stores
//   softmax, layer norm  parallel = [r],    phases over c: max; sum of exp; store
//   matrix products      parallel = [r, n], phase over k: sum of A*B; epilogue phase: bias, relu, dropout, store
//   batch reductions     parallel = [n],    phase over r: sum; epilogue: optimizer update, stores
//
// Tensors are seen as matrices of rows x columns (the last axis of the tensor is the column, all others and the batch
// are the row); how a matrix lies in memory is the program's business (program.h: Layout), never the kernel's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/base/tensor_type.h"

namespace netc {

// A size that is fixed, or fixed times the number of rows of the batch that a tower holds (known only at run time).
struct Extent {
  int64_t count = 1;
  bool times_batch = false;

  friend bool operator==(const Extent&, const Extent&) = default;
};

using AxisId = int32_t;
using ExprId = int32_t;
using BufferId = int32_t;   // index into Program::buffers
inline constexpr int32_t kNone = -1;

struct Axis {
  std::string name;   // "r", "c", "k": for people
  Extent extent;

  friend bool operator==(const Axis&, const Axis&) = default;
};

// An affine index: offset + sum of coefficient * axis, plus the value of an i32 expression (a gathered id) if any.
struct Index {
  struct Term {
    AxisId axis = kNone;
    int64_t coefficient = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  int64_t offset = 0;
  std::vector<Term> terms;    // by ascending axis, no zero coefficients
  ExprId gathered = kNone;    // an expression of type i32, scaled by gathered_coefficient
  int64_t gathered_coefficient = 1;

  friend bool operator==(const Index&, const Index&) = default;
};

// The scalar operations of a body. Comparisons give boolean; select takes (boolean, a, b).
// NaN passes through: max/min return NaN if an operand is NaN; relu(x) is max(x, 0).
enum class ExprOp : uint8_t {
  constant,      // value
  scalar,        // run-time scalar number `slot` of the program (Program::scalars)
  axis,          // the value of axis `slot`, as i32; that of the batch counts over all towers
  load,          // buffer[row, column]
  reduced,       // the result of reduction number `slot` of this kernel (an earlier phase)
  random,        // 32 random bits as u32, a function of (seed, update, stream `slot`, global row, column): random.h
  cast,          // to `type`
  // unary, f32
  neg, abs, exp, log, log1p, expm1, sqrt, rsqrt, reciprocal, sin, cos, tanh, erf, floor, sign,
  // binary
  add, sub, mul, div, max, min, pow,
  // comparison -> boolean
  lt, le, gt, ge, eq, ne,
  // boolean
  logical_and, logical_or, logical_not,
  select,
};

struct Expr {
  ExprOp op = ExprOp::constant;
  DType type = DType::f32;         // f32, i32, boolean; `random` gives i64 (0 .. 2^32-1) in the interpreter, u32 in C
  ExprId args[3] = {kNone, kNone, kNone};
  double value = 0;                // constant
  int64_t slot = kNone;            // scalar, axis, reduced; random: the stream (hash of the layer's path)
  BufferId buffer = kNone;         // load
  Index row = {}, column = {};     // load; random: matrix row within the tower's rows (global offset added), last-axis column

  friend bool operator==(const Expr&, const Expr&) = default;
};

enum class Combine : uint8_t { sum, max, min };

struct Reduction {
  Combine combine = Combine::sum;
  ExprId value = kNone;            // folded over the phase's loop axes; an empty loop gives 0, -inf, +inf

  friend bool operator==(const Reduction&, const Reduction&) = default;
};

struct Store {
  BufferId buffer = kNone;
  Index row, column;
  ExprId value = kNone;
  bool accumulate = false;         // buffer[...] += value, in ascending loop order (scatter-add); else each element once

  friend bool operator==(const Store&, const Store&) = default;
};

struct Phase {
  std::vector<AxisId> loop;            // empty: the epilogue, once per parallel point
  std::vector<int32_t> reductions;     // indices into Kernel::reductions
  std::vector<Store> stores;

  friend bool operator==(const Phase&, const Phase&) = default;
};

struct Kernel {
  std::string name;                    // "fc1_matmul_add_relu_dropout": from the layers and ops inside
  std::vector<Axis> axes;
  std::vector<AxisId> parallel;
  std::vector<Expr> exprs;             // arguments before uses; evaluated where first needed
  std::vector<Reduction> reductions;
  std::vector<Phase> phases;
  std::vector<Span> spans;             // the .net stages inside, in order, without repeats

  ExprId add(Expr e) {
    exprs.push_back(std::move(e));
    return static_cast<ExprId>(exprs.size() - 1);
  }
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

// Where a kernel runs when the batch is spread over towers. A kernel whose loops run over the batch (weight gradients,
// batch sums) sees the rows of ALL towers in global row order; one whose parallel axes hold the batch sees its own
// tower's rows; one without the batch (an optimizer update) runs once.
bool loops_over_batch(const Kernel& kernel);       // some loop axis has times_batch
bool parallel_over_batch(const Kernel& kernel);    // some parallel axis has times_batch

// A matrix product: exactly one reduction, sum of load*load over one loop axis, in the first phase, and only epilogue
// phases after it. lane: the parallel axis that is a column of the output; row: the other one.
struct MatrixProduct {
  AxisId row = kNone, lane = kNone, reduced = kNone;
  ExprId a = kNone;   // the load indexed by (row, reduced), in either order
  ExprId b = kNone;   // the load indexed by (reduced, lane), in either order
};
bool match_matrix_product(const Kernel& kernel, MatrixProduct* product);

}  // namespace netc
