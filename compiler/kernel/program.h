// A Program: every buffer, every fused kernel and the order they run in, for one tower or many. A plain value.
//
// It lives beside Kernel (and not in compiler/program, which MAKES programs) since the runtime reads it and may include
// nothing of the compiler but compiler/base and compiler/kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/base/tensor_type.h"
#include "compiler/kernel/kernel.h"

namespace netc {

// How a matrix of rows x columns lies in memory.
//   row_major   element (r, c) at r*columns + c: contiguous, no padding inside (a reshape is an alias)
//   panels      columns in panels of `panel_columns`, each panel all rows, a row's panel_columns values adjacent:
//               element (r, c) at (c / P) * (padded_rows * P) + r * P + c % P
//               Products of matrices read and write it without packing. padded_rows >= rows keeps panels off the same
//               cache sets. Values in the padding (c >= columns) are unspecified and never used.
enum class Layout : uint8_t { row_major, panels };

enum class BufferKind : uint8_t {
  input,       // rows of the batch, filled before each step by the runtime, one per tower
  parameter,   // weights: one copy per memory (all CPU towers of a process share one)
  state,       // optimizer slots, as parameters
  activation,  // batched temporary, one per tower, in the tower's arena
  gradient,    // unbatched temporary, in the shared arena
  output,      // batched result (predict), one per tower
  result,      // unbatched result (loss and metric sums): one f32 each
};

struct Buffer {
  std::string name;            // "fc1.weight", "image", "t12"
  BufferKind kind = BufferKind::activation;
  DType dtype = DType::f32;    // storage
  Extent rows;                 // rows.times_batch: batched
  int64_t columns = 1;
  Layout layout = Layout::row_major;
  int64_t panel_columns = 0;   // panels: P, chosen for the target
  int64_t padded_rows = 0;     // panels: rows kept per panel, for the largest slice when batched
  BufferId alias_of = kNone;   // same memory, other rows x columns (reshape); both row_major
  int64_t arena_offset = kNone; // activation, gradient: bytes from the start of its arena; -1 before plan_memory
  Shape shape;                 // of the tensor, for people, files and outputs (of one sample when batched)
  Span span;

  friend bool operator==(const Buffer&, const Buffer&) = default;
};

// A scalar the kernels read. Leaf scalars ("learning_rate", "inverse_batch", "update_count") are set by the runtime
// before each step; derived ones are computed from earlier ones in f64 by the runtime (Adam's bias corrections), then
// rounded to f32, so that every tower and backend reads the same bits.
struct Scalar {
  std::string name;                // leaf name; "" for derived
  ExprOp op = ExprOp::scalar;      // derived: constant, or unary/binary/comparison/select on earlier scalars
  int32_t args[3] = {kNone, kNone, kNone};
  double value = 0;                // constant

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// One entry of the order. Steps of one stage (equal `stage`) touch nothing that another of them writes: workers take
// their tiles from one common list, and all meet before the next stage.
enum class StepScope : uint8_t {
  each_tower,   // once on every tower, on its own rows
  joint,        // once for all towers together: loops over the batch see every tower's rows, in global row order
  // Of towers that do not share memory, in place of joint:
  summand,      // once on every tower: loops over the batch see its own rows, what it stores is its part of a sum
  replicated,   // once in every memory, on values that are the same in all of them: so are the results, bit for bit
};

struct Step {
  int32_t kernel = kNone;
  StepScope scope = StepScope::each_tower;
  int32_t stage = 0;
  // The kernel of a product whose launch makes this step's values too: column sums of one of its operands
  // (library_product.h). That step is of the same stage. A backend may pay no heed and run this one by itself.
  int32_t with = kNone;

  friend bool operator==(const Step&, const Step&) = default;
};

struct NamedBuffer {
  std::string name;
  BufferId buffer = kNone;
  friend bool operator==(const NamedBuffer&, const NamedBuffer&) = default;
};

struct Program {
  std::string name;                    // "train", "evaluate", "predict"
  std::vector<Buffer> buffers;
  std::vector<Scalar> scalars;
  std::vector<Kernel> kernels;
  std::vector<Step> steps;             // in order; stages ascend
  std::vector<NamedBuffer> results;    // "loss.total", "metric.accuracy", or outputs
  int64_t batch_capacity = 0;          // most rows one tower can hold in one step
  int64_t tower_arena_bytes = 0;       // activations and outputs of one tower
  int64_t shared_arena_bytes = 0;      // gradients

  friend bool operator==(const Program&, const Program&) = default;
};

std::string to_string(const Kernel& kernel, const Program& program);   // loop nest as readable pseudo-code, stable
std::string to_string(const Program& program);
std::vector<std::string> verify(const Program& program);               // faults in words; empty when sound

// Element offset of (row, column) in a buffer.
int64_t element_offset(const Buffer& buffer, int64_t row, int64_t column);
// Elements to allocate for `batch` rows (padding included, rounded up so that a vector access at the end is inside).
int64_t allocated_elements(const Buffer& buffer, int64_t batch);

}  // namespace netc
