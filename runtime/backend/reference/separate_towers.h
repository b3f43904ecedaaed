// Interpreted towers with a memory each: weights, slots, arenas and results of their own. Steps run on one tower after
// the other; a bucket is added up in the order of the towers and copied back to all, as an all-reduce does.
//
// A bucket is exchanged as late as the plan allows, just before the step that needs it, and its summands are read as early
// as the plan allows, just after the step that completes them: a plan that holds for this holds for any overlap between.
#pragma once

#include <memory>
#include <vector>

#include "runtime/backend/reference/reference_memory.h"

namespace netc {

class SeparateParameters final : public Parameters {
 public:
  SeparateParameters(int tower_count, Arithmetic arithmetic);

  void add(const Program& program);
  const ReferenceParameters& tower(int tower) const { return towers_[static_cast<size_t>(tower)]; }

  void write(const std::string& name, std::span<const float> values) override;   // to every tower
  std::vector<float> read(const std::string& name) const override { return towers_.front().read(name); }
  std::vector<std::string> names() const override { return towers_.front().names(); }

 private:
  std::vector<ReferenceParameters> towers_;
};

// The programs must be planned with TowerMemory::separate. Throws InternalError for bounded arithmetic: bounds are those
// of the same program with shared memory.
LoadedGroup load_separate(const std::vector<TowerProgram>& programs, int tower_count, Arithmetic arithmetic);

}  // namespace netc
