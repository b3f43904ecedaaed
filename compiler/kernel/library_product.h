// What a library of matrix products does in one launch beside the product, seen in a kernel. (cuBLASLt calls it epilogue.)
//
//   h[r, c]  = max(sum over k of x[r, k] * w[k, c] + bias[0, c], 0);  p[r, c] = h[r, c] > 0     bias, relu, a mask kept
//   dx[r, c] = select(p[r, c], (sum over k of g[r, k] * w[c, k]) * 1.25, 0)                     scale, a mask applied
//   dw[i, c] = sum over k in B of x[k, i] * g[k, c];   db[0, c] = sum over k in B of g[k, c]     column sums carried along
//
// The last are two kernels of one launch: Step::with of the second names the first.
// How a mask lies in memory is for the backend to say; only such products and the kernels that make it touch it, element
// by element, so that it may well be bits.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/kernel/program.h"

namespace netc {

// What a library can absorb. All false: a plain store of the sums.
struct ProductLibrary {
  bool scale = false;         // sums times a number
  bool bias = false;          // plus a vector along the columns of the output
  bool addend = false;        // plus a matrix like the output
  bool relu = false;          // then max(x, 0)
  bool gelu_tanh = false;     // or gelu in its tanh form
  bool keeps_input = false;   // beside gelu_tanh: stores what it is taken of
  bool masks = false;         // beside relu: stores a truth per element, x > 0; and select(truth, sums, 0)
  int64_t mask_columns = 128; // masks: the output's columns are a multiple of this
  bool column_sums = false;   // beside a plain product: the sums of one operand over the reduced axis
  // Products that reduce over fewer elements stay one generated kernel, epilogue and all: they move memory and multiply
  // little, so that what a library gains on the product is less than one more pass over its result.
  int64_t least_reduced = 0;

  friend bool operator==(const ProductLibrary&, const ProductLibrary&) = default;
};

ProductLibrary cublaslt();   // as of CUDA 12: all of the above

enum class Activation : uint8_t { none, relu, gelu_tanh };

struct LibraryProduct {
  MatrixProduct product;
  ExprId value = kNone;       // what the output stores
  ExprId scale = kNone;       // a constant or run-time scalar
  ExprId bias = kNone;        // a load that varies with the lane only
  ExprId addend = kNone;      // a load at the output's place
  Activation activation = Activation::none;
  ExprId activated = kNone;   // what the activation is taken of
  ExprId mask = kNone;        // a load of a truth at the output's place
};

// Whether `value`, an expression of a kernel that is a matrix product, is one the library makes.
std::optional<LibraryProduct> match_library_value(const Kernel& kernel, ExprId value, const ProductLibrary& library);

// Whether the library does all of a kernel: its stores are the value and, at the same place, what it keeps beside it.
std::optional<LibraryProduct> match_library_product(const Kernel& kernel, const ProductLibrary& library);

// Whether `store` of a product keeps what the library can store beside `made`: the input of gelu_tanh, the mask of relu.
bool is_kept_beside(const Kernel& kernel, const Store& store, const LibraryProduct& made, const ProductLibrary& library);

// Whether `sums` stores nothing but the sums of an operand of `product`, a plain product, over what the product reduces.
bool is_column_sum_of(const Kernel& sums, const Kernel& product);

}  // namespace netc
