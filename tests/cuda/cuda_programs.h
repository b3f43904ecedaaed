// The programs whose CUDA text and launches are tested: nets through the whole compiler, and kernels by hand.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/cuda/emit_cuda.h"
#include "compiler/kernel/program.h"

namespace netc::test {

// 784-1024-1024-10 with dropout: train, evaluate, predict. on_devices: as towers with a memory each are given them, products
// left to the library.
std::vector<Program> seed_net_programs(bool on_devices = false);
Program softmax_program(int64_t columns);      // one row kernel of three phases
Program huge_softmax_program();                // of a batch whose elements need 64 bits to count
Program layer_norm_program(int64_t columns);   // mean, variance, scaled and shifted
Program embedding_program();                   // a gather forward, a scatter-add for the gradient
Program updates_program(int weights);          // independent sgd updates of many weights, of two forms
std::vector<Program> row_programs(bool fused);      // every row of the op table, alone
std::vector<Program> random_programs(bool fused);   // random graphs and nothing else

// Kernels alone, without the head of the unit.
std::string kernels_of(const EmittedCuda& emitted);

}  // namespace netc::test
