#include "tests/ops/graph_evaluator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compiler/kernel/random.h"
#include "compiler/ops/op.h"

namespace netc::test {

namespace {

using Coordinates = std::vector<int64_t>;

// Calls f(coordinates) for every element of a shape in row-major order.
template <class F>
void for_each_element(const Shape& shape, F f) {
  Coordinates at(shape.size(), 0);
  const int64_t count = element_count(shape);
  for (int64_t i = 0; i < count; ++i) {
    f(at, i);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

int64_t offset_of(const Shape& shape, const Coordinates& at) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) offset = offset * shape[axis] + at[axis];
  return offset;
}

double& element(Tensor& t, int64_t row, int64_t offset) {
  return t.values[static_cast<size_t>((t.type.batched ? row : 0) * t.sample_size() + offset)];
}
double element(const Tensor& t, int64_t row, int64_t offset) {
  return t.values[static_cast<size_t>((t.type.batched ? row : 0) * t.sample_size() + offset)];
}

class Evaluator {
 public:
  Evaluator(const Graph& graph, const Environment& environment) : graph_(graph), environment_(environment) {}

  std::vector<Tensor> run() {
    for (size_t id = 0; id < graph_.nodes.size(); ++id) values_.push_back(value_of(graph_.nodes[id]));
    return std::move(values_);
  }

 private:
  const Tensor& in(const Node& node, size_t i) const { return values_[static_cast<size_t>(node.inputs[i])]; }

  Tensor blank(const TensorType& type, double value = 0) const {
    const int64_t rows = type.batched ? environment_.rows : 1;
    return {type, rows, std::vector<double>(static_cast<size_t>(rows * element_count(type.shape)), value)};
  }

  Tensor value_of(const Node& node) const {
    if (is_leaf(node)) return leaf(node);
    switch (op_row(node).family) {
      case OpFamily::pointwise: return pointwise(node);
      case OpFamily::expand: return expand(node);
      case OpFamily::reduce: return reduce(node);
      case OpFamily::reshape: return {node.type, in(node, 0).rows, in(node, 0).values};
      case OpFamily::transpose: return transpose(node);
      case OpFamily::concat: return concat(node);
      case OpFamily::slice: return slice(node);
      case OpFamily::matmul: return matmul(node);
      case OpFamily::matmul_tn: return matmul_tn(node);
      case OpFamily::gather: return gather(node);
      case OpFamily::scatter_add: return scatter_add(node);
      case OpFamily::one_hot: return one_hot(node);
      case OpFamily::random: return draw(node);
      case OpFamily::composite: return composite(node);
      case OpFamily::leaf: break;
    }
    throw std::logic_error("no reference for " + node.op);
  }

  Tensor leaf(const Node& node) const {
    Tensor result = blank(node.type);
    if (node.op == "constant") {
      result.values = {float_attribute(node.attributes, "value")};
    } else if (node.op == "scalar") {
      result.values = {environment_.scalars.at(node.name)};
    } else {
      const auto& from = node.op == "input"       ? environment_.inputs
                         : node.op == "parameter" ? environment_.parameters
                                                  : environment_.states;
      const std::vector<double>& values = from.at(node.name);
      if (values.size() != result.values.size()) throw std::logic_error(node.name + " has the wrong size");
      result.values = values;
    }
    return result;
  }

  Tensor pointwise(const Node& node) const {
    const ScalarFunction* f = scalar_reference(node.op);
    if (f == nullptr) throw std::logic_error("no reference for " + node.op);
    Tensor result = blank(node.type);
    std::vector<double> x(node.inputs.size());
    for (size_t i = 0; i < result.values.size(); ++i) {
      for (size_t k = 0; k < x.size(); ++k) {
        const Tensor& operand = in(node, k);
        const bool is_one = !operand.type.batched && operand.type.shape.empty();
        x[k] = operand.values[is_one ? 0 : i];
      }
      result.values[i] = (*f)(x, node.attributes);
    }
    return result;
  }

  Tensor expand(const Node& node) const {
    const Tensor& x = in(node, 0);
    const auto& axes = ints_attribute(node.attributes, "axes");
    Tensor result = blank(node.type);
    for (int64_t row = 0; row < result.rows; ++row) {
      for_each_element(node.type.shape, [&](const Coordinates& at, int64_t offset) {
        Coordinates from;
        for (int64_t axis : axes) from.push_back(at[static_cast<size_t>(axis)]);
        element(result, row, offset) = element(x, row, offset_of(x.type.shape, from));
      });
    }
    return result;
  }

  Tensor reduce(const Node& node) const {
    const Tensor& x = in(node, 0);
    const bool is_max = node.op == "reduce_max";
    const auto& axes = ints_attribute(node.attributes, "axes");
    Tensor result = blank(node.type, is_max ? -INFINITY : 0.0);
    for (int64_t row = 0; row < x.rows; ++row) {
      for_each_element(x.type.shape, [&](const Coordinates& at, int64_t offset) {
        Coordinates to;
        for (size_t axis = 0; axis < at.size(); ++axis)
          if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) == axes.end()) to.push_back(at[axis]);
        double& sum = element(result, row, offset_of(node.type.shape, to));
        const double value = element(x, row, offset);
        if (!is_max) {
          sum += value;
        } else if (!(sum >= value) && sum == sum) {
          sum = value;   // a NaN among the values ends up here and stays
        }
      });
    }
    return result;
  }

  Tensor transpose(const Node& node) const {
    const Tensor& x = in(node, 0);
    const auto& order = ints_attribute(node.attributes, "order");
    Tensor result = blank(node.type);
    for (int64_t row = 0; row < result.rows; ++row) {
      for_each_element(node.type.shape, [&](const Coordinates& at, int64_t offset) {
        Coordinates from(at.size());
        for (size_t i = 0; i < at.size(); ++i) from[static_cast<size_t>(order[i])] = at[i];
        element(result, row, offset) = element(x, row, offset_of(x.type.shape, from));
      });
    }
    return result;
  }

  Tensor concat(const Node& node) const {
    const auto axis = static_cast<size_t>(int_attribute(node.attributes, "axis"));
    Tensor result = blank(node.type);
    int64_t start = 0;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const Tensor& part = in(node, k);
      for (int64_t row = 0; row < result.rows; ++row) {
        for_each_element(part.type.shape, [&](Coordinates at, int64_t offset) {
          at[axis] += start;
          element(result, row, offset_of(node.type.shape, at)) = element(part, row, offset);
        });
      }
      start += part.type.shape[axis];
    }
    return result;
  }

  Tensor slice(const Node& node) const {
    const Tensor& x = in(node, 0);
    const auto axis = static_cast<size_t>(int_attribute(node.attributes, "axis"));
    Tensor result = blank(node.type);
    for (int64_t row = 0; row < result.rows; ++row) {
      for_each_element(node.type.shape, [&](Coordinates at, int64_t offset) {
        at[axis] += int_attribute(node.attributes, "start");
        element(result, row, offset) = element(x, row, offset_of(x.type.shape, at));
      });
    }
    return result;
  }

  Tensor matmul(const Node& node) const {
    const Tensor &x = in(node, 0), &w = in(node, 1);
    const bool transposed = bool_attribute(node.attributes, "transpose_weight", false);
    const int64_t depth = x.type.shape.back(), width = node.type.shape.back();
    Tensor result = blank(node.type);
    for (size_t i = 0; i < result.values.size(); ++i) {
      const auto line = static_cast<int64_t>(i) / width, u = static_cast<int64_t>(i) % width;
      for (int64_t d = 0; d < depth; ++d) {
        const double weight = w.values[static_cast<size_t>(transposed ? u * depth + d : d * width + u)];
        result.values[i] += x.values[static_cast<size_t>(line * depth + d)] * weight;
      }
    }
    return result;
  }

  Tensor matmul_tn(const Node& node) const {
    const Tensor &x = in(node, 0), &g = in(node, 1);
    const int64_t depth = node.type.shape[0], width = node.type.shape[1];
    Tensor result = blank(node.type);
    const int64_t lines = static_cast<int64_t>(x.values.size()) / depth;
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t d = 0; d < depth; ++d)
        for (int64_t u = 0; u < width; ++u)
          result.values[static_cast<size_t>(d * width + u)] +=
              x.values[static_cast<size_t>(line * depth + d)] * g.values[static_cast<size_t>(line * width + u)];
    return result;
  }

  Tensor gather(const Node& node) const {
    const Tensor &table = in(node, 0), &ids = in(node, 1);
    const int64_t width = table.type.shape.size() == 2 ? table.type.shape[1] : 1;
    Tensor result = blank(node.type);
    for (size_t i = 0; i < ids.values.size(); ++i)
      for (int64_t d = 0; d < width; ++d)
        result.values[i * static_cast<size_t>(width) + static_cast<size_t>(d)] =
            table.values[static_cast<size_t>(static_cast<int64_t>(ids.values[i]) * width + d)];
    return result;
  }

  Tensor scatter_add(const Node& node) const {
    const Tensor &ids = in(node, 0), &g = in(node, 1);
    const int64_t width = node.type.shape.size() == 2 ? node.type.shape[1] : 1;
    Tensor result = blank(node.type);
    for (size_t i = 0; i < ids.values.size(); ++i)
      for (int64_t d = 0; d < width; ++d)
        result.values[static_cast<size_t>(static_cast<int64_t>(ids.values[i]) * width + d)] +=
            g.values[i * static_cast<size_t>(width) + static_cast<size_t>(d)];
    return result;
  }

  Tensor one_hot(const Node& node) const {
    const Tensor& ids = in(node, 0);
    Tensor result = blank(node.type);
    for (size_t i = 0; i < ids.values.size(); ++i)
      result.values[i * static_cast<size_t>(node.type.shape.back()) + static_cast<size_t>(ids.values[i])] = 1;
    return result;
  }

  Tensor draw(const Node& node) const {
    Tensor result = blank(node.type);
    for (int64_t row = 0; row < result.rows; ++row)
      for (int64_t i = 0; i < result.sample_size(); ++i) element(result, row, i) = is_kept(node, row, i);
    return result;
  }

  // A draw is keyed by the line of the tensor, counted over the whole batch, and the place on its last axis.
  bool is_kept(const Node& node, int64_t row, int64_t i) const {
    const Shape& shape = node.type.shape;
    const int64_t width = shape.empty() ? 1 : shape.back();
    const int64_t line = row * (element_count(shape) / width) + i / width;
    const auto stream = static_cast<uint32_t>(int_attribute(node.attributes, "stream"));
    const double threshold = std::floor(float_attribute(node.attributes, "rate") * 4294967296.0);
    return random_bits(environment_.seed, environment_.update, stream, static_cast<uint32_t>(line),
                       static_cast<uint32_t>(i % width)) >= threshold;
  }

  // Composites over the last axis, line by line; dropout and stop_gradient element by element.
  Tensor composite(const Node& node) const {
    const Tensor& x = in(node, 0);
    if (node.op == "stop_gradient") return {node.type, x.rows, x.values};
    if (node.op == "dropout") return dropout(node);
    Tensor result = blank(node.type);
    const auto width = static_cast<size_t>(x.type.shape.back());
    const bool one_a_line = result.values.size() * width == x.values.size() && node.inputs.size() == 2;
    for (size_t line = 0; line < x.values.size() / width; ++line) {
      const std::vector<double> z(x.values.begin() + static_cast<long>(line * width),
                                  x.values.begin() + static_cast<long>((line + 1) * width));
      if (one_a_line) {
        result.values[line] = line_loss(node, z, line);
      } else {
        const std::vector<double> y = line_map(node, z);
        std::copy(y.begin(), y.end(), result.values.begin() + static_cast<long>(line * width));
      }
    }
    return result;
  }

  static double sum_exp(const std::vector<double>& z) {
    double sum = 0;
    for (double v : z) sum += std::exp(v);
    return sum;
  }

  static std::vector<double> line_map(const Node& node, std::vector<double> z) {
    const auto width = static_cast<double>(z.size());
    if (node.op == "softmax" || node.op == "log_softmax") {
      const double sum = sum_exp(z);
      for (double& v : z) v = node.op == "softmax" ? std::exp(v) / sum : v - std::log(sum);
      return z;
    }
    if (node.op == "normalize" || node.op == "rms_normalize") {
      double mean = 0, square = 0;
      for (double v : z) mean += v / width;
      if (node.op == "rms_normalize") mean = 0;
      for (double v : z) square += (v - mean) * (v - mean) / width;
      for (double& v : z) v = (v - mean) / std::sqrt(square + float_attribute(node.attributes, "eps"));
      return z;
    }
    throw std::logic_error("no reference for " + node.op);
  }

  double line_loss(const Node& node, const std::vector<double>& z, size_t line) const {
    const Tensor& target = in(node, 1);
    const auto smoothing = node.attributes.find("label_smoothing");
    const double share = smoothing == node.attributes.end() ? 0 : std::get<double>(smoothing->second);
    const auto width = static_cast<double>(z.size());
    if (node.op == "top_k_hit") {
      const double own = z[static_cast<size_t>(target.values[line])];
      double above = 0, level = 0;
      for (double v : z) above += !(v <= own), level += v == own;
      const double places = (static_cast<double>(int_attribute(node.attributes, "k")) - above) / std::max(level, 1.0);
      return std::clamp(places, 0.0, 1.0);
    }
    double loss = 0;
    for (size_t i = 0; i < z.size(); ++i) {
      const double log_share = z[i] - std::log(sum_exp(z));
      double t = 0;
      if (node.op == "cross_entropy") {
        t = target.values[line * z.size() + i];
      } else if (node.op == "cross_entropy_classes") {
        t = target.values[line] == static_cast<double>(i);
      } else {
        throw std::logic_error("no reference for " + node.op);
      }
      t = t * (1 - share) + share / width;
      if (t != 0) loss -= t * log_share;
    }
    return loss;
  }

  Tensor dropout(const Node& node) const {
    const Tensor& x = in(node, 0);
    const double rate = float_attribute(node.attributes, "rate");
    Tensor result = blank(node.type);
    for (int64_t row = 0; row < result.rows; ++row)
      for (int64_t i = 0; i < result.sample_size(); ++i)
        element(result, row, i) = element(x, row, i) * (is_kept(node, row, i) ? 1 / (1 - rate) : 0);
    return result;
  }

  const Graph& graph_;
  const Environment& environment_;
  std::vector<Tensor> values_;
};

}  // namespace

std::vector<Tensor> evaluate(const Graph& graph, const Environment& environment) {
  return Evaluator(graph, environment).run();
}

void apply_updates(const Graph& graph, Environment& environment) {
  const std::vector<Tensor> values = evaluate(graph, environment);
  for (const Update& update : graph.updates) {
    const Node& target = graph[update.target];
    auto& stored = target.op == "parameter" ? environment.parameters : environment.states;
    stored.at(target.name) = values[static_cast<size_t>(update.value)].values;
  }
}

}  // namespace netc::test
