// Whether a model trains to the same weights on other devices as on the reference, within the error that f32 may make
// there: running error analysis of the very steps gives each weight its own bound.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"

namespace netc {

struct Agreement {
  std::string towers;        // "cpu:0+cpu:1"
  std::string refused;       // why it could not run here: the machine lacks something; then nothing else is set
  bool agrees = false;
  double worst = 0;          // the largest difference as a share of its bound
  std::string where;         // "fc1.weight[3, 17] is 0.25, not 0.75 within 1e-06" of that one
};

// Trains `steps` updates of the model in `file` with each list of towers ("cpu:0+cpu:1"). Mistakes in the model are
// printed, and nothing is returned.
std::vector<Agreement> compare_devices(const std::string& file, const std::string& data_root, int64_t steps,
                                       const std::vector<std::string>& towers, Terminal& terminal);

}  // namespace netc
