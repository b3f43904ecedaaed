// Gives a program its rows: which column of the data each input buffer takes, and which rows of the split stand in the
// batch of this step. Copies from the columns straight into the buffer a worker asks for; nothing is staged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/program.h"
#include "runtime/data/dataset.h"

namespace netc {

class BatchFeed {
 public:
  // Input buffers take the field `inputs` names for them, else the field of their own name, in the field's raw type.
  // Throws InternalError where there is no such field or it looks otherwise.
  BatchFeed(const Program& program, const std::vector<std::pair<std::string, std::string>>& inputs, const Split& split);

  // The batch of the next step: rows of the split, dealt to towers in order.
  void set_batch(std::span<const uint32_t> rows, std::span<const int64_t> tower_rows);

  // StepContext::feed: rows [begin, end) of `tower`'s slice, one sample after the other. Safe from many threads.
  void copy(BufferId buffer, int tower, int64_t begin, int64_t end, void* destination) const;

 private:
  const Split& split_;
  std::vector<const Column*> columns_;   // one a buffer of the program; none for those that are not inputs
  std::span<const uint32_t> rows_;
  std::vector<int64_t> first_row_;       // where each tower's slice starts in the batch
};

}  // namespace netc
