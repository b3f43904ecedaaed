// How the points of a kernel are dealt to threads.
//
// A TEAM of threads works on one parallel point, its loops dealt out among the members; with a team of one every thread
// has a point of its own. Points are numbered along `order`, the last axis fastest.
//
//   form       team                              points of a block      fits
//   pointwise  1                                 256 threads            no loops at all
//   solo       1                                 256 threads            short loops, many points; whatever else
//   warp       32 lanes of a warp                8                      rows of up to 1024 elements
//   block      all threads                       1                      longer rows, totals
//   columns    8 or 32 threads, 32 lanes apart   32 neighbours          sums down columns
//   scatter    1, of those that own a target row 32 neighbours          accumulating stores at gathered rows
//   product    tiles                             -                      matrix products
#pragma once

#include <vector>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/program.h"

namespace netc::cuda {

enum class Form { pointwise, solo, warp, block, columns, scatter, product };

struct KernelForm {
  Form form = Form::solo;
  std::vector<AxisId> order;       // parallel axes, slowest first
  AxisId lane = kNone;             // order.back(): neighbouring threads hold its neighbouring values; kNone: no axes
  Extent points;                   // their number
  int threads = 256;               // of a block
  int team = 1;
  bool wide = false;               // places need 64 bits
  bool quads = false;              // pointwise: a thread for 4 neighbours along the lane

  int points_per_block() const { return threads / team; }
};

// `kernel` after share_loops.
KernelForm choose_form(const Kernel& kernel, const Program& program);

// Whether 4 neighbours along `lane` lie side by side in memory from a multiple of 4 elements on, wherever the lane's
// value is a multiple of 4: one access of 4 elements at once, aligned.
bool is_quad(const Kernel& kernel, const Program& program, const std::vector<Dependence>& depends, BufferId buffer,
             const Index& row, const Index& column, AxisId lane);

}  // namespace netc::cuda
