// Kernels as CUDA text, and each program as a list of launches. Includes no CUDA header and needs no toolkit: the text
// is for NVRTC, the launches are for whoever has a device (or plays one).
//
// By the form of a kernel, never by its name, it is written as (kernel_form.h)
//   pointwise       a thread for 4 neighbouring columns with 16-byte accesses, or for one element
//   row reduction   a warp or a block for a row, sums by shuffles, short rows kept in registers
//   column sums     32 columns and some row threads a block, a fixed tree in shared memory
//   scatter-add     rows of the target dealt to warps, each adding in ascending order: no atomics
//   matrix product  tiles in shared memory, the epilogue on registers; or a library's product (ProductCall)
//   anything else   a thread for each parallel point, loops in order
//
// Every sum is made in one fixed order that depends on sizes only. Multiply-adds are fused where the text says so and
// nowhere else: compile with --fmad=false, and with IEEE division and roots (NVRTC's defaults).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/kernel/library_product.h"
#include "compiler/kernel/program.h"

namespace netc {

struct CudaOptions {
  bool library_products = true;                 // false: every product as generated text, for devices without a library
  std::function<std::string(Span)> span_text;   // the .net line of a span, for comments; may be empty
};

// A count that grows with the rows of the batch on this device.
struct RowCount {
  int64_t fixed = 0, per_row = 0;

  int64_t at(int64_t rows) const { return fixed + per_row * rows; }
  RowCount& operator+=(const RowCount& other);
  friend bool operator==(const RowCount&, const RowCount&) = default;
};

// Blocks of one part of a grid: the product of its factors, each extent / per_block rounded up.
struct GridFactor {
  Extent extent;
  int64_t per_block = 1;
  friend bool operator==(const GridFactor&, const GridFactor&) = default;
};
using GridPart = std::vector<GridFactor>;

// Parameters: const CudaStepBlock*, then one pointer per buffer, in order. A pointer is the first element of the
// buffer's memory on this device (arena + arena_offset for temporaries) and aligned to 16 bytes at least.
struct KernelLaunch {
  std::string symbol;                  // in EmittedCuda::text, extern "C"
  std::vector<BufferId> buffers;
  int block_threads = 0;               // a multiple of 32; one dimension
  int64_t shared_bytes = 0;            // dynamic shared memory
  std::vector<GridPart> grid_parts;

  // Blocks, in x only. 0: nothing to do for this many rows, do not launch. InternalError beyond 2^31 - 1.
  int64_t grid(int64_t rows) const;
};

// c[m, n] = epilogue(alpha * sum over k of A[m, k] * B[k, n] (+ bias[n])), all f32 and row-major. A library that thinks
// in columns computes the transpose: B' A'. With k = 0 (no rows) the sum is 0 and c is stored all the same.
enum class ProductEpilogue : uint8_t {
  none,
  bias,
  relu,             // max(x, 0)
  bias_relu,
  gelu_tanh,        // the tanh form, which is the one that cuBLASLt has; the exact form is never absorbed
  bias_gelu_tanh,
};
struct ProductCall {
  Extent m, n, k;
  BufferId a = kNone, b = kNone, c = kNone;
  BufferId bias = kNone;               // n values from its first element; kNone without
  bool a_transposed = false;           // A[m, k] lies at a[k * a_stride + m], else at a[m * a_stride + k]
  bool b_transposed = false;           // B[k, n] lies at b[n * b_stride + k], else at b[k * b_stride + n]
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;   // elements from one row in memory to the next
  float alpha = 1;
  ProductEpilogue epilogue = ProductEpilogue::none;
  friend bool operator==(const ProductCall&, const ProductCall&) = default;
};

using CudaCall = std::variant<KernelLaunch, ProductCall>;   // other library calls join here

struct CudaLaunch {
  std::vector<int32_t> steps;          // of Program::steps, ascending; several where one launch does independent steps
  CudaCall call;
  RowCount bytes_moved;                // every element read or written, once
  RowCount flops;                      // arithmetic operations; a multiply-add counts as two
  std::vector<Span> spans;
};

struct EmittedCuda {
  std::string text;                    // for all programs; empty of kernels where libraries do everything
  std::vector<std::string> symbols;    // of the kernels in the text, by CudaFault::kernel
  std::vector<std::vector<CudaLaunch>> programs;   // [program], in the order to launch
};

// What a ProductCall can say of what a library does beside a product: for CompileRequest::products.
ProductLibrary cuda_products();

// Launches of a program run one after the other on one stream; all buffers must be row_major (gpu_target()). Equal
// kernels of all programs share a symbol. Throws InternalError for stored types that no backend computes with.
EmittedCuda emit_cuda(std::span<const Program> programs, const CudaOptions& options);

}  // namespace netc
