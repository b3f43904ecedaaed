// Phases without loops for 4 neighbours along the lane at once: what lies side by side is read and written with one
// access of 4 elements, random bits use all four words of a counter, and the body stands once, in an unrolled loop.
//
//   const quad_f v0 = load_quad_f(b0 + i_r * 1024 + first_c);
//   quad_f y0;
//   for (i32 l = 0; l < 4; ++l) {
//     const i32 i_c = first_c + l;
//     ...
//     y0.at[l] = x7;
//   }
//   store_quad_f(b1 + i_r * 1024 + first_c, y0);
#pragma once

#include <functional>
#include <span>
#include <string>

#include "compiler/kernel/cuda/kernel_form.h"
#include "compiler/kernel/emit_body.h"

namespace netc::cuda {

struct LaneRun {
  BodyEmitter& body;
  const KernelForm& form;
  AxisId lane = kNone;
  std::string first;                           // C text of the lane's first value, a multiple of 4
  AxisSet known = 0;                           // axes with variables in C, without the lane
  uint64_t reductions = 0;                     // results that are known; those named by `begin` where they vary
  bool quads = true;                           // false: one element after the other, each under `guard`
  std::string guard;                           // C text of whether the lane's value is inside; empty: always
  std::function<void()> begin;                 // writes what each turn of the loop needs first; may be empty
};

// Writes the phases from `phases[0]` on.
void emit_lane_run(const LaneRun& run, std::span<const Phase> phases);

// Pieces of C text that several forms need.
std::string index_type(const KernelForm& form);      // "i32" or "i64"
std::string unsigned_type(const KernelForm& form);   // "u32" or "u64"

// The axes of a point from its number: `const i32 i_r = (i32)(point / 10u);` and so on. `lane_unit`: the lane counts in
// units of so many, and its variable is called first_<axis>.
void decode_point(BodyEmitter& body, const KernelForm& form, const std::string& point, int64_t lane_unit = 1);

}  // namespace netc::cuda
