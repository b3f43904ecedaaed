// A kernel made flat for the interpreter: instructions on registers of strips, sorted by the loop depth they belong to.
//
// The loop nest the tape describes:
//
//   once                                              constants, scalars
//   for each outer parallel axis (all but the lane):  outer[i]
//     for strips of the lane axis:
//       for each phase:                               levels[0]
//         for each loop axis:                         levels[1], levels[2], ...
//           fold reductions, do stores
//
// A register holds kStrip values; a uniform instruction computes one and copies it to all.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/program.h"

namespace netc {

inline constexpr int64_t kStrip = 128;

// A row or column index: offset + lane_coefficient * lane + sum of terms + gathered register.
struct TapeIndex {
  int64_t offset = 0;
  int64_t lane_coefficient = 0;
  std::vector<Index::Term> terms;       // of the other axes
  int32_t gathered = kNone;             // integer register
  int64_t gathered_coefficient = 1;
  bool gathered_varies = false;         // from lane to lane
};

struct TapeAccess {
  BufferId buffer = kNone;
  TapeIndex row, column;
};

struct Instruction {
  ExprOp op = ExprOp::constant;
  bool uniform = false;
  bool real = true;                     // the result is floating (else an integer or a truth)
  bool real_arguments = true;           // of comparisons and casts
  bool truth_argument = false;          // of casts: the argument is a truth
  DType type = DType::f32;
  int32_t target = kNone;               // register, of its file
  int32_t args[3] = {kNone, kNone, kNone};
  double value = 0;
  int64_t slot = kNone;
  TapeAccess access;                    // load, random
};

struct TapeReduction {
  Combine combine = Combine::sum;
  bool real = true;
  int32_t value = kNone;                // register folded
  int32_t target = kNone;               // register that accumulates: the `reduced` value itself
};

struct TapeStore {
  TapeAccess access;
  bool real = true;
  bool accumulate = false;
  int32_t value = kNone;
};

struct TapePhase {
  std::vector<AxisId> loop;
  std::vector<std::vector<Instruction>> levels;   // loop.size() + 1
  std::vector<TapeReduction> reductions;
  std::vector<TapeStore> stores;
};

struct Tape {
  AxisId lane = kNone;                  // kNone: no parallel axis, strips of one
  std::vector<AxisId> outer;
  std::vector<Instruction> once;
  std::vector<std::vector<Instruction>> outer_levels;   // one per outer axis
  std::vector<TapePhase> phases;
  int32_t real_registers = 0;
  int32_t integer_registers = 0;

  // A matrix product: phase 0 is not interpreted but run as a tight loop into register `product_target`.
  bool product = false;
  TapeAccess product_a, product_b;      // a is uniform over the lane
  int32_t product_target = kNone;
};

Tape make_tape(const Kernel& kernel, const Program& program);

}  // namespace netc
