#include "tests/ops/op_cases.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace netc::test {

namespace {

using Ints = std::vector<int64_t>;

TensorType batched(Shape shape, DType dtype = DType::f32) { return {dtype, std::move(shape), true, 0}; }
TensorType whole(Shape shape, DType dtype = DType::f32) { return {dtype, std::move(shape), false, 0}; }
TensorType ids(Shape shape, int64_t classes, bool is_batched = true) {
  return {DType::i32, std::move(shape), is_batched, classes};
}

Attributes axes(Ints folded, bool batch) { return {{"axes", std::move(folded)}, {"batch", batch}}; }
Attributes expansion(Ints kept, Ints shape, bool is_batched) {
  return {{"axes", std::move(kept)}, {"shape", std::move(shape)}, {"batched", is_batched}};
}
Attributes part(int64_t axis, int64_t start, int64_t stop) { return {{"axis", axis}, {"start", start}, {"stop", stop}}; }

std::map<std::string, std::vector<OpCase>> make_cases() {
  const TensorType flags = batched({4}, DType::boolean);
  const Attributes drop{{"rate", 0.3}, {"stream", int64_t{77}}};
  const auto draw = [&](Ints shape, bool is_batched) {
    Attributes attributes = drop;
    attributes["shape"] = std::move(shape);
    attributes["batched"] = is_batched;
    return attributes;
  };
  const std::vector<OpCase> reductions{
      {{batched({4})}, axes({0}, false)},   {{batched({4})}, axes({}, true)},      {{batched({2, 3})}, axes({0, 1}, true)},
      {{batched({2, 3, 2})}, axes({1}, false)}, {{whole({3, 4})}, axes({0}, false)}, {{batched({2, 3})}, axes({0}, true)},
      {{batched({})}, axes({}, true)},
  };
  const Attributes eps{{"eps", 1e-2}};
  const std::vector<OpCase> lines{{{batched({5})}, {}}, {{batched({2, 3})}, {}}, {{whole({4})}, {}}};
  const auto with = [](std::vector<OpCase> cases, const Attributes& attributes) {
    for (OpCase& c : cases) c.attributes = attributes;
    return cases;
  };
  return {
      {"expand",
       {{{whole({4})}, expansion({0}, {4}, true)},
        {{batched({})}, expansion({}, {4}, true)},
        {{batched({2, 3})}, expansion({0, 2}, {2, 4, 3}, true)},
        {{whole({})}, expansion({}, {2, 3}, true)},
        {{whole({3})}, expansion({1}, {2, 3}, false)}}},
      {"reduce_sum", reductions},
      {"reduce_max", reductions},
      {"reshape",
       {{{batched({2, 6})}, {{"shape", Ints{3, 4}}}},
        {{whole({6})}, {{"shape", Ints{2, 3}}}},
        {{batched({1})}, {{"shape", Ints{}}}}}},
      {"transpose", {{{batched({2, 3, 4})}, {{"order", Ints{2, 0, 1}}}}, {{whole({2, 3})}, {{"order", Ints{1, 0}}}}}},
      {"concat",
       {{{batched({2, 3}), batched({2, 1}), batched({2, 2})}, {{"axis", int64_t{1}}}},
        {{batched({2, 3}), batched({1, 3})}, {{"axis", int64_t{0}}}},
        {{batched({3})}, {{"axis", int64_t{0}}}}}},
      {"slice",
       {{{batched({5})}, part(0, 1, 3)},
        {{batched({3, 4})}, part(1, 2, 4)},
        {{whole({4, 2})}, part(0, 0, 3)},
        {{batched({4})}, part(0, 0, 4)}}},
      {"matmul",
       {{{batched({5}), whole({5, 4})}, {}},
        {{batched({2, 5}), whole({5, 3})}, {}},
        {{batched({4}), whole({5, 4})}, {{"transpose_weight", true}}},
        {{whole({2, 5}), whole({5, 3})}, {}}}},
      {"matmul_tn",
       {{{batched({5}), batched({4})}, {}},
        {{batched({2, 5}), batched({2, 3})}, {}},
        {{whole({2, 5}), whole({2, 3})}, {}}}},
      {"gather",
       {{{whole({6, 4}), ids({}, 6)}, {}}, {{whole({6, 4}), ids({5}, 6)}, {}}, {{whole({6}), ids({5}, 6)}, {}}}},
      {"scatter_add",
       {{{ids({}, 6), batched({4})}, {{"rows", int64_t{6}}}},
        {{ids({5}, 6), batched({5, 4})}, {{"rows", int64_t{6}}}},
        {{ids({5}, 6), batched({5})}, {{"rows", int64_t{6}}}}}},
      {"one_hot", {{{ids({}, 4)}, {{"classes", int64_t{4}}}}, {{ids({3}, 4)}, {{"classes", int64_t{4}}}}}},
      {"random", {{{}, draw({8}, true)}, {{}, draw({3, 5}, true)}, {{}, draw({4}, false)}}},
      {"select",
       {{{flags, batched({4}), batched({4})}, {}},
        {{flags, whole({}), batched({4})}, {}},
        {{flags, batched({4}), whole({})}, {}}}},
      {"logical_and", {{{flags, flags}, {}}}},
      {"logical_or", {{{flags, flags}, {}}}},
      {"logical_not", {{{flags}, {}}}},
      {"cast",
       {{{batched({4})}, {{"dtype", std::string("f32")}}},
        {{batched({4})}, {{"dtype", std::string("i32")}}},
        {{batched({4}, DType::u8)}, {{"dtype", std::string("f32")}}},
        {{ids({4}, 9)}, {{"dtype", std::string("f32")}}}}},
      {"leaky_relu", {{{batched({7})}, {{"slope", 0.2}}}}},
      {"leaky_relu_grad", {{{batched({7}), batched({7})}, {{"slope", 0.2}}}}},
      {"elu", {{{batched({7})}, {{"alpha", 1.3}}}}},
      {"elu_grad", {{{batched({7}), batched({7})}, {{"alpha", 1.3}}}}},
      {"softmax", lines},
      {"log_softmax", lines},
      {"normalize", with(lines, eps)},
      {"rms_normalize", with(lines, eps)},
      {"cross_entropy",
       {{{batched({4}), batched({4})}, {}},
        {{batched({2, 3}), batched({2, 3})}, {}},
        {{batched({4}), batched({4})}, {{"label_smoothing", 0.1}}}}},
      {"cross_entropy_classes",
       {{{batched({4}), ids({}, 4)}, {}},
        {{batched({2, 3}), ids({2}, 3)}, {}},
        {{batched({4}), ids({}, 4)}, {{"label_smoothing", 0.1}}}}},
      {"top_k_hit",
       {{{batched({4}), ids({}, 4)}, {{"k", int64_t{1}}}}, {{batched({2, 5}), ids({2}, 5)}, {{"k", int64_t{3}}}}}},
      {"dropout", {{{batched({9})}, drop}, {{batched({3, 4})}, drop}, {{batched({4})}, {{"rate", 0.0}, {"stream", int64_t{1}}}}}},
      {"stop_gradient", {{{batched({4})}, {}}}},
  };
}

// Tensors, a scalar on each side, and no batch.
std::vector<OpCase> pointwise_cases(const OpRow& row) {
  const auto arity = static_cast<size_t>(row.arity);
  std::vector<OpCase> cases{{std::vector<TensorType>(arity, batched({7})), {}},
                            {std::vector<TensorType>(arity, batched({2, 3})), {}},
                            {std::vector<TensorType>(arity, whole({5})), {}}};
  if (arity == 2) {
    cases.push_back({{batched({4}), whole({})}, {}});
    cases.push_back({{whole({}), batched({4})}, {}});
  }
  return cases;
}

SampleDomain domain_of(const OpRow& row, size_t input) {
  if (row.domain.empty()) return {};
  return row.domain[std::min(input, row.domain.size() - 1)];
}

int64_t total(const TensorType& type) { return element_count(type.shape) * (type.batched ? kCaseRows : 1); }

// One value per cell of a grid over the domain, in shuffled order: values of one case are apart from each other. Cells
// that reach a kink are left out. `lane` of `lanes` inputs takes its own share of each cell.
std::vector<double> spread_values(const SampleDomain& domain, int64_t count, size_t lane, size_t lanes, Draws& draws) {
  const int64_t cells = 2 * count + 2 * static_cast<int64_t>(domain.kinks.size()) + 2;
  const double cell = (domain.high - domain.low) / static_cast<double>(cells);
  std::vector<double> values;
  for (int64_t i = 0; i < cells; ++i) {
    const double share = (static_cast<double>(lane) + draws.uniform(0.3, 0.7)) / static_cast<double>(lanes);
    const double value = domain.low + cell * (static_cast<double>(i) + share);
    const bool is_clear = std::none_of(domain.kinks.begin(), domain.kinks.end(),
                                       [&](double kink) { return std::fabs(value - kink) < 2 * kApart; });
    if (is_clear) values.push_back(value);
  }
  for (size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[static_cast<size_t>(draws.below(static_cast<int64_t>(i)))]);
  values.resize(static_cast<size_t>(count));
  return values;
}

std::vector<double> whole_numbers(int64_t count, int64_t limit, Draws& draws) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(draws.below(limit)));
  return values;
}

}  // namespace

uint64_t Draws::bits() {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;
  return state_ >> 11;
}
double Draws::uniform(double low, double high) { return low + (high - low) * (static_cast<double>(bits()) / 9007199254740992.0); }
int64_t Draws::below(int64_t limit) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(limit)); }

std::vector<OpCase> cases_of(const OpRow& row) {
  static const std::map<std::string, std::vector<OpCase>> by_hand = make_cases();
  const auto found = by_hand.find(row.name);
  if (found != by_hand.end()) return found->second;
  return row.family == OpFamily::pointwise ? pointwise_cases(row) : std::vector<OpCase>{};
}

std::string describe(const OpRow& row, const OpCase& op_case) {
  std::string text = row.name + "(";
  for (const TensorType& type : op_case.inputs) text += to_string(type) + ", ";
  return text + std::to_string(op_case.attributes.size()) + " attributes)";
}

OpGraph build(const OpRow& row, const OpCase& op_case) {
  OpGraph made;
  GraphBuilder b(made.graph);
  for (size_t i = 0; i < op_case.inputs.size(); ++i) {
    const TensorType& type = op_case.inputs[i];
    const std::string name = "x" + std::to_string(i);
    made.leaves.push_back(type.batched ? b.input(name, type) : b.parameter(name, type, {}));
  }
  made.node = b.op(row.name, made.leaves, op_case.attributes);
  made.graph.results.push_back({"y", made.node});
  return made;
}

Environment sample(const OpRow& row, const OpCase& op_case, uint64_t seed) {
  Environment environment;
  environment.rows = kCaseRows;
  environment.seed = 11;
  environment.update = 5;
  Draws draws(seed);
  for (size_t i = 0; i < op_case.inputs.size(); ++i) {
    const TensorType& type = op_case.inputs[i];
    std::vector<double> values;
    if (type.dtype == DType::boolean) {
      values = whole_numbers(total(type), 2, draws);
    } else if (!is_floating(type.dtype)) {
      values = whole_numbers(total(type), type.classes > 0 ? type.classes : 200, draws);
    } else {
      values = spread_values(domain_of(row, i), total(type), i, op_case.inputs.size(), draws);
    }
    (type.batched ? environment.inputs : environment.parameters)["x" + std::to_string(i)] = std::move(values);
  }
  return environment;
}

}  // namespace netc::test
