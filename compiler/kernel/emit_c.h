// Kernels as header-free C translation units with GNU vector extensions: what the CPU backend compiles, and what
// `--emit=kernels` shows. The same kernels and the same target always give the same text.
//
// Every kernel becomes one function over an ITEM, a part of its parallel domain that one worker does at a time. By the
// form of the kernel, never by its name, it is written as
//   a matrix product   tiles in registers over panels, the epilogue on a tile in the first cache   (emit_product.cpp)
//   a loop nest        vectors along a parallel axis, or along the loops of a phase, or plain      (emit_nest.cpp)
//
// Bits do not depend on how rows are sliced: each element is computed by the same operations in the same order wherever
// it lies in an item, and multiply-adds are fused where this text says so and nowhere else (compile with
// -ffp-contract=off).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/program.h"
#include "compiler/kernel/target.h"

namespace netc {

struct EmitOptions {
  Target target;
  int parts = 1;                              // texts to spread the kernels over, to be compiled at the same time
  std::function<std::string(Span)> span_text;   // the .net line of a span, for comments; may be empty
};

// One parallel axis cut into chunks; items are numbered with the last axis fastest.
struct ItemAxis {
  Extent extent;
  int64_t chunk = 1;
};

struct EmittedKernel {
  std::string symbol;
  int part = 0;                       // which text holds it
  std::vector<BufferId> buffers;      // the kernel's own numbering -> Program::buffers
  std::vector<ItemAxis> items;
  int64_t scratch_bytes = 0;          // 64-byte aligned memory of the worker
  bool joint = false;                 // sees all towers (no batch among the parallel axes)
  double work_per_item = 0;           // rough count of scalar operations, to see what is worth sharing

  int64_t item_count(int64_t rows) const;   // for a tower of `rows` rows
};

struct EmittedUnit {
  std::vector<std::string> texts;     // one per part
  std::vector<std::vector<EmittedKernel>> programs;   // [program][kernel]; equal kernels share a symbol
};

EmittedUnit emit_c(std::span<const Program> programs, const EmitOptions& options);

}  // namespace netc
