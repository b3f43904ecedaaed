#include "compiler/layers/initializers.h"

#include <algorithm>
#include <cmath>

#include "compiler/base/errors.h"

namespace netc {
namespace {

Signature row(std::string name, std::string summary, std::vector<ParameterRow> parameters = {}, bool available = true) {
  Signature signature;
  signature.name = std::move(name);
  signature.summary = std::move(summary);
  signature.parameters = std::move(parameters);
  signature.available = available;
  return signature;
}

// The standard deviation a truncated normal must start from so that what is left has deviation 1.
constexpr double kTruncatedDeviation = 0.87962566103423978;

Initializer uniform_within(double limit) { return {Initializer::Kind::uniform, -limit, limit, false}; }
Initializer truncated_with(double deviation) {
  return {Initializer::Kind::normal, 0, deviation / kTruncatedDeviation, true};
}

}  // namespace

const std::vector<Signature>& initializer_table() {
  static const std::vector<Signature> table = {
      row("zeros", "all 0"),
      row("ones", "all 1"),
      row("constant", "all the same value", {required(number("value"))}),
      row("uniform", "even between low and high", {required(number("low")), required(number("high"))}),
      row("normal", "bell curve", {number("mean", "0.0"), required_named(not_negative("std"))}),
      row("truncated_normal", "bell curve cut off at two standard deviations",
          {number("mean", "0.0"), required_named(not_negative("std"))}),
      row("glorot_uniform", "uniform within sqrt(6 / (inputs + outputs)); the default of weights, as in Keras"),
      row("glorot_normal", "truncated normal of deviation sqrt(2 / (inputs + outputs))"),
      row("he_uniform", "uniform within sqrt(6 / inputs)"),
      row("he_normal", "truncated normal of deviation sqrt(2 / inputs); for layers followed by relu"),
      row("lecun_normal", "truncated normal of deviation sqrt(1 / inputs); for selu"),
      row("orthogonal", "rows or columns at right angles", {number("gain", "1.0")}, false),
  };
  return table;
}

Initializer make_initializer(const InitializerChoice& choice, int64_t fan_in, int64_t fan_out) {
  const double in = static_cast<double>(std::max<int64_t>(fan_in, 1));
  const double out = static_cast<double>(std::max<int64_t>(fan_out, 1));
  const auto at = [&](size_t i) { return choice.numbers.at(i); };
  const std::string& name = choice.name;
  using Kind = Initializer::Kind;
  if (name == "zeros") return {Kind::zeros, 0, 0, false};
  if (name == "ones") return {Kind::ones, 0, 0, false};
  if (name == "constant") return {Kind::constant, at(0), 0, false};
  if (name == "uniform") return {Kind::uniform, at(0), at(1), false};
  if (name == "normal") return {Kind::normal, at(0), at(1), false};
  if (name == "truncated_normal") return {Kind::normal, at(0), at(1), true};
  if (name == "glorot_uniform") return uniform_within(std::sqrt(6.0 / (in + out)));
  if (name == "glorot_normal") return truncated_with(std::sqrt(2.0 / (in + out)));
  if (name == "he_uniform") return uniform_within(std::sqrt(6.0 / in));
  if (name == "he_normal") return truncated_with(std::sqrt(2.0 / in));
  if (name == "lecun_normal") return truncated_with(std::sqrt(1.0 / in));
  throw InternalError("no initialiser `" + name + "`");
}

}  // namespace netc
