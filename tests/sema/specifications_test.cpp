// What data, train and plan become, and the graph of a whole train.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/layers/initializers.h"
#include "compiler/layers/layer.h"
#include "compiler/layers/losses.h"
#include "compiler/layers/training_tables.h"
#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// `total` instead of `per tower`, which plans of unequal shares refuse.
std::string replaced_batch(std::string text) {
  const std::string from = "128 per tower";
  return text.replace(text.find(from), from.size(), "128 total");
}

TEST(Specifications, OfTheSeedNet) {
  const Analyzed analyzed = analyze_file(cases("examples/mnist_mlp.net"));
  ASSERT_TRUE(analyzed.analysis.complete) << analyzed.messages();
  const TrainSpec& train = analyzed.analysis.train;
  EXPECT_EQ(train.name, "mnist_mlp");
  EXPECT_EQ(train.net, "mlp");
  EXPECT_EQ(train.batch, 128);
  EXPECT_EQ(train.batch_scope, BatchScope::per_tower);
  EXPECT_EQ(train.epochs, 20);
  EXPECT_FALSE(train.steps);
  EXPECT_EQ(train.seed, 1u);
  EXPECT_EQ(train.optimizer.name, "rmsprop");
  EXPECT_THAT(train.optimizer.arguments,
              ElementsAre(Pair("lr", 0.001), Pair("rho", 0.9), Pair("momentum", 0), Pair("eps", 1e-8), Pair("centered", 0), Pair("l2", 0),
                          Pair("weight_decay", 0), Pair("decay_all", 0)));
  EXPECT_THAT(train.metrics, ElementsAre("accuracy"));
  EXPECT_THAT(train.metric_kinds, ElementsAre("accuracy"));
  EXPECT_THAT(train.inputs, ElementsAre(Pair("image", "image"), Pair("label", "label")));
  EXPECT_FALSE(train.validate);

  const DataSpec& data = analyzed.analysis.data;
  ASSERT_EQ(data.splits.size(), 2u);
  EXPECT_EQ(data.splits[0].reader, "idx");
  EXPECT_THAT(data.splits[0].files, ElementsAre(Pair("image", "train-images-idx3-ubyte"), Pair("label", "train-labels-idx1-ubyte")));
  ASSERT_EQ(data.fields.size(), 2u);
  EXPECT_EQ(to_string(data.fields[0].raw), "u8[B, 28, 28, 1]");
  EXPECT_EQ(to_string(data.fields[0].type), "f32[B, 28, 28, 1]");
  EXPECT_EQ(data.fields[0].transforms[0].name, "to_float");
  EXPECT_DOUBLE_EQ(data.fields[0].transforms[0].arguments[0].second[0], 1.0 / 255);
  EXPECT_EQ(data.fields[1].type.classes, 10);

  const Plan& plan = analyzed.analysis.plan;
  ASSERT_EQ(plan.towers.size(), 1u);
  EXPECT_EQ(plan.towers[0].device.kind, DeviceKind::gpu);
  EXPECT_TRUE(plan.towers[0].all);
  EXPECT_EQ(plan.sync, SyncKind::allreduce);

  const Graph& graph = analyzed.analysis.graph;
  EXPECT_THAT(verify(graph), ElementsAre());
  std::vector<std::string> results, inputs;
  for (const Result& result : graph.results) results.push_back(result.name + " " + to_string(graph[result.node].type));
  EXPECT_THAT(results, ElementsAre("loss.total f32", "metric.accuracy f32", "logits f32[B, 10]", "probs f32[B, 10]"));
  for (const Node& node : graph.nodes)
    if (node.op == "input") inputs.push_back(node.name + " " + to_string(node.type));
  EXPECT_THAT(inputs, ElementsAre("image u8[B, 28, 28, 1]", "label class(10)[B]"));
}

TEST(Specifications, NamedLossesAndWeightedSums) {
  const Analyzed analyzed = analyze_file(cases("examples/autoencoder.net"));
  ASSERT_TRUE(analyzed.analysis.complete) << analyzed.messages();
  EXPECT_THAT(analyzed.analysis.train.losses, ElementsAre("rebuild", "classify"));
  EXPECT_THAT(analyzed.analysis.train.inputs, ElementsAre(Pair("image", "image"), Pair("label", "label")));   // image once, for both
  std::vector<std::string> results;
  for (const Result& result : analyzed.analysis.graph.results) results.push_back(result.name);
  EXPECT_THAT(results, ElementsAre("loss.total", "loss.rebuild", "loss.classify", "metric.accuracy", "metric.rebuild_mse", "picture", "digit",
                                   "pixels"));
}

TEST(Specifications, TrainFieldsOfTheExamples) {
  const Analyzed cifar = analyze_file(cases("examples/cifar10_cnn.net"), [] {
    AnalyzeOptions o;
    o.plan = "laptop";
    return o;
  }());
  const TrainSpec& train = cifar.analysis.train;
  EXPECT_EQ(train.schedule.kind, "cosine");
  EXPECT_EQ(train.schedule.warmup, (Progress{3, true}));
  ASSERT_TRUE(train.early_stop);
  EXPECT_EQ(train.early_stop->monitor, "validation.accuracy");
  EXPECT_TRUE(train.early_stop->higher_is_better);
  EXPECT_TRUE(train.early_stop->restore_best);
  EXPECT_EQ(train.early_stop->patience, (Progress{8, true}));
  EXPECT_EQ(train.validate, (Progress{1, true}));
  EXPECT_EQ(cifar.analysis.data.splits[1].take_from, "train");
  EXPECT_EQ(cifar.analysis.data.splits[1].take_count, 5000);
  EXPECT_EQ(cifar.analysis.data.splits[1].seed, 1);

  AnalyzeOptions one;
  one.plan = "one_gpu";
  const TrainSpec gpt = analyze_file(cases("examples/small_gpt.net"), one).analysis.train;
  EXPECT_EQ(gpt.clip.kind, ClipSpec::Kind::global_norm);
  EXPECT_EQ(gpt.clip.limit, 1.0);
  EXPECT_EQ(gpt.steps, 5000);
  EXPECT_EQ(gpt.validate, (Progress{250, false}));
  EXPECT_EQ(gpt.schedule.to, 0.1);

  const Analyzed tabular = analyze_file(cases("examples/tabular.net"));
  EXPECT_EQ(tabular.analysis.data.splits[0].part, (Part{0, 0.8}));
  EXPECT_EQ(tabular.analysis.data.splits[0].shuffle, 5);
  EXPECT_EQ(tabular.analysis.data.fields[0].columns.size(), 6u);
  EXPECT_FALSE(tabular.analysis.train.early_stop->higher_is_better);
}

TEST(Specifications, Plans) {
  const std::string text = read_text(cases("examples/plans.net")) + read_text(cases("examples/mnist_mlp.net")).substr(10);
  const auto plan = [&](const std::string& name) {
    AnalyzeOptions options;
    options.plan = name;
    const Analyzed analyzed = analyze_text(replaced_batch(text), options);
    EXPECT_TRUE(analyzed.analysis.complete) << analyzed.messages();
    return analyzed.analysis.plan;
  };
  EXPECT_EQ(plan("replicated").bucket_bytes, 25 * 1024 * 1024);
  const Plan server = plan("server_on_cpu");
  EXPECT_EQ(server.sync, SyncKind::parameter_server);
  EXPECT_EQ(server.server, (Device{DeviceKind::cpu, 0}));
  EXPECT_EQ(plan("fast_and_slow").towers[0].share, 3);
  EXPECT_TRUE(plan("measured_shares").towers[2].share_auto);
  EXPECT_EQ(plan("accumulate_8").accumulate, 8);
  const Plan hosts = plan("four_hosts");
  EXPECT_EQ(hosts.hosts, 4);
  EXPECT_EQ(hosts.precision, Precision::mixed_bf16);
  EXPECT_EQ(hosts.timeout_seconds, 600);
  EXPECT_EQ(plan("local_sgd").average_every, 16);
  const Plan careful = plan("careful");
  EXPECT_TRUE(careful.deterministic && careful.batch_norm_synchronized && !careful.last_batch_drop);
  EXPECT_EQ(careful.memory_bytes_per_tower, int64_t{20} << 30);
  EXPECT_EQ(plan("cpu_only").towers[0].threads, 8);
}

TEST(Specifications, WithoutAPlanEveryGpuOrTheProcessor) {
  const std::string text = "data d { train: synthetic(kind: linear, samples: 8)  field x: f32[8]  field y: f32[2] }\n"
                           "net n { input x: f32[8]  output o = x |> dense(2) }\n"
                           "train a { net: n  data: d  loss: mse(o, y)  optimizer: adam  batch: 2 total  epochs: 1 }\n";
  const Plan plan = analyze_text(text).analysis.plan;
  EXPECT_TRUE(plan.towers_auto);
  EXPECT_EQ(plan.name, "");
  AnalyzeOptions two;
  two.towers = {{DeviceKind::cpu, 0}, {DeviceKind::cpu, 1}};
  const Plan chosen = analyze_text(text + "plan one { towers: cpu:0  sync: none }", two).analysis.plan;
  ASSERT_EQ(chosen.towers.size(), 2u);
  EXPECT_EQ(chosen.sync, SyncKind::allreduce);   // `none` was right for one tower only
}

TEST(Specifications, FrozenWeightsAreNotTrained) {
  const Analyzed analyzed = analyze_text(
      "data d { train: synthetic(kind: linear, samples: 8)  field x: f32[8]  field y: f32[2] }\n"
      "net n { input x: f32[8]  output o = x |> dense(4) as base |> relu |> dense(2) as head }\n"
      "train a { net: n  data: d  loss: mse(o, y)  optimizer: adam  batch: 2 total  epochs: 1  freeze: [\"base.*\"] }\n");
  ASSERT_TRUE(analyzed.analysis.complete) << analyzed.messages();
  for (const Parameter& parameter : analyzed.analysis.graph.parameters)
    EXPECT_EQ(parameter.trainable, parameter.path.rfind("head", 0) == 0) << parameter.path;
}

// Every row of every table: its defaults are values of its kinds, its signature and reference print.
TEST(Tables, DefaultsFitTheirKinds) {
  const auto check = [](const Signature& row) {
    const Arguments arguments(row);
    for (const ParameterRow& parameter : row.parameters)
      EXPECT_EQ(parameter.required, parameter.fallback.empty()) << row.name << " " << parameter.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_NE(layer_reference(row.name).find(to_text(row)), std::string::npos) << row.name;
    EXPECT_NE(layer_reference().find("  " + row.name + " "), std::string::npos) << row.name;
  };
  for (const LayerRow& row : layer_table()) check(row);
  for (const LayerRow& row : loss_table()) check(row);
  for (const LayerRow& row : metric_table()) check(row);
  for (const Signature& row : optimizer_table()) check(row);
  for (const Signature& row : schedule_table()) check(row);
  for (const Signature& row : reader_table()) check(row);
  for (const Signature& row : transform_table()) check(row);
  for (const Signature& row : initializer_table()) check(row);
  EXPECT_EQ(layer_reference("no_such_layer"), "");
}

TEST(Tables, ReferenceOfALayer) {
  EXPECT_EQ(layer_reference("embedding"),
            "embedding(vocab, dim, init = uniform(-0.05, 0.05), padding_id = none)\n"
            "  layer: A table of vectors, looked up by id.\n"
            "  shape of a sample: class(vocab)[...] -> f32[..., dim]\n"
            "    vocab       a whole number, required\n"
            "    dim         a whole number, required\n"
            "    init        an initialiser, default uniform(-0.05, 0.05)\n"
            "    padding_id  a whole number, default none; an id whose vector stays zero\n");
}

}  // namespace
}  // namespace netc::test
