// Activations. Each entry makes two rows: the function f, and f_grad(v, g), the cotangent of its input, where v is the
// output of f if that is enough to know the slope (then the input need not be kept), else the input.
#include <numbers>

#include "compiler/ops/body.h"
#include "compiler/ops/rows.h"

namespace netc {

namespace {

using body::Value;
constexpr double kInverseSqrt2 = 1 / std::numbers::sqrt2;
constexpr double kGeluCubic = 0.044715;
constexpr double kSeluScale = 1.0507009873554804934;   // Klambauer et al., "Self-normalizing neural networks", 2017
constexpr double kSeluAlpha = 1.6732632423543772848;

enum class SlopeFrom { input, output };

struct Activation {
  const char* name;
  const char* summary;
  Value (*value)(Value x, const Attributes&);
  SlopeFrom slope_from;
  Value (*cotangent)(Value v, Value g, const Attributes&);   // v: input or output, as slope_from says
  std::vector<double> kinks;
  const char* attribute = nullptr;   // a number both rows need
};

Value sigmoid(Value x) { return body::reciprocal(1.0 + body::exp(-x)); }
Value softplus(Value x) { return body::max(x, 0) + body::log1p(body::exp(-body::abs(x))); }
Value relu6(Value x) { return body::min(body::max(x, 0), 6); }

Value tanh_of_gelu(Value x) {
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;   // sqrt(2 / pi)
  return body::tanh(scale * (x + kGeluCubic * (x * x * x)));
}

Value elu(Value x, double scale, double alpha) {
  return body::select(x > 0, scale * x, scale * alpha * body::expm1(x));
}

Value elu_cotangent(Value x, Value g, double scale, double alpha) {
  return g * body::select(x > 0, scale, scale * alpha * body::exp(x));
}

std::vector<Activation> activations() {
  return {
      {"relu", "max(x, 0)", [](Value x, const Attributes&) { return body::max(x, 0); }, SlopeFrom::output,
       [](Value y, Value g, const Attributes&) { return body::select(y > 0, g, 0.0); }, {0}},
      {"relu6", "min(max(x, 0), 6)", [](Value x, const Attributes&) { return relu6(x); }, SlopeFrom::output,
       [](Value y, Value g, const Attributes&) { return body::select(body::both(y > 0, y < 6), g, 0.0); }, {0, 6}},
      {"leaky_relu", "x where positive, else attribute `slope` times x",
       [](Value x, const Attributes& a) { return body::select(x > 0, x, float_attribute(a, "slope") * x); },
       SlopeFrom::input,
       [](Value x, Value g, const Attributes& a) { return body::select(x > 0, g, float_attribute(a, "slope") * g); },
       {0},
       "slope"},
      {"elu", "x where positive, else attribute `alpha` times (exp(x) - 1)",
       [](Value x, const Attributes& a) { return elu(x, 1, float_attribute(a, "alpha")); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes& a) { return elu_cotangent(x, g, 1, float_attribute(a, "alpha")); }, {0},
       "alpha"},
      {"selu", "elu scaled so that activations keep mean 0 and variance 1",
       [](Value x, const Attributes&) { return elu(x, kSeluScale, kSeluAlpha); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes&) { return elu_cotangent(x, g, kSeluScale, kSeluAlpha); }, {0}},
      {"sigmoid", "1 / (1 + exp(-x))", [](Value x, const Attributes&) { return sigmoid(x); }, SlopeFrom::output,
       [](Value y, Value g, const Attributes&) { return g * (y * (1.0 - y)); }, {}},
      {"gelu", "x times the normal distribution function of x",
       [](Value x, const Attributes&) { return 0.5 * x * (1.0 + body::erf(x * kInverseSqrt2)); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes&) {
         const double density = kInverseSqrt2 * std::numbers::inv_sqrtpi;   // 1 / sqrt(2 pi)
         const Value below = 0.5 + 0.5 * body::erf(x * kInverseSqrt2);
         return g * (below + x * (density * body::exp(-0.5 * (x * x))));
       },
       {}},
      {"gelu_tanh", "gelu with the distribution function approximated by tanh",
       [](Value x, const Attributes&) { return 0.5 * x * (1.0 + tanh_of_gelu(x)); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes&) {
         const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
         const Value t = tanh_of_gelu(x);
         const Value inner = scale * (1.0 + (3 * kGeluCubic) * (x * x));
         return g * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner);
       },
       {}},
      {"silu", "x * sigmoid(x)", [](Value x, const Attributes&) { return x * sigmoid(x); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes&) {
         const Value s = sigmoid(x);
         return g * (s * (1.0 + x * (1.0 - s)));
       },
       {}},
      {"mish", "x * tanh(softplus(x))", [](Value x, const Attributes&) { return x * body::tanh(softplus(x)); },
       SlopeFrom::input,
       [](Value x, Value g, const Attributes&) {
         const Value t = body::tanh(softplus(x));
         return g * (t + x * (1.0 - t * t) * sigmoid(x));
       },
       {}},
      {"softplus", "log(1 + exp(x))", [](Value x, const Attributes&) { return softplus(x); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes&) { return g * sigmoid(x); }, {}},
      {"softsign", "x / (1 + |x|)", [](Value x, const Attributes&) { return x / (1.0 + body::abs(x)); },
       SlopeFrom::input,
       [](Value x, Value g, const Attributes&) {
         const Value scale = body::reciprocal(1.0 + body::abs(x));
         return g * (scale * scale);
       },
       {}},
      {"hard_sigmoid", "relu6(x + 3) / 6", [](Value x, const Attributes&) { return relu6(x + 3.0) * (1.0 / 6); },
       SlopeFrom::output,
       [](Value y, Value g, const Attributes&) { return body::select(body::both(y > 0, y < 1), g * (1.0 / 6), 0.0); },
       {-3, 3}},
      {"hard_silu", "x * hard_sigmoid(x)",
       [](Value x, const Attributes&) { return x * (relu6(x + 3.0) * (1.0 / 6)); }, SlopeFrom::input,
       [](Value x, Value g, const Attributes&) {
         const Value inside = body::select(x < 3, x * (1.0 / 3) + 0.5, 1.0 + 0.0 * x);
         return g * body::select(x > -3, inside, 0.0);
       },
       {-3, 3}},
  };
}

BodyRule cotangent_body(decltype(Activation::cotangent) cotangent) {
  return [cotangent](Kernel& kernel, std::span<const ExprId> arguments, const Attributes& attributes) {
    return cotangent({&kernel, arguments[0]}, {&kernel, arguments[1]}, attributes).id;
  };
}

TypeRule type_rule(const char* attribute) {
  if (attribute == nullptr) return arithmetic_type;
  return [name = std::string(attribute)](Types inputs, const Attributes& attributes) {
    float_attribute(attributes, name);   // must be there
    return arithmetic_type(inputs, attributes);
  };
}

OpRow cotangent_row(const std::string& of, SlopeFrom from, decltype(Activation::cotangent) cotangent,
                    const char* attribute = nullptr) {
  OpRow row;
  row.name = of + "_grad";
  row.summary = "cotangent of the input of " + of + ", given its " +
                (from == SlopeFrom::output ? "output" : "input") + " and the cotangent of its output";
  row.arity = 2;
  row.type = type_rule(attribute);
  row.body = cotangent_body(cotangent);
  return row;
}

}  // namespace

void append_activations(std::vector<OpRow>& rows) {
  for (const Activation& entry : activations()) {
    OpRow row;
    row.name = entry.name;
    row.summary = entry.summary;
    row.type = type_rule(entry.attribute);
    row.domain = {SampleDomain{-4, 7, entry.kinks}};
    row.body = [value = entry.value](Kernel& kernel, std::span<const ExprId> arguments, const Attributes& attributes) {
      return value({&kernel, arguments[0]}, attributes).id;
    };
    row.gradient = [from = entry.slope_from, grad = row.name + "_grad"](GraphBuilder& b, NodeId y,
                                                                       NodeId g) -> std::vector<NodeId> {
      const NodeId x = b.node(y).inputs[0];
      return {b.op(grad, {from == SlopeFrom::output ? y : x, g}, Attributes(b.node(y).attributes))};
    };
    rows.push_back(std::move(row));
    rows.push_back(cotangent_row(entry.name, entry.slope_from, entry.cotangent, entry.attribute));
  }
  // tanh itself is a single operation (pointwise_arithmetic.cpp).
  rows.push_back(cotangent_row("tanh", SlopeFrom::output,
                               [](Value y, Value g, const Attributes&) { return g * (1.0 - y * y); }));
}

}  // namespace netc
