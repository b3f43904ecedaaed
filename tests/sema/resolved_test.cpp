// The resolved file says the same as the file it came from, and stands alone.
#include <gtest/gtest.h>

#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

// Equal but for places in the source, which the resolved text has of its own.
Graph without_spans(Graph graph) {
  for (Node& node : graph.nodes) node.span = {};
  for (Parameter& parameter : graph.parameters) parameter.span = {};
  return graph;
}

void expect_same(const Analyzed& original, const std::string& name) {
  ASSERT_TRUE(original.analysis.complete) << name << "\n" << original.messages();
  AnalyzeOptions again;
  again.resolve = true;
  const Analyzed resolved = analyze_text(original.analysis.resolved, again);
  ASSERT_TRUE(resolved.analysis.complete) << name << "\n" << resolved.messages() << original.analysis.resolved;
  EXPECT_EQ(without_spans(resolved.analysis.graph), without_spans(original.analysis.graph)) << name << "\n" << original.analysis.resolved;
  const TrainSpec &a = original.analysis.train, &b = resolved.analysis.train;
  EXPECT_EQ(a.optimizer.arguments, b.optimizer.arguments);
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.batch_scope, b.batch_scope);
  EXPECT_EQ(a.epochs, b.epochs);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.schedule.kind, b.schedule.kind);
  EXPECT_EQ(original.analysis.plan.towers.size(), resolved.analysis.plan.towers.size());
  EXPECT_EQ(original.analysis.plan.sync, resolved.analysis.plan.sync);
  EXPECT_EQ(original.analysis.plan.bucket_bytes, resolved.analysis.plan.bucket_bytes);
  EXPECT_EQ(resolved.analysis.resolved, original.analysis.resolved) << "resolving twice changes something";
}

AnalyzeOptions options(std::string train = "", std::string plan = "") {
  AnalyzeOptions result;
  result.train = std::move(train);
  result.plan = std::move(plan);
  result.resolve = true;
  return result;
}

TEST(Resolved, ExamplesGiveTheSameAnalysisAgain) {
  const std::pair<const char*, AnalyzeOptions> files[] = {
      {"mnist_mlp", options()},         {"batch_forms", options("fixed_update", "four")}, {"cifar10_cnn", options("", "laptop")},
      {"autoencoder", options()},       {"resnet", options("cifar10_resnet20", "one_gpu")}, {"resnet", options("imagenet_resnet50", "eight_gpus")},
      {"siamese", options()},           {"small_gpt", options("", "one_gpu")},             {"tabular", options()},
      {"tcn", options()},               {"text_transformer", options()},
  };
  for (const auto& [file, with] : files) expect_same(analyze_file(cases(std::string("examples/") + file + ".net"), with), file);
}

TEST(Resolved, HoldsValuesFromOutside) {
  AnalyzeOptions with = options();
  with.params = {{"hidden", "96"}};
  with.towers = {{DeviceKind::cpu, 0}, {DeviceKind::cpu, 1}};
  const Analyzed analyzed = analyze_file(cases("examples/mnist_mlp.net"), with);
  EXPECT_EQ(analyzed.analysis.graph.parameters[0].type.shape, (Shape{784, 96})) << analyzed.messages();
  expect_same(analyzed, "mnist_mlp");
  EXPECT_NE(analyzed.analysis.resolved.find("param hidden: int = 96"), std::string::npos) << analyzed.analysis.resolved;
  EXPECT_NE(analyzed.analysis.resolved.find("[cpu:0, cpu:1]"), std::string::npos) << analyzed.analysis.resolved;
}

TEST(Resolved, NamesOfDifferentFilesDoNotClash) {
  const std::string root =
      "use \"a.net\" as a\nconst width = 4\n"
      "block unit(x: tensor) { return x |> dense(width) |> relu }\n"
      "net n { input x: f32[8]  output o = x |> unit as first |> a.unit(a.depth) as second }\n"
      "data d { train: synthetic(kind: linear, samples: 8)  field x: f32[8]  field y: f32[3] }\n"
      "train t { net: n  data: d  loss: mse(o, y)  optimizer: sgd(lr: 0.1)  batch: 2 total  epochs: 1 }\n";
  const std::string used = "const width = 3\nconst depth = 2\nblock unit(x: tensor, n: int) { return x |> repeat n { dense(width) } }\n";
  const Analyzed analyzed = analyze_text(root, options(), {{"a.net", used}});
  expect_same(analyzed, "clash");
}

}  // namespace
}  // namespace netc::test
