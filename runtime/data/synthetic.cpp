// Samples without files, for tests and first steps. The world (centres, patterns, the law) is the same for every
// split and seed, so that what is learned on one split holds on another; `seed` and the split's name draw the samples.
//
//   blobs    a class a Gaussian cloud: centres drawn once with deviation 3, points around them with deviation 1
//   spiral   a class an arm of a spiral in the first two numbers of a float field
//   linear   the first float field x is noise; every other one is w.x + b plus noise of 0.1; a class is the largest of
//            N such sums
//   images   a class a pattern of waves over [H, W, C] plus noise; u8 pictures in 0 .. 255, float ones in 0 .. 1
//   tokens   class(V)[T] fields, the first a walk t' = (3 t + 1) mod V with a jump now and then, the others the same walk
//            one step later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "compiler/base/errors.h"
#include "compiler/kernel/random.h"
#include "runtime/data/reader.h"
#include "runtime/initial_weights.h"

namespace netc {
namespace {

// Draws named by purpose: element `column` of record `row`.
class Draws {
 public:
  Draws(uint64_t seed, const std::string& purpose) : seed_(seed), stream_(random_stream(purpose)) {}

  double uniform(int64_t row, int64_t column) const {   // in (0, 1)
    return (random_bits(seed_, 0, stream_, static_cast<uint32_t>(row), static_cast<uint32_t>(column)) + 0.5) * 0x1p-32;
  }
  double normal(int64_t row, int64_t column) const { return normal_quantile(uniform(row, column)); }

 private:
  uint64_t seed_;
  uint32_t stream_;
};

constexpr uint64_t kWorldSeed = 20010;

bool is_class_scalar(const FieldSpec& field) { return field.raw.classes > 0 && element_count(field.raw.shape) == 1; }
bool is_number(const FieldSpec& field) { return field.raw.classes == 0; }

class Synthesis {
 public:
  explicit Synthesis(const ReadRequest& request) : request_(request), kind_(request.reader.kind), n_(request.reader.samples) {}

  std::shared_ptr<Table> make() {
    auto table = std::make_shared<Table>();
    table->origin = fmt::format("synthetic({}, {} samples)", kind_, n_);
    table->records = n_;
    for (const FieldSpec& field : request_.data.fields) {
      if (is_class_scalar(field) && classes_ == 0) classes_ = field.raw.classes;
      if (is_number(field) && inputs_ == nullptr) inputs_ = &field;
    }
    if (classes_ == 0) classes_ = 3;
    for (const FieldSpec& field : request_.data.fields) {
      Column column = make_column(field, n_);
      const int64_t width = element_count(field.raw.shape);
      if (kind_ == "images" && !is_class_scalar(field)) {
        draw_pictures(field, column);
      } else {
        for (int64_t r = 0; r < n_; ++r)
          for (int64_t e = 0; e < width; ++e) store(field, column, r * width + e, value(field, r, e));
      }
      table->columns.push_back(std::move(column));
    }
    return table;
  }

 private:
  Draws samples(const std::string& purpose) const {
    return Draws(static_cast<uint64_t>(request_.reader.seed), "synthetic." + request_.reader.split + "." + purpose);
  }
  static Draws world(const std::string& purpose) { return Draws(kWorldSeed, "synthetic.world." + purpose); }

  int64_t label(int64_t r) const { return static_cast<int64_t>(labels_.uniform(r, 0) * static_cast<double>(classes_)); }

  double value(const FieldSpec& field, int64_t r, int64_t e) const {
    if (kind_ == "tokens") return token(field, r, e);
    if (kind_ == "linear") return linear(field, r, e);
    if (is_class_scalar(field)) return static_cast<double>(label(r));
    if (kind_ == "blobs") return 3 * centres_.normal(label(r), e) + noise_.normal(r, e);
    return spiral(r, e);
  }

  double spiral(int64_t r, int64_t e) const {
    if (e > 1) return noise_.normal(r, e);
    const double along = std::sqrt(noise_.uniform(r, 2));
    const double turn = 2 * std::numbers::pi * (along + static_cast<double>(label(r)) / static_cast<double>(classes_));
    return along * (e == 0 ? std::cos(turn) : std::sin(turn)) + 0.03 * noise_.normal(r, e);
  }

  double linear_sum(int64_t r, int64_t output, int64_t stream_row) const {
    const int64_t width = inputs_ == nullptr ? 0 : element_count(inputs_->raw.shape);
    double sum = weights_.normal(stream_row, output * (width + 1));
    for (int64_t i = 0; i < width; ++i) sum += weights_.normal(stream_row, output * (width + 1) + i + 1) * noise_.normal(r, i);
    return sum;
  }

  double linear(const FieldSpec& field, int64_t r, int64_t e) const {
    if (is_class_scalar(field)) {
      int64_t best = 0;
      for (int64_t c = 1; c < field.raw.classes; ++c)
        if (linear_sum(r, c, 1) > linear_sum(r, best, 1)) best = c;
      return static_cast<double>(best);
    }
    if (&field == inputs_) return noise_.normal(r, e);
    return linear_sum(r, e, 0) + 0.1 * target_noise_.normal(r, e);
  }

  // Pictures are many and large: what all pictures of a class have in common is computed once.
  void draw_pictures(const FieldSpec& field, Column& column) const {
    const int64_t width = element_count(field.raw.shape);
    std::vector<double> waves;
    for (int64_t k = 0; k < classes_; ++k)
      for (int64_t e = 0; e < width; ++e) waves.push_back(wave(field, k, e));
    for (int64_t r = 0; r < n_; ++r) {
      const double* const of_class = waves.data() + label(r) * width;
      for (int64_t e = 0; e < width; ++e) {
        const double grey = std::clamp(0.5 + 0.3 * of_class[e] + 0.15 * noise_.normal(r, e), 0.0, 1.0);
        store(field, column, r * width + e, field.raw.dtype == DType::u8 ? std::floor(grey * 255 + 0.5) : grey);
      }
    }
  }

  double wave(const FieldSpec& field, int64_t label, int64_t e) const {
    const Shape& shape = field.raw.shape;
    const int64_t channels = shape.size() == 3 ? shape[2] : 1;
    const int64_t columns = shape.size() >= 2 ? shape[1] : 1;
    const double y = static_cast<double>(e / channels / columns), x = static_cast<double>(e / channels % columns);
    const int64_t k = label * channels + e % channels;
    return std::sin(2 * std::numbers::pi * (0.05 + 0.2 * centres_.uniform(k, 0)) * x +
                    2 * std::numbers::pi * (0.05 + 0.2 * centres_.uniform(k, 1)) * y +
                    2 * std::numbers::pi * centres_.uniform(k, 2));
  }

  // The walk is followed from its start for each token: T is short, and nothing has to be kept.
  double token(const FieldSpec& field, int64_t r, int64_t e) const {
    const auto vocabulary = std::max<int64_t>(1, field.raw.classes);
    const bool later = &field != &request_.data.fields.front();
    auto t = static_cast<int64_t>(noise_.uniform(r, 0) * static_cast<double>(vocabulary));
    for (int64_t i = 1; i <= e + (later ? 1 : 0); ++i)
      t = noise_.uniform(r, 2 * i) < 0.1 ? static_cast<int64_t>(noise_.uniform(r, 2 * i + 1) * static_cast<double>(vocabulary))
                                         : (3 * t + 1) % vocabulary;
    return static_cast<double>(t);
  }

  static void store(const FieldSpec& field, Column& column, int64_t at, double value) {
    const auto put = [&](auto v) { std::memcpy(column.bytes.data() + at * int64_t{sizeof v}, &v, sizeof v); };
    switch (field.raw.dtype) {
      case DType::u8: return put(static_cast<uint8_t>(std::clamp(std::round(value), 0.0, 255.0)));
      case DType::boolean: return put(static_cast<uint8_t>(value > 0));
      case DType::i32: return put(static_cast<int32_t>(std::lround(value)));
      case DType::i64: return put(static_cast<int64_t>(std::llround(value)));
      case DType::f64: return put(value);
      case DType::f32: return put(static_cast<float>(value));
      default: throw InternalError("a raw field of a type no reader gives");
    }
  }

  const ReadRequest& request_;
  std::string kind_;
  int64_t n_;
  int64_t classes_ = 0;
  const FieldSpec* inputs_ = nullptr;
  Draws labels_ = samples("label"), noise_ = samples("noise"), target_noise_ = samples("target");
  Draws centres_ = world("centres"), weights_ = world("weights");
};

}  // namespace

std::shared_ptr<Table> make_synthetic(const ReadRequest& request) {
  const std::string& kind = request.reader.kind;
  if (kind == "tokens") {
    for (const FieldSpec& field : request.data.fields)
      if (field.raw.classes == 0) {
        report_mismatch(request, field, "synthetic(tokens)", "class numbers", declared_type(field));
        return nullptr;
      }
  } else if (kind == "spiral") {
    for (const FieldSpec& field : request.data.fields)
      if (is_number(field) && element_count(field.raw.shape) < 2) {
        report_mismatch(request, field, "synthetic(spiral)", "at least two numbers a record", declared_type(field));
        return nullptr;
      }
  } else if (kind != "blobs" && kind != "linear" && kind != "images") {
    throw InternalError("a synthetic data set the runtime does not know: " + kind);
  }
  return Synthesis(request).make();
}

}  // namespace netc
