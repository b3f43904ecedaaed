// Kernels in the style of a fusing generator against plain C++. Tolerances are computed: epsilon of f32 times the
// number of roundings on the way (and the length of sums), not picked.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/kernel/random.h"
#include "tests/sim/checked_launch.h"

namespace netc::sim {
namespace {

constexpr double kEpsilon = 1.0 / (1 << 24);   // half a unit in the last place of 1

float made_up(uint32_t i) {
  return static_cast<float>(static_cast<int32_t>(random_bits(7, 0, 1, i / 256, i % 256))) / 1073741824.0f;   // [-2, 2)
}

std::vector<float> made_up_values(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = made_up(static_cast<uint32_t>(i));
  return values;
}

// Both modes, and the text that NVRTC makes now beside the one that is kept.
struct Way {
  const char* name;
  Mode mode;
  int threads;
  bool is_fresh;
};

class Kernels : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (GetParam().is_fresh && !jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
    options.mode = GetParam().mode;
    options.threads = GetParam().threads;
  }
  static const Module& module() {
    static const Module kept = parse_ptx(kept_ptx("kernels"));
    if (!GetParam().is_fresh) return kept;
    static const Module fresh = parse_ptx(compile_cuda("kernels").ptx);
    return fresh;
  }

  DeviceMemory memory{0};
  LaunchOptions options;
};

INSTANTIATE_TEST_SUITE_P(Sim, Kernels,
                         ::testing::Values(Way{"fast", Mode::fast, 2, false}, Way{"check", Mode::check, 1, false},
                                           Way{"fresh", Mode::fast, 1, true}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(Kernels, BiasGelu) {
  const int rows = 37, columns = 96, count = rows * columns;
  const std::vector<float> x = made_up_values(count), bias = made_up_values(columns);
  const Address in = upload(memory, x, "x"), b = upload(memory, bias, "bias"), out = memory.allocate(4 * count, "y");
  const LaunchStatistics statistics =
      launch_with(module(), "bias_gelu", {{(count / 4 + 127) / 128u, 1, 1}, {128, 1, 1}}, memory, options, out, in, b,
                  columns, count);
  const std::vector<float> y = download<float>(memory, out, count);
  for (int i = 0; i < count; ++i) {
    const double v = static_cast<double>(x[i]) + bias[i % columns];
    const double inner = 0.7978845608028654 * (v + 0.044715 * v * v * v);
    const double expected = v / (1 + std::exp(-2 * inner));
    // Roundings of the polynomial reach the result through the exponent: 2 |inner| of them, and ten beside.
    ASSERT_NEAR(y[i], expected, (10 + 8 * std::abs(2 * inner)) * kEpsilon * (1 + std::abs(v))) << i;
  }
  EXPECT_EQ(statistics.global_store_bytes, 4u * count);
  EXPECT_EQ(statistics.global_load_bytes, 8u * count);   // x and the bias, once per element
}

TEST_P(Kernels, SoftmaxOfABlock) {
  const int rows = 9, columns = 1000;
  const std::vector<float> x = made_up_values(rows * columns);
  const Address in = upload(memory, x, "x"), out = memory.allocate(4 * rows * columns, "y");
  launch_with(module(), "softmax", {{rows, 1, 1}, {256, 1, 1}}, memory, options, out, in, columns);
  const std::vector<float> y = download<float>(memory, out, rows * columns);
  for (int r = 0; r < rows; ++r) {
    const float* row = x.data() + r * columns;
    double highest = -INFINITY, sum = 0;
    for (int c = 0; c < columns; ++c) highest = std::fmax(highest, row[c]);
    for (int c = 0; c < columns; ++c) sum += std::exp(row[c] - highest);
    for (int c = 0; c < columns; ++c) {
      const double expected = std::exp(row[c] - highest) / sum;
      ASSERT_NEAR(y[r * columns + c], expected, (columns / 256 + 8 + 8 + 10) * kEpsilon * expected) << r << ", " << c;
    }
  }
}

TEST_P(Kernels, LayerNormOfAWarp) {
  const int rows = 21, columns = 200;
  const std::vector<float> x = made_up_values(rows * columns), scale = made_up_values(columns), shift(columns, 0.5f);
  const Address in = upload(memory, x, "x"), g = upload(memory, scale, "scale"), b = upload(memory, shift, "shift");
  const Address out = memory.allocate(4 * rows * columns, "y");
  const float epsilon = 1e-5f;
  launch_with(module(), "layer_norm", {{(rows + 3) / 4u, 1, 1}, {128, 1, 1}}, memory, options, out, in, g, b, rows,
              columns, epsilon);
  const std::vector<float> y = download<float>(memory, out, rows * columns);
  for (int r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c) mean += x[r * columns + c] / columns;
    for (int c = 0; c < columns; ++c) variance += std::pow(x[r * columns + c] - mean, 2) / columns;
    for (int c = 0; c < columns; ++c) {
      const double factor = 1 / std::sqrt(variance + epsilon);
      const double expected = (x[r * columns + c] - mean) * factor * scale[c] + shift[c];
      const double roundings = columns / 32.0 + 5 + 10;
      ASSERT_NEAR(y[r * columns + c], expected, roundings * kEpsilon * (2 * 2 * factor * 2 + 1)) << r << ", " << c;
    }
  }
}

TEST_P(Kernels, TransposeIsExact) {
  const int rows = 70, columns = 45;
  const std::vector<float> x = made_up_values(rows * columns);
  const Address in = upload(memory, x, "x"), out = memory.allocate(4 * rows * columns, "y");
  const LaunchStatistics statistics =
      launch_with(module(), "transpose", {{2, 3, 1}, {32, 8, 1}}, memory, options, out, in, rows, columns);
  const std::vector<float> y = download<float>(memory, out, rows * columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) ASSERT_EQ(y[c * rows + r], x[r * columns + c]);
  EXPECT_EQ(statistics.global_load_bytes, 4u * rows * columns);
  EXPECT_EQ(statistics.global_store_bytes, 4u * rows * columns);
}

TEST_P(Kernels, ColumnSums) {
  const int rows = 300, columns = 150;
  const std::vector<float> x = made_up_values(rows * columns);
  const Address in = upload(memory, x, "x"), out = upload(memory, std::vector<float>(columns, 0), "sums");
  launch_with(module(), "column_sums", {{2, 8, 1}, {128, 1, 1}}, memory, options, out, in, rows, columns);
  const std::vector<float> y = download<float>(memory, out, columns);
  for (int c = 0; c < columns; ++c) {
    double sum = 0, size = 0;
    for (int r = 0; r < rows; ++r) sum += x[r * columns + c], size += std::abs(x[r * columns + c]);
    ASSERT_NEAR(y[c], sum, (rows / 8 + 8) * kEpsilon * size) << c;
  }
}

TEST_P(Kernels, DropoutDrawsTheSameBits) {
  const int rows = 33, columns = 64;
  const uint64_t seed = 0x123456789ABCDEFull;
  const uint32_t threshold = 0x40000000u, stream = random_stream("drop1"), update = 17;
  const float scale = 4.0f / 3.0f;
  const std::vector<float> x = made_up_values(rows * columns);
  const Address in = upload(memory, x, "x"), out = memory.allocate(4 * rows * columns, "y");
  launch_with(module(), "dropout", {{(rows * columns / 4 + 255) / 256u, 1, 1}, {256, 1, 1}}, memory, options, out, in,
              rows, columns, threshold, scale, seed, stream, update);
  const std::vector<float> y = download<float>(memory, out, rows * columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const bool is_kept =
          random_bits(seed, update, stream, static_cast<uint32_t>(r), static_cast<uint32_t>(c)) >= threshold;
      ASSERT_EQ(y[r * columns + c], is_kept ? x[r * columns + c] * scale : 0.0f) << r << ", " << c;
    }
}

TEST_P(Kernels, MatmulInTiles) {
  const int m = 50, n = 70, k = 90;
  const std::vector<float> a = made_up_values(m * k), b = made_up_values(k * n);
  const Address left = upload(memory, a, "a"), right = upload(memory, b, "b"), out = memory.allocate(4 * m * n, "c");
  const LaunchStatistics statistics =
      launch_with(module(), "matmul", {{3, 2, 1}, {32, 8, 1}}, memory, options, out, left, right, m, n, k);
  const std::vector<float> c = download<float>(memory, out, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int q = 0; q < k; ++q)
        sum += static_cast<double>(a[i * k + q]) * b[q * n + j], size += std::abs(a[i * k + q] * b[q * n + j]);
      ASSERT_NEAR(c[i * n + j], sum, k * kEpsilon * size) << i << ", " << j;
    }
  EXPECT_EQ(statistics.flops, 2u * (3 * 32) * (2 * 32) * 96);   // whole tiles, also where they stick out
}

TEST_P(Kernels, LibraryFunctions) {
  const int n = 500, columns = 16;
  std::vector<float> x = made_up_values(n);
  for (int i = 0; i < 20; ++i) x[static_cast<size_t>(i)] *= 1e5f;   // through the slow paths of sine and cosine
  const Address in = upload(memory, x, "x"), out = memory.allocate(4 * n * columns, "y");
  launch_with(module(), "functions", {{4, 1, 1}, {128, 1, 1}}, memory, options, out, in, n, columns);
  const std::vector<float> y = download<float>(memory, out, n * columns);
  for (int i = 0; i < n; ++i) {
    const double v = x[i];
    const float* row = y.data() + i * columns;
    // The errors that the CUDA programming guide states for its functions, in units in the last place.
    const auto expect = [&](int column, double value, double ulps) {
      if (std::abs(value) > 3e38 || (value != 0 && std::abs(value) < 1e-37)) return;
      ASSERT_NEAR(row[column], value, ulps * 2 * kEpsilon * std::abs(value)) << "column " << column << " of " << v;
    };
    expect(0, std::exp(v), 2);
    expect(1, std::log(std::abs(v)), 2);
    expect(2, std::tanh(v), 2);
    expect(3, std::erf(v), 2);
    expect(4, std::pow(std::abs(v), 1.5), 4);
    expect(5, std::sin(v), 2);
    expect(6, std::cos(static_cast<double>(x[i] * 1000.0f)), 2);
    expect(7, std::log1p(std::abs(v)), 2);
    expect(8, std::expm1(v), 2);
    expect(9, std::sqrt(std::abs(v)), 0.5);
    expect(10, 1 / std::sqrt(static_cast<double>(std::abs(x[i]) + 1.0f)), 2);
    expect(11, x[i] / 3.0f, 0);
    expect(12, std::round(x[i] * 10.0f), 0);
    expect(13, std::fmod(x[i], 0.7f), 0);
    expect(14, i / columns + i % 7, 0);
    expect(15, x[i] * static_cast<float>(i & 3), 0);
  }
}

}  // namespace
}  // namespace netc::sim
