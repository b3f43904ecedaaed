// What a value is where towers do not share memory, so that a loop over the batch sees the rows of one tower only.
//
//   head.bias gradient   = sum over k in B of g[k, c]      a SUMMAND: whole once it is added up over the towers
//   gradient * 1/batch   of a summand                      a summand too: it may be added, scaled, moved and stored
//   gradient * gradient  of a summand                      not linear: the towers must add up the gradient before
//
// From that follows, for a whole program, which buffers hold summands and which of them must be COMPLETED (added up
// over the towers) before they are read. A buffer is completed if any of its readers is not linear in it; the others then
// read the whole value too. A sum of two summands is made first and completed once: a weight that is used twice is
// reduced once.
//
// Fusion (nothing may be fused across a completion), plan_towers (which makes the buckets) and verify all ask here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/program.h"

namespace netc {

enum class Share : uint8_t {
  zero,      // 0 on every tower: passes for either of the next two
  whole,     // the same on all towers, or a row's own value
  summand,   // the tower's part of a sum over all of them
  broken,    // neither: no sum over the towers makes it right
};

struct PartialSums {
  std::vector<Share> shares;      // by buffer, as its writers leave it; aliases are as their root. Inputs, weights: whole
  std::vector<char> completed;    // by buffer (roots only): a summand that has to be added up before it is read
  std::vector<char> makes;        // by kernel: stores summands
  std::vector<std::string> faults;   // in words, where no completion helps: a maximum over the batch
};

// `program` may be fused or not; its steps are in order. Scopes and stages do not matter.
PartialSums find_partial_sums(const Program& program);

}  // namespace netc
