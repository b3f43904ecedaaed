#include "tests/ops/random_graph.h"

#include <algorithm>

#include "compiler/ops/op.h"
#include "tests/ops/op_cases.h"

namespace netc::test {

namespace {

class Maker {
 public:
  Maker(Graph& graph, uint64_t seed) : b_(graph), draws_(seed) {
    pool_ = {b_.input("x", {DType::f32, {2, 3}, true, 0}), b_.input("v", {DType::f32, {6}, true, 0}),
             b_.op("cast", {b_.input("raw", {DType::u8, {2, 3}, true, 0})}, {{"dtype", std::string("f32")}}),
             b_.parameter("w", {DType::f32, {6}, false, 0}, {}), b_.scalar("learning_rate"),
             b_.scalar("inverse_batch")};
    matrix_ = b_.parameter("m", {DType::f32, {6, 6}, false, 0}, {});
    pool_[2] = b_.mul(pool_[2], b_.constant(1.0 / 255));
  }

  void add() { pool_.push_back(bounded(make())); }

 private:
  NodeId any() { return pool_[static_cast<size_t>(draws_.below(static_cast<int64_t>(pool_.size())))]; }

  // Something that fits beside `a` in a pointwise op.
  NodeId partner(NodeId a) {
    for (int tries = 0; tries < 8; ++tries) {
      const NodeId other = any();
      if (b_.type(other) == b_.type(a) || is_scalar(b_.type(other))) return other;
    }
    return constant();
  }

  NodeId constant() {
    static constexpr double kValues[] = {0, 1, -1, 0.5, 2};
    return b_.constant(kValues[draws_.below(5)]);
  }

  NodeId bounded(NodeId id) {   // keeps products of products from growing
    return draws_.below(3) == 0 ? b_.op("tanh", {id}) : id;
  }

  NodeId make() {
    const NodeId a = any();
    switch (draws_.below(14)) {
      case 0: return b_.add(a, draws_.below(3) == 0 ? b_.constant(0) : partner(a));
      case 1: return b_.sub(a, partner(a));
      case 2: return b_.mul(a, draws_.below(3) == 0 ? b_.constant(1) : b_.op("tanh", {partner(a)}));
      case 3: return b_.neg(a);
      case 4: return b_.op("max", {a, partner(a)});
      case 5: return reshaped(a);
      case 6: return expanded(a);
      case 7: return reduced(a);
      case 8: return b_.op("softmax", {with_axis(a)});
      case 9: return product(a);
      case 10: return relu_dropout(a);
      case 11: return b_.op("select", {b_.op("gt", {a, constant()}), a, partner(a)});
      case 12: return transposed(a);
      default: return b_.add(constant(), b_.mul(constant(), constant()));
    }
  }

  NodeId with_axis(NodeId a) {
    return b_.type(a).shape.empty() ? b_.op("expand", {a}, expansion({6}, b_.type(a).batched)) : a;
  }

  static Attributes expansion(Shape shape, bool batched) {
    return {{"axes", std::vector<int64_t>{}}, {"shape", std::move(shape)}, {"batched", batched}};
  }

  NodeId reshaped(NodeId a) {
    const Shape shape = element_count(b_.type(a).shape) != 6 ? b_.type(a).shape : draws_.below(2) == 0 ? Shape{6} : Shape{3, 2};
    return b_.op("reshape", {a}, {{"shape", shape}});
  }

  NodeId expanded(NodeId a) {
    const TensorType& type = b_.type(a);
    if (type.shape.empty()) return b_.op("expand", {a}, expansion({6}, type.batched || draws_.below(2) == 0));
    std::vector<int64_t> axes;
    for (size_t i = 0; i < type.shape.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    return b_.op("expand", {a}, {{"axes", axes}, {"shape", type.shape}, {"batched", true}});
  }

  NodeId reduced(NodeId a) {
    const bool batch = b_.type(a).batched && draws_.below(3) == 0;
    std::vector<int64_t> axes;
    for (size_t i = 0; i < b_.type(a).shape.size(); ++i)
      if (draws_.below(2) == 0) axes.push_back(static_cast<int64_t>(i));
    return b_.op("reduce_sum", {b_.mul(a, b_.constant(0.25))}, {{"axes", axes}, {"batch", batch}});
  }

  NodeId product(NodeId a) {
    if (b_.type(a).shape != Shape{6}) return b_.op("exp", {b_.op("tanh", {a})});
    return b_.op("matmul", {a, matrix_}, {{"transpose_weight", draws_.below(2) == 0}});
  }

  NodeId transposed(NodeId a) {
    if (b_.type(a).shape.size() != 2) return b_.op("sigmoid", {a});
    return b_.op("transpose", {a}, {{"order", std::vector<int64_t>{1, 0}}});
  }

  // Forward and backward of relu and dropout, as differentiate writes them.
  NodeId relu_dropout(NodeId a) {
    const Attributes drop{{"rate", 0.25}, {"stream", draws_.below(4)}};
    const NodeId y = b_.op("relu", {a});
    const NodeId kept = b_.op("dropout", {y}, drop);
    pool_.push_back(kept);
    const NodeId g = b_.mul(kept, constant());
    return b_.op("relu_grad", {y, b_.op("dropout", {g}, drop)});
  }

  GraphBuilder b_;
  Draws draws_;
  std::vector<NodeId> pool_;
  NodeId matrix_ = kNoNode;

 public:
  const std::vector<NodeId>& pool() const { return pool_; }
};

}  // namespace

Graph random_graph(uint64_t seed, int size) {
  Graph graph;
  Maker maker(graph, seed);
  for (int i = 0; i < size; ++i) maker.add();
  for (size_t i = 0; i < 6; ++i)
    graph.results.push_back({"r" + std::to_string(i), maker.pool()[maker.pool().size() - 1 - i]});
  return graph;
}

}  // namespace netc::test
