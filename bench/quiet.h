// Was the machine ours while we measured? On a shared machine most of the noise comes from others; a figure taken while
// they work is a figure about them.
#pragma once

#include <string>
#include <vector>

namespace netc::bench {

// Processor time that others used since the last begin(), in cores (0.5: half a core all the while).
class ForeignLoad {
 public:
  // `children`: processes whose time counts as ours (a peer that takes part in the comparison).
  explicit ForeignLoad(std::vector<int> children = {});
  void begin();
  double cores() const;

 private:
  std::vector<int> children_;
  double busy_ = 0, own_ = 0, total_ = 0;
};

// Waits until others use less than `limit` cores; false if that did not happen within `patience_seconds`.
bool wait_until_quiet(double limit, double patience_seconds);

}  // namespace netc::bench
