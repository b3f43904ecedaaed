// netc itself as a contender: a model compiled and loaded as `netc train` does it, its training step run over real rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/rounds.h"

namespace netc::bench {

struct NetSetup {
  std::string name;
  std::string file;                   // below bench/nets
  std::string towers;                 // "cpu:0,cpu:1"; empty: cpu:0
  int threads = 1;                    // of all towers together
  std::vector<int64_t> widths;        // of the chain of dense layers, for the count of operations
};

Contender net_contender(const NetSetup& setup);

// Floating-point operations of one training step of a chain of dense layers: three products a layer (forward, weight
// gradient, input gradient), two for the first one, which passes no gradient on. The rest is not counted.
double dense_chain_flops(const std::vector<int64_t>& widths, int64_t rows);

}  // namespace netc::bench
