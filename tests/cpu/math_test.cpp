// The elementary functions of generated code over all of f32, against double precision: the bounds emit_math.h states.
#include "compiler/kernel/emit_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "compiler/kernel/emit_prelude.h"
#include "runtime/backend/cpu/kernel_cache.h"
#include "tests/cpu/targets_to_run.h"
#include "tests/cpu/temporary_folder.h"

namespace netc {
namespace {

struct Function {
  ExprOp op;
  const char* name;
  double bound;   // units in the last place
  std::function<double(double)> exact;
  double largest = INFINITY;   // arguments beyond are not promised
  double newton_bound = 0;     // where quotients and roots are made by Newton steps, if it differs
};

const std::vector<Function>& functions() {
  static const std::vector<Function> kFunctions{
      {ExprOp::exp, "exp", 1.0, [](double x) { return std::exp(x); }},
      {ExprOp::expm1, "expm1", 1.5, [](double x) { return std::expm1(x); }},
      {ExprOp::log, "log", 1.0, [](double x) { return std::log(x); }},
      {ExprOp::log1p, "log1p", 1.5, [](double x) { return std::log1p(x); }},
      {ExprOp::tanh, "tanh", 2.0, [](double x) { return std::tanh(x); }},
      {ExprOp::erf, "erf", 1.5, [](double x) { return std::erf(x); }},
      {ExprOp::sin, "sin", 2.0, [](double x) { return std::sin(x); }, 1048576.0},
      {ExprOp::cos, "cos", 2.0, [](double x) { return std::cos(x); }, 1048576.0},
      {ExprOp::sqrt, "sqrt", 0.5, [](double x) { return std::sqrt(x); }, INFINITY, 1.0},
      {ExprOp::rsqrt, "rsqrt", 1.5, [](double x) { return 1 / std::sqrt(x); }, INFINITY, 2.0},
      {ExprOp::reciprocal, "reciprocal", 0.5, [](double x) { return 1 / x; }, INFINITY, 1.0},
      {ExprOp::floor, "floor", 0.0, [](double x) { return std::floor(x); }},
      {ExprOp::abs, "abs", 0.0, [](double x) { return std::fabs(x); }},
      {ExprOp::sign, "sign", 0.0, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }},
  };
  return kFunctions;
}

// One kernel per function: buffers[1][i] = f(buffers[0][i]) for `item` values, in vectors, the last one as single values.
std::string unit_text(const Target& target) {
  std::vector<ExprOp> used;
  for (const Function& f : functions()) used.push_back(f.op);
  used.push_back(ExprOp::pow);
  std::string text = emit_prelude(target, {}) + emit_math(used);
  const std::string signature = "(const struct batch* batch, void* const* buffers, i64 tower, i64 item, void* scratch) {\n"
                                "  const float* x = buffers[0];\n  float* y = buffers[1];\n  i64 i = 0;\n";
  for (const Function& f : functions()) {
    const std::string name = f.name;
    text += "void all_" + name + signature + "  for (; i + LANES <= item; i += LANES) store_f(y + i, " + name + "_v(load_f(x + i)));\n" +
            "  for (; i < item; ++i) y[i] = " + name + "_1(x[i]);\n}\n";
  }
  return text + "void all_pow" + signature + "  const float* z = buffers[2];\n  for (; i < item; ++i) y[i] = pow_1(x[i], z[i]);\n}\n" +
         "void all_quotient" + signature + "  const float* z = buffers[2];\n" +
         "  for (; i < item; ++i) y[i] = quotient(splat(x[i]), splat(z[i]))[0];\n}\n";
}

float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

double ulps(float actual, double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : INFINITY;
  const float rounded = static_cast<float>(exact);
  if (actual == rounded) return 0.5 < std::fabs(exact - rounded) ? 0.5 : 0;   // as good as can be
  if (std::isinf(rounded) || std::isinf(actual) || std::isnan(actual)) {
    // At the end of the range the next float and infinity are one step apart.
    const float largest = std::numeric_limits<float>::max();
    return std::fabs(actual) >= largest && std::fabs(rounded) >= largest && std::signbit(actual) == std::signbit(rounded) ? 1 : INFINITY;
  }
  const double smallest = std::numeric_limits<float>::min();
  if (std::fabs(exact) < smallest && std::fabs(actual) <= smallest) return 0;   // subnormal results may be zero
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(actual - exact) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

class MathTest : public testing::TestWithParam<Target> {
 protected:
  std::shared_ptr<CompiledUnit> compile() {
    const Target& target = GetParam();
    return KernelCache(folder_.path(), nullptr).compile({unit_text(target)}, target, find_host_compiler(""));
  }
  TemporaryFolder folder_;
};

TEST_P(MathTest, ErrorsStayWithinTheStatedBounds) {
  // Bit patterns from all over f32, a stride that meets no pattern of its own; then what is special.
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 8191) x.push_back(from_bits(static_cast<uint32_t>(bits)));
  for (float v : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 88.722839f, 88.8f, -87.4f, -103.9f, 0.625f, 0.925f, 4.05f, 2147483648.0f})
    x.push_back(v);
  std::vector<float> y(x.size());
  const auto unit = compile();
  for (const Function& f : functions()) {
    void* buffers[] = {x.data(), y.data()};
    unit->function(std::string("all_") + f.name, 0)(nullptr, buffers, 0, static_cast<int64_t>(x.size()), nullptr);
    double worst = 0;
    float at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::fabs(x[i]) > f.largest && std::isfinite(x[i])) continue;
      if (std::fpclassify(x[i]) == FP_SUBNORMAL) continue;   // may count as zero
      const double error = ulps(y[i], f.exact(x[i]));
      if (error > worst) {
        worst = error;
        at = x[i];
      }
    }
    EXPECT_LE(worst, GetParam().newton_division && f.newton_bound > 0 ? f.newton_bound : f.bound) << f.name << " at " << at;
    RecordProperty(f.name, std::to_string(worst));
  }
}

TEST_P(MathTest, QuotientsAreWithinOneUnit) {
  std::vector<float> a, b;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 32749) {
    a.push_back(from_bits(static_cast<uint32_t>(bits)));
    b.push_back(from_bits(static_cast<uint32_t>(bits * 2654435761u)));
  }
  for (float x : {0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN, 1e-7f})
    for (float y : {0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN, 1e-7f}) {
      a.push_back(x);
      b.push_back(y);
    }
  std::vector<float> y(a.size());
  void* buffers[] = {a.data(), y.data(), b.data()};
  compile()->function("all_quotient", 0)(nullptr, buffers, 0, static_cast<int64_t>(a.size()), nullptr);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::fpclassify(a[i]) == FP_SUBNORMAL || std::fpclassify(b[i]) == FP_SUBNORMAL) continue;
    ASSERT_LE(ulps(y[i], double{a[i]} / double{b[i]}), GetParam().newton_division ? 1.0 : 0.5) << a[i] << " / " << b[i] << " gave " << y[i];
  }
}

TEST_P(MathTest, PowerHasItsSpecialCases) {
  std::vector<float> a, b;
  const std::vector<float> values{0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -3.5f, 3.0f, 1e-30f, 1e30f, 16777217.0f, INFINITY, -INFINITY, NAN};
  for (float x : values)
    for (float y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  for (int i = 0; i < 20000; ++i) {
    a.push_back(std::exp(static_cast<float>(i % 141 - 70) * 0.9f) * (1 + 0.001f * static_cast<float>(i % 97)));
    b.push_back(static_cast<float>(i % 211 - 105) * 0.19f);
  }
  std::vector<float> y(a.size());
  void* buffers[] = {a.data(), y.data(), b.data()};
  compile()->function("all_pow", 0)(nullptr, buffers, 0, static_cast<int64_t>(a.size()), nullptr);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_LE(ulps(y[i], std::pow(double{a[i]}, double{b[i]})), 0.6) << a[i] << " ^ " << b[i] << " gave " << y[i];
}

INSTANTIATE_TEST_SUITE_P(Targets, MathTest, testing::ValuesIn(targets_to_run()), [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace netc
