// The slow living definition of what a kernel means: every other backend is compared with it.
//
// It is quick enough to train with where no host compiler is installed: an expression is evaluated for a strip of up to
// 128 neighbours of the innermost parallel axis at a time, at the outermost loop depth it varies with; a matrix product
// runs its own tight loop. Every strip element folds its reductions in ascending loop order, one after the other, so
// the bits do not depend on where a strip begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "compiler/kernel/program.h"

namespace netc {

// f32: buffers hold their own element types and floating values are computed in float.
// f64: every buffer, whatever its type, holds doubles and floating values are computed in double: the oracle.
// bounded: as f64, and every value carries a bound on the error an f32 backend may make (bounded.h): the tolerance.
// (Plan::precision is the user's word; this is how the interpreter computes.)
enum class Arithmetic : uint8_t { f32, f64, bounded };

// Bytes of one stored element of a buffer.
int stored_bytes(DType dtype, Arithmetic arithmetic);

// One tower's memory: the first element of each buffer, indexed by BufferId (shared buffers appear in every tower, with
// the same address), and which rows of the update the tower holds.
struct TowerView {
  std::span<void* const> buffers;
  int64_t rows = 0;
  int64_t first_row = 0;
};

// What a kernel run needs besides memory.
struct KernelContext {
  uint64_t seed = 1;
  uint32_t update = 0;
  std::span<const double> scalars;   // one per Program::scalars: evaluate_scalars
};

// One kernel made ready to run. Not for use by two threads at once.
class KernelInterpreter {
 public:
  // Both must outlive the interpreter. The program must be sound (verify).
  KernelInterpreter(const Kernel& kernel, const Program& program, Arithmetic arithmetic);
  ~KernelInterpreter();
  KernelInterpreter(KernelInterpreter&&) noexcept;
  KernelInterpreter& operator=(KernelInterpreter&&) noexcept;

  // Towers: one for a kernel that runs on each tower; all, in global row order, for a joint one.
  // Throws RuntimeError where a gathered id lies outside its buffer.
  void run(const KernelContext& context, std::span<const TowerView> towers);

  struct Engine;   // one per arithmetic

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace netc
