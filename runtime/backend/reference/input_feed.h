// How the rows of a step reach the inputs of interpreted programs.
#pragma once

#include <span>
#include <vector>

#include "compiler/kernel/interpret.h"
#include "runtime/backend.h"

namespace netc {

// Gives each tower its rows of the batch, in global order. Throws InternalError if one would hold more than it can.
void take_rows(const Program& program, const std::vector<int64_t>& rows, std::span<TowerView> towers);

class InputFeed {
 public:
  // `program` must outlive the feed.
  InputFeed(const Program& program, Arithmetic arithmetic);

  // Fills every input of every tower; the views have their rows.
  void fill(const StepContext& context, std::span<const TowerView> towers);

 private:
  void fill(const StepContext& context, std::span<const TowerView> towers, BufferId id);

  const Program& program_;
  Arithmetic arithmetic_;
  std::vector<double> row_;   // room for one sample as the feed gives it, aligned for any type
};

}  // namespace netc
