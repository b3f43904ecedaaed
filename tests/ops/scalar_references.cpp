// Textbook formulas of the pointwise rows.
#include <cmath>
#include <numbers>

#include "compiler/ops/op.h"
#include "tests/ops/graph_evaluator.h"

namespace netc::test {

namespace {

using X = const std::vector<double>&;
using A = const Attributes&;

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double softplus(double x) { return x > 30 ? x + std::exp(-x) : std::log(1 + std::exp(x)); }
double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
double clamp(double x, double low, double high) { return x != x ? x : x < low ? low : x > high ? high : x; }
double larger(double a, double b) { return a != a || b != b ? std::nan("") : a > b ? a : b; }
double smaller(double a, double b) { return a != a || b != b ? std::nan("") : a < b ? a : b; }
double gelu_inner(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }
constexpr double kSeluScale = 1.0507009873554805, kSeluAlpha = 1.6732632423543773;

double cast(double x, const std::string& dtype) {
  if (dtype == "bool") return x != 0;
  return dtype[0] == 'i' || dtype[0] == 'u' ? std::trunc(x) : x;
}

std::map<std::string, ScalarFunction> make_references() {
  return {
      {"add", [](X x, A) { return x[0] + x[1]; }},
      {"sub", [](X x, A) { return x[0] - x[1]; }},
      {"mul", [](X x, A) { return x[0] * x[1]; }},
      {"div", [](X x, A) { return x[0] / x[1]; }},
      {"max", [](X x, A) { return larger(x[0], x[1]); }},
      {"min", [](X x, A) { return smaller(x[0], x[1]); }},
      {"pow", [](X x, A) { return std::pow(x[0], x[1]); }},
      {"neg", [](X x, A) { return -x[0]; }},
      {"abs", [](X x, A) { return std::fabs(x[0]); }},
      {"exp", [](X x, A) { return std::exp(x[0]); }},
      {"log", [](X x, A) { return std::log(x[0]); }},
      {"log1p", [](X x, A) { return std::log1p(x[0]); }},
      {"expm1", [](X x, A) { return std::expm1(x[0]); }},
      {"sqrt", [](X x, A) { return std::sqrt(x[0]); }},
      {"rsqrt", [](X x, A) { return std::pow(x[0], -0.5); }},
      {"reciprocal", [](X x, A) { return 1 / x[0]; }},
      {"sin", [](X x, A) { return std::sin(x[0]); }},
      {"cos", [](X x, A) { return std::cos(x[0]); }},
      {"tanh", [](X x, A) { return std::tanh(x[0]); }},
      {"erf", [](X x, A) { return std::erf(x[0]); }},
      {"floor", [](X x, A) { return std::floor(x[0]); }},
      {"sign", [](X x, A) { return x[0] != x[0] ? x[0] : static_cast<double>((x[0] > 0) - (x[0] < 0)); }},
      {"lt", [](X x, A) { return double(x[0] < x[1]); }},
      {"le", [](X x, A) { return double(x[0] <= x[1]); }},
      {"gt", [](X x, A) { return double(x[0] > x[1]); }},
      {"ge", [](X x, A) { return double(x[0] >= x[1]); }},
      {"eq", [](X x, A) { return double(x[0] == x[1]); }},
      {"ne", [](X x, A) { return double(x[0] != x[1]); }},
      {"logical_and", [](X x, A) { return double(x[0] != 0 && x[1] != 0); }},
      {"logical_or", [](X x, A) { return double(x[0] != 0 || x[1] != 0); }},
      {"logical_not", [](X x, A) { return double(x[0] == 0); }},
      {"select", [](X x, A) { return x[0] != 0 ? x[1] : x[2]; }},
      {"cast", [](X x, A a) { return cast(x[0], text_attribute(a, "dtype")); }},
      {"relu", [](X x, A) { return larger(x[0], 0); }},
      {"relu_grad", [](X x, A) { return x[0] > 0 ? x[1] : 0; }},
      {"relu6", [](X x, A) { return clamp(x[0], 0, 6); }},
      {"relu6_grad", [](X x, A) { return x[0] > 0 && x[0] < 6 ? x[1] : 0; }},
      {"leaky_relu", [](X x, A a) { return x[0] * (x[0] > 0 ? 1 : float_attribute(a, "slope")); }},
      {"leaky_relu_grad", [](X x, A a) { return x[1] * (x[0] > 0 ? 1 : float_attribute(a, "slope")); }},
      {"elu", [](X x, A a) { return x[0] > 0 ? x[0] : float_attribute(a, "alpha") * std::expm1(x[0]); }},
      {"elu_grad", [](X x, A a) { return x[1] * (x[0] > 0 ? 1 : float_attribute(a, "alpha") * std::exp(x[0])); }},
      {"selu", [](X x, A) { return kSeluScale * (x[0] > 0 ? x[0] : kSeluAlpha * std::expm1(x[0])); }},
      {"selu_grad", [](X x, A) { return x[1] * kSeluScale * (x[0] > 0 ? 1 : kSeluAlpha * std::exp(x[0])); }},
      {"sigmoid", [](X x, A) { return sigmoid(x[0]); }},
      {"sigmoid_grad", [](X x, A) { return x[1] * x[0] * (1 - x[0]); }},
      {"gelu", [](X x, A) { return x[0] * normal_share(x[0]); }},
      {"gelu_grad", [](X x, A) { return x[1] * (normal_share(x[0]) + x[0] * normal_density(x[0])); }},
      {"gelu_tanh", [](X x, A) { return x[0] * sigmoid(2 * gelu_inner(x[0])); }},
      {"gelu_tanh_grad",
       [](X x, A) {
         const double s = sigmoid(2 * gelu_inner(x[0]));
         const double slope = std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x[0] * x[0]);
         return x[1] * (s + x[0] * 2 * slope * s * (1 - s));
       }},
      {"silu", [](X x, A) { return x[0] * sigmoid(x[0]); }},
      {"silu_grad",
       [](X x, A) {
         const double s = sigmoid(x[0]);
         return x[1] * (s + x[0] * s * (1 - s));
       }},
      {"mish", [](X x, A) { return x[0] * std::tanh(softplus(x[0])); }},
      {"mish_grad",
       [](X x, A) {
         const double c = std::cosh(softplus(x[0]));
         return x[1] * (std::tanh(softplus(x[0])) + x[0] / (c * c) * sigmoid(x[0]));
       }},
      {"softplus", [](X x, A) { return softplus(x[0]); }},
      {"softplus_grad", [](X x, A) { return x[1] * sigmoid(x[0]); }},
      {"softsign", [](X x, A) { return x[0] / (1 + std::fabs(x[0])); }},
      {"softsign_grad", [](X x, A) { return x[1] / std::pow(1 + std::fabs(x[0]), 2); }},
      {"hard_sigmoid", [](X x, A) { return clamp(x[0] + 3, 0, 6) / 6; }},
      {"hard_sigmoid_grad", [](X x, A) { return x[0] > 0 && x[0] < 1 ? x[1] / 6 : 0; }},
      {"hard_silu", [](X x, A) { return x[0] * clamp(x[0] + 3, 0, 6) / 6; }},
      {"hard_silu_grad", [](X x, A) { return x[1] * (x[0] <= -3 ? 0 : x[0] < 3 ? (2 * x[0] + 3) / 6 : 1); }},
      {"tanh_grad", [](X x, A) { return x[1] * (1 - x[0] * x[0]); }},
      {"binary_cross_entropy",
       [](X x, A) { return -x[1] * std::log(sigmoid(x[0])) - (1 - x[1]) * std::log(sigmoid(-x[0])); }},
  };
}

}  // namespace

const ScalarFunction* scalar_reference(const std::string& op) {
  static const std::map<std::string, ScalarFunction> references = make_references();
  const auto found = references.find(op);
  return found == references.end() ? nullptr : &found->second;
}

}  // namespace netc::test
