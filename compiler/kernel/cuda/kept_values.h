// Which values of a loop the members of a team keep in registers from one phase to the next, instead of reading and
// computing them again: softmax reads its row once.
#pragma once

#include <vector>

#include "compiler/kernel/emit_body.h"

namespace netc::cuda {

struct KeptPhase {
  size_t phase = 0;
  std::vector<bool> needed;       // expressions to define, given what is kept
  std::vector<ExprId> fresh;      // to be kept from here on
  std::vector<ExprId> taken;      // kept by an earlier phase
};

struct KeptValues {
  int64_t turns = 0;              // values of one expression that each member holds
  std::vector<KeptPhase> phases;  // only those with loops that keep or take something

  const KeptPhase* of(size_t phase) const;   // null: an ordinary loop
};

// `reread`: never kept (reads_written_memory). Loops must be of fixed extents and short enough for the team.
KeptValues choose_kept(const BodyEmitter& body, const std::vector<bool>& reread, int team);

}  // namespace netc::cuda
