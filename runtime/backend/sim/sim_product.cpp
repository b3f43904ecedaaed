#include "runtime/backend/sim/sim_product.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "compiler/base/errors.h"

namespace netc {
namespace {

// A matrix as it lies on the device, whole rows.
struct Operand {
  std::vector<float> values;
  int64_t row_step = 0, column_step = 0;   // between elements (r, c) as the product sees them

  float at(int64_t r, int64_t c) const { return values[static_cast<size_t>(r * row_step + c * column_step)]; }
};

// rows x columns as the product sees them; transposed: they lie the other way round.
Operand fetch(sim::DeviceMemory& memory, DeviceAddress address, int64_t rows, int64_t columns, bool transposed, int64_t stride) {
  Operand operand;
  const int64_t lines = transposed ? columns : rows, width = transposed ? rows : columns;
  if (lines > 0 && width > 0) {
    operand.values.resize(static_cast<size_t>((lines - 1) * stride + width));
    memory.copy_out(operand.values.data(), address, operand.values.size() * sizeof(float));
  }
  operand.row_step = transposed ? 1 : stride;
  operand.column_step = transposed ? stride : 1;
  return operand;
}

float finished(float sum, ProductEpilogue epilogue) {
  switch (epilogue) {
    case ProductEpilogue::none:
    case ProductEpilogue::bias: return sum;
    case ProductEpilogue::relu:
    case ProductEpilogue::bias_relu: return sum > 0 || std::isnan(sum) ? sum : 0;
    case ProductEpilogue::gelu_tanh:
    case ProductEpilogue::bias_gelu_tanh:
      return 0.5f * sum * (1 + std::tanh(0.7978845608f * (sum + 0.044715f * sum * sum * sum)));
  }
  throw InternalError("an epilogue the simulated library does not know");
}

}  // namespace

void simulate_product(const DeviceProduct& product, sim::DeviceMemory& memory, int threads) {
  const ProductCall& call = *product.call;
  const Operand a = fetch(memory, product.a, product.m, product.k, call.a_transposed, call.a_stride);
  const Operand b = fetch(memory, product.b, product.k, product.n, call.b_transposed, call.b_stride);
  std::vector<float> bias;
  if (call.bias != kNone) {
    bias.resize(static_cast<size_t>(product.n));
    memory.copy_out(bias.data(), product.bias, bias.size() * sizeof(float));
  }
  // B with its rows side by side, so that the innermost loop walks along them.
  std::vector<float> along(static_cast<size_t>(product.k * product.n));
  for (int64_t k = 0; k < product.k; ++k)
    for (int64_t n = 0; n < product.n; ++n) along[static_cast<size_t>(k * product.n + n)] = b.at(k, n);

  std::vector<float> c(static_cast<size_t>(product.m * product.n));
  const auto rows = [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m) {
      float* const sums = c.data() + m * product.n;
      for (int64_t k = 0; k < product.k; ++k) {
        const float factor = a.at(m, k);
        const float* const row = along.data() + k * product.n;
        for (int64_t n = 0; n < product.n; ++n) sums[n] += factor * row[n];
      }
      for (int64_t n = 0; n < product.n; ++n) {
        sums[n] *= call.alpha;
        if (!bias.empty()) sums[n] += bias[static_cast<size_t>(n)];
        sums[n] = finished(sums[n], call.epilogue);
      }
    }
  };
  const int64_t parts = std::clamp<int64_t>(threads, 1, std::max<int64_t>(product.m, 1));
  std::vector<std::thread> others;
  for (int64_t part = 1; part < parts; ++part)
    others.emplace_back(rows, product.m * part / parts, product.m * (part + 1) / parts);
  rows(0, product.m / parts);
  for (std::thread& thread : others) thread.join();

  for (int64_t m = 0; m < product.m; ++m)
    memory.copy_in(product.c + static_cast<DeviceAddress>(m * call.c_stride) * sizeof(float), c.data() + m * product.n,
                   static_cast<uint64_t>(product.n) * sizeof(float));
}

}  // namespace netc
