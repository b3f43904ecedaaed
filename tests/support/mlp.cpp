#include "tests/support/mlp.h"

namespace netc::test {

namespace {

NodeId dense(GraphBuilder& b, NodeId x, int64_t units, const std::string& name) {
  b.named(name);
  const int64_t width = b.type(x).shape.back();
  const Initializer normal{Initializer::Kind::normal, 0, 0.1, false};
  const NodeId w = b.parameter(name + ".weight", {DType::f32, {width, units}}, normal);
  const NodeId bias = b.parameter(name + ".bias", {DType::f32, {units}}, {});
  const NodeId y = b.op("matmul", {x, w}, {{"transpose_weight", false}});
  return b.add(y, b.expand_like(bias, y, {static_cast<int64_t>(b.type(y).shape.size()) - 1}));
}

}  // namespace

Graph mlp(const NetOptions& options) {
  Graph graph;
  GraphBuilder b(graph);
  const DType raw = options.raw_bytes ? DType::u8 : DType::f32;
  NodeId h = b.input("image", {raw, {options.widths.front(), 1}, true});
  const NodeId label = b.input("label", {DType::i32, {}, true, options.widths.back()});
  if (options.raw_bytes) h = b.named("image").mul(b.op("cast", {h}, {{"dtype", std::string("f32")}}), b.constant(1 / 255.0));
  h = b.named("flatten").op("reshape", {h}, {{"shape", std::vector<int64_t>{options.widths.front()}}});
  for (size_t i = 1; i + 1 < options.widths.size(); ++i) {
    h = dense(b, h, options.widths[i], "fc" + std::to_string(i));
    h = b.named("relu" + std::to_string(i)).op("relu", {h});
    if (options.dropout > 0)
      h = b.named("dropout" + std::to_string(i)).op("dropout", {h}, {{"rate", options.dropout}, {"stream", static_cast<int64_t>(i)}});
  }
  const NodeId logits = dense(b, h, options.widths.back(), "head");
  const NodeId probs = b.named("softmax").op("softmax", {logits});
  b.named("loss");
  const NodeId loss = b.batch_sum(b.op("cross_entropy_classes", {logits, label}, {{"label_smoothing", 0.0}}));
  // accuracy: one less than one row's rank of the right class
  b.named("accuracy");
  const NodeId hot = b.op("one_hot", {label}, {{"classes", options.widths.back()}});
  const NodeId right = b.reduce_sum(b.mul(hot, logits), {0});
  const NodeId above = b.op("gt", {logits, b.expand_like(right, logits, {})});
  const NodeId rank = b.reduce_sum(b.op("select", {above, b.expand_like(b.constant(1), logits, {}), b.expand_like(b.constant(0), logits, {})}), {0});
  const NodeId correct = b.op("cast", {b.op("lt", {rank, b.constant(0.5)})}, {{"dtype", std::string("f32")}});
  const NodeId accuracy = b.batch_sum(correct);
  graph.results = {{"loss.total", loss}, {"metric.accuracy", accuracy}, {"logits", logits}, {"probs", probs}};
  return graph;
}

}  // namespace netc::test
