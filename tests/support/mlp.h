// Nets built by hand as graphs, for tests of the passes behind the front end.
#pragma once

#include <string>
#include <vector>

#include "compiler/ops/op.h"

namespace netc::test {

struct NetOptions {
  std::vector<int64_t> widths{784, 1024, 1024, 10};
  double dropout = 0.2;
  bool raw_bytes = true;   // the input is u8 and scaled by 1/255, else f32
};

// A multi-layer perceptron with relu, dropout, cross entropy and accuracy: results loss.total, metric.accuracy and the
// outputs logits and probs.
Graph mlp(const NetOptions& options = {});

}  // namespace netc::test
