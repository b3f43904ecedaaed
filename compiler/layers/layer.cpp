#include "compiler/layers/layer.h"

#include <limits>
#include <unordered_map>

#include "compiler/layers/initializers.h"
#include "compiler/layers/rows.h"

namespace netc {

const std::vector<LayerRow>& layer_table() {
  static const std::vector<LayerRow> table = [] {
    std::vector<LayerRow> all;
    for (auto* family : {&layers::affine_rows, &layers::convolution_rows, &layers::normalization_rows,
                         &layers::pooling_rows, &layers::attention_rows, &layers::shape_rows, &layers::activation_rows,
                         &layers::comparison_rows})
      for (LayerRow& row : family()) all.push_back(std::move(row));
    return all;
  }();
  return table;
}

const LayerRow* find_layer(const std::string& name) {
  static const std::unordered_map<std::string, const LayerRow*> index = [] {
    std::unordered_map<std::string, const LayerRow*> rows;
    for (const LayerRow& row : layer_table()) rows.emplace(row.name, &row);
    return rows;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

TensorType batched(DType dtype, Shape shape) { return TensorType{dtype, std::move(shape), true, 0}; }

std::string layers::divisors_note(int64_t size) {
  std::string text;
  int count = 0;
  for (int64_t d = 1; d <= size && d <= 4096 && count < 12; ++d)
    if (size % d == 0) text += (count++ ? ", " : "") + std::to_string(d);
  return text + (count == 1 ? " divides " : " divide ") + std::to_string(size);
}

const std::string& LayerCall::name() const { return row.name; }

NodeId LayerCall::weight(const std::string& weight_name, Shape of, Initializer init, bool trainable) {
  return host_.weight(weight_name, TensorType{DType::f32, std::move(of), false, 0}, init, trainable);
}

Initializer LayerCall::initializer(const std::string& argument, int64_t fan_in, int64_t fan_out) const {
  return make_initializer(*arguments.as<InitializerChoice>(argument), fan_in, fan_out);
}

NodeId LayerCall::tied_weight(Shape wanted, Initializer init, bool* transposed) {
  *transposed = false;
  const auto* tied = arguments.as<WeightArgument>("weight");
  if (!tied) return weight("weight", std::move(wanted), init);
  Shape given = b.type(tied->node).shape;
  if (tied->transposed && given.size() == 2) std::swap(given[0], given[1]);
  if (given == wanted) {
    *transposed = tied->transposed;
    return tied->node;
  }
  const TensorType has{DType::f32, given, false, 0}, wants{DType::f32, wanted, false, 0};
  Diagnostic& d = error_at(Code::N0502, "weight",
                           "tied weight is " + to_string(has) + ", `" + name() + "` needs " + to_string(wants));
  if (given.size() == 2 && wanted.size() == 2 && given[0] == wanted[1] && given[1] == wanted[0]) {
    if (!tied->transposed)
      d.fix("turn it round", arguments.span("weight"), "transpose(" + tied->path + ")", Confidence::certain);
    else
      d.fix("it fits as it is", arguments.span("weight"), tied->path, Confidence::certain);
  }
  return kNoNode;
}

Diagnostic& LayerCall::error(Code code, Span where, std::string summary, std::string label) {
  return host_.error(code, where, std::move(summary), std::move(label));
}

Diagnostic& LayerCall::warning(Code code, Span where, std::string summary, std::string label) {
  return host_.warning(code, where, std::move(summary), std::move(label));
}

Diagnostic& LayerCall::error_at(Code code, const std::string& argument, std::string summary, std::string label) {
  const Span where = arguments.span(argument);
  return error(code, where.known() ? where : span, std::move(summary), std::move(label));
}

bool LayerCall::is_float(size_t input) {
  const TensorType t = type(input);
  if (is_floating(t.dtype)) return true;
  const std::string found = t.classes > 0 ? "class(" + std::to_string(t.classes) + ")" : dtype_name(t.dtype);
  Diagnostic& d = error(Code::N0406, span, "`" + name() + "` computes in floating point, this is " + found);
  if (input < input_spans.size()) d.label(input_spans[input], to_string(t));
  if (t.classes > 0)
    d.help("give each id a row of numbers: `embedding(" + std::to_string(t.classes) + ", ...)` or `one_hot`");
  else if (t.dtype == DType::u8)
    d.help("turn it into numbers in the field of the data: `|> to_float(scale: 1/255)`, and declare the input f32");
  else if (t.dtype == DType::boolean)
    d.help("a bool is for masks");
  else
    d.help("turn it into numbers in the field of the data: `|> to_float`, and declare the input f32");
  return false;
}

namespace {
std::string axes_wanted(size_t rank, const std::string& axes, bool or_more) {
  return std::to_string(rank) + (or_more ? " or more" : "") + (rank == 1 && !or_more ? " axis " : " axes ") + axes;
}
}  // namespace

bool LayerCall::has_rank(size_t rank, const std::string& axes, size_t input) {
  if (shape(input).size() == rank) return true;
  Diagnostic& d = error(Code::N0402, span,
                        "`" + name() + "` needs " + axes_wanted(rank, axes, false) + ", got " + to_string(type(input)));
  if (input < input_spans.size()) d.label(input_spans[input], "the value comes from here");
  d.help(shape(input).size() < rank ? "bring it into shape with `reshape`, or remove the `flatten` above"
                                    : "bring it into shape with `reshape` or `flatten`");
  return false;
}

bool LayerCall::has_rank_at_least(size_t rank, const std::string& axes, size_t input) {
  if (shape(input).size() >= rank) return true;
  Diagnostic& d = error(Code::N0402, span,
                        "`" + name() + "` needs " + axes_wanted(rank, axes, true) + ", got " + to_string(type(input)));
  if (input < input_spans.size()) d.label(input_spans[input], "the value comes from here");
  d.help("give it an axis with `unsqueeze` or `reshape`");
  return false;
}

std::optional<int64_t> LayerCall::axis(const std::string& argument, size_t input, int64_t extra) {
  const int64_t rank = static_cast<int64_t>(shape(input).size()) + extra;
  const int64_t written = arguments.integer(argument);
  if (written >= -rank && written < rank) return written < 0 ? written + rank : written;
  Diagnostic& d = error_at(Code::N0409, argument,
                           "axis " + std::to_string(written) + " does not exist in " + to_string(type(input)));
  if (rank == 0) d.note("it has no axes: one number a sample");
  std::string sizes;
  const Shape in_shape = shape(input);
  for (size_t i = 0; i < in_shape.size(); ++i)
    sizes += (i ? ", " : "") + std::string("axis ") + std::to_string(i) + ": " + std::to_string(in_shape[i]);
  if (!sizes.empty()) d.note(sizes + "; the batch has no number, -1 is the last");
  return std::nullopt;
}

bool LayerCall::fits(const Shape& result) {
  int64_t count = 1;
  size_t largest = 0;
  bool overflow = false;
  for (size_t i = 0; i < result.size(); ++i) {
    overflow |= __builtin_mul_overflow(count, result[i], &count);
    if (result[i] > result[largest]) largest = i;
  }
  constexpr int64_t kMostElements = int64_t{1} << 40;   // 4 TiB of f32: nothing anyone computes, and products stay exact
  if (!overflow && count <= kMostElements) return true;
  error(Code::N0418, span,
        overflow ? "this tensor would have more than 2^63 values" : "this tensor would have " + std::to_string(count) + " values")
      .note("its largest axis is axis " + std::to_string(largest) + ": " + std::to_string(result[largest]));
  return false;
}

NodeId LayerCall::unavailable(TensorType result, std::vector<NodeId> operands) {
  Node node;
  node.op = "unavailable";
  node.inputs = std::move(operands);
  node.attributes["layer"] = row.name;
  node.type = std::move(result);
  node.name = b.name();
  node.span = span;
  return b.graph().add(std::move(node));
}

}  // namespace netc
