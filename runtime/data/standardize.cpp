#include "runtime/data/standardize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/base/errors.h"

namespace netc {
namespace {

double argument(const TransformSpec& stage, const char* name, int64_t element, double fallback) {
  for (const auto& [key, values] : stage.arguments)
    if (key == name && !values.empty()) return values[static_cast<size_t>(element) % values.size()];
  return fallback;
}

template <typename T>
double as_number(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

double element_as_number(const std::byte* at, DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::boolean: return as_number<uint8_t>(at);
    case DType::i32: return as_number<int32_t>(at);
    case DType::i64: return as_number<int64_t>(at);
    case DType::f32: return as_number<float>(at);
    case DType::f64: return as_number<double>(at);
    default: throw InternalError("a raw column of a type no reader gives");
  }
}

// Lists of numbers (mean, std of `normalize`) run along the last axis, so element modulo length finds the channel.
double apply_stage(const TransformSpec& stage, double x, int64_t element) {
  if (stage.name == "to_float") return x * argument(stage, "scale", element, 1) + argument(stage, "offset", element, 0);
  if (stage.name == "normalize") return (x - argument(stage, "mean", element, 0)) / argument(stage, "std", element, 1);
  if (stage.name == "log1p") return std::log1p(x);
  if (stage.name == "clip") return std::clamp(x, argument(stage, "low", element, x), argument(stage, "high", element, x));
  throw InternalError("`" + stage.name + "` before `standardize`: the runtime does not know this stage");
}

std::vector<DataConstant> standardize_constants(const DataSpec& spec, const Split& train) {
  std::vector<DataConstant> constants;
  for (const FieldSpec& field : spec.fields) {
    const auto& stages = field.transforms;
    const auto learned = std::find_if(stages.begin(), stages.end(), [](const auto& s) { return s.name == "standardize"; });
    const Column* column = train.column(field.name);
    if (learned == stages.end() || column == nullptr) continue;

    const int64_t width = element_count(field.raw.shape);
    const Shape shape = field.raw.shape.empty() ? Shape{} : Shape{field.raw.shape.back()};
    const int64_t places = element_count(shape);
    const auto values = static_cast<double>(train.rows() * (width / places));   // of one place
    std::vector<double> mean(static_cast<size_t>(places)), square(static_cast<size_t>(places));
    const auto each_value = [&](auto visit) {
      for (const uint32_t record : train.records)
        for (int64_t e = 0; e < width; ++e) {
          double x = element_as_number(column->record(record) + e * dtype_bytes(column->dtype), column->dtype);
          for (auto stage = stages.begin(); stage != learned; ++stage) x = apply_stage(*stage, x, e);
          visit(static_cast<size_t>(e % places), x);
        }
    };
    // Two passes: the squares of deviations lose nothing when the mean is large against the deviation.
    each_value([&](size_t e, double x) { mean[e] += x; });
    for (double& m : mean) m /= values;
    each_value([&](size_t e, double x) { square[e] += (x - mean[e]) * (x - mean[e]); });

    DataConstant means{"data." + field.name + ".mean", shape, {}};
    DataConstant deviations{"data." + field.name + ".std", shape, {}};
    for (size_t e = 0; e < mean.size(); ++e) {
      means.values.push_back(static_cast<float>(mean[e]));
      deviations.values.push_back(static_cast<float>(std::sqrt(square[e] / values)));
    }
    constants.push_back(std::move(means));
    constants.push_back(std::move(deviations));
  }
  return constants;
}

}  // namespace netc
