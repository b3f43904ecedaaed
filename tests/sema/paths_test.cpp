// Names of weights: `as` names, counters, repeats, blocks, shared instances, tying.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

using ::testing::ElementsAre;

// A net over x: f32[8] with that body and output `o`, without a train.
Analyzed net(const std::string& body, const std::string& before = "") {
  return analyze_text(before + "net n {\n  input x: f32[8]\n" + body + "\n}\n" +
                      "data d { train: synthetic(kind: linear, samples: 8)  field x: f32[8]  field y: f32[8] }\n"
                      "train t { net: n  data: d  loss: mse(o, y)  optimizer: sgd(lr: 0.1)  batch: 2 total  epochs: 1 }\n");
}

std::vector<std::string> paths(const Analyzed& analyzed) {
  std::vector<std::string> result;
  for (const Parameter& parameter : analyzed.analysis.graph.parameters) result.push_back(parameter.path);
  EXPECT_FALSE(analyzed.diagnostics->has_errors()) << analyzed.messages();
  return result;
}

TEST(Paths, AsNamesAndCountersOfEachKind) {
  EXPECT_THAT(paths(net("output o = x |> dense(4) |> relu |> dense(4) as mid |> dense(8) |> layer_norm")),
              ElementsAre("dense1.weight", "dense1.bias", "mid.weight", "mid.bias", "dense2.weight", "dense2.bias",
                          "layer_norm1.weight", "layer_norm1.bias"));
}

TEST(Paths, AnInsertedLayerRenamesNoOther) {
  const auto without = paths(net("output o = x |> dense(4) |> dense(8)"));
  const auto with = paths(net("output o = x |> dense(4) |> dropout(10%) |> relu |> dense(8)"));
  EXPECT_EQ(without, with);
}

TEST(Paths, BlocksAndRepeatsAreFolders) {
  EXPECT_THAT(paths(net("output o = x |> repeat 2 { dense(8, bias: false) |> relu } as body |> unit(8) |> unit(8) as last",
                        "block unit(x: tensor, n: int) { return x |> dense(n, bias: false) as inner }\n")),
              ElementsAre("body.0.dense1.weight", "body.1.dense1.weight", "unit1.inner.weight", "last.inner.weight"));
}

TEST(Paths, RepeatForms) {
  EXPECT_THAT(paths(net("output o = x |> repeat i in 1 ..< 3 { dense(4 * i, bias: false) } |> dense(8, bias: false)")),
              ElementsAre("repeat1.0.dense1.weight", "repeat1.1.dense1.weight", "dense1.weight"));
  EXPECT_THAT(paths(net("output o = x |> repeat (n, b) in [(4, true), (8, false)] { dense(n, bias: b) } as r")),
              ElementsAre("r.0.dense1.weight", "r.0.dense1.bias", "r.1.dense1.weight"));
  EXPECT_THAT(paths(net("output o = x |> repeat 0 { dense(4) } |> dense(8, bias: false)")), ElementsAre("dense1.weight"));
}

TEST(Paths, RepeatSharedUsesOneSetOfWeights) {
  const Analyzed analyzed = net("output o = x |> repeat shared 3 { dense(8) |> relu |> dropout(10%) } as loop");
  EXPECT_THAT(paths(analyzed), ElementsAre("loop.dense1.weight", "loop.dense1.bias"));
  int products = 0;
  std::set<int64_t> streams;   // weights are shared, noise is not
  for (const Node& node : analyzed.analysis.graph.nodes) {
    products += node.op == "matmul";
    if (node.op == "dropout") streams.insert(std::get<int64_t>(node.attributes.at("stream")));
  }
  EXPECT_EQ(products, 3);
  EXPECT_EQ(streams.size(), 3u);
}

TEST(Paths, SharedInstancesOfLayersAndBlocks) {
  const Analyzed analyzed = net(
      "shared u = unit(n: 8)\n shared d = dense(8)\n let a = x |> u |> d\n let b = x |> relu |> u |> d\n output o = a + b",
      "block unit(x: tensor, n: int) { return x |> dense(n) |> relu |> dense(n) }\n");
  EXPECT_THAT(paths(analyzed), ElementsAre("u.dense1.weight", "u.dense1.bias", "u.dense2.weight", "u.dense2.bias", "d.weight",
                                           "d.bias"));
  EXPECT_TRUE(analyzed.diagnostics->empty()) << analyzed.messages();
}

TEST(Paths, TiedWeightsAreOneParameter) {
  const Analyzed analyzed = net("let h = x |> dense(3, bias: false) as up\n"
                                "output o = h |> dense(8, weight: transpose(up.weight), bias: false)");
  EXPECT_THAT(paths(analyzed), ElementsAre("up.weight"));
  const Graph& graph = analyzed.analysis.graph;
  const Node& last = graph[graph.results.back().node];
  EXPECT_EQ(last.op, "matmul");
  EXPECT_TRUE(std::get<bool>(last.attributes.at("transpose_weight")));
}

TEST(Paths, WeightsOfInnerLayersCanBeTied) {
  EXPECT_THAT(paths(net("let h = x |> unit(4) as enc\n output o = h |> dense(8, weight: transpose(enc.first.weight), bias: false)",
                        "block unit(x: tensor, n: int) { return x |> dense(n, bias: false) as first }\n")),
              ElementsAre("enc.first.weight"));
}

TEST(Paths, ANetIsABlockInAnotherNet) {
  EXPECT_THAT(paths(net("let f = x |> backbone(width: 4) as b\n output o = f.features |> dense(8, bias: false)",
                        "net backbone(width: int) { input y: f32[8]\n let h = y |> dense(width) as fc\n output features = relu(h)\n"
                        " output other = h }\n")),
              ElementsAre("b.fc.weight", "b.fc.bias", "dense1.weight"));
}

TEST(Paths, StatisticsOfStandardizedFieldsAreNotTrained) {
  const Analyzed analyzed = analyze_text(
      "data d { train: csv(\"a.csv\")  field x: f32[3] from [\"a\", \"b\", \"c\"] |> standardize  field y: f32 |> standardize }\n"
      "net n { input x: f32[3]  output o = x |> dense(1) |> squeeze }\n"
      "train t { net: n  data: d  loss: mse(o, y)  optimizer: sgd(lr: 0.1)  batch: 2 total  epochs: 1 }\n");
  EXPECT_THAT(paths(analyzed), ElementsAre("data.x.mean", "data.x.std", "dense1.weight", "dense1.bias", "data.y.mean", "data.y.std"));
  for (const Parameter& parameter : analyzed.analysis.graph.parameters)
    EXPECT_EQ(parameter.trainable, parameter.path.rfind("data.", 0) != 0) << parameter.path;
  EXPECT_EQ(analyzed.analysis.tables[0].weights, 4);
}

TEST(Paths, InitialValuesAreThoseOfTheLanguagePage) {
  const Analyzed analyzed = net(
      "let e = x |> dense(24)\n let f = x |> dense(24, init: he_normal, bias_init: constant(0.5))\n"
      "let g = x |> dense(24, init: normal(std: 0.02), bias: false)\n let h = x |> dense(24, init: uniform(-1, 2), bias: false)\n"
      "output o = (e + f + g + h) |> dense(8, init: lecun_normal, bias_init: ones)");
  ASSERT_FALSE(analyzed.diagnostics->has_errors()) << analyzed.messages();
  const auto& p = analyzed.analysis.graph.parameters;
  using Kind = Initializer::Kind;
  const double glorot = std::sqrt(6.0 / (8 + 24)), truncated = 0.87962566103423978;
  EXPECT_EQ(p[0].init, (Initializer{Kind::uniform, -glorot, glorot, false}));
  EXPECT_EQ(p[1].init, (Initializer{Kind::zeros, 0, 0, false}));
  EXPECT_EQ(p[2].init, (Initializer{Kind::normal, 0, std::sqrt(2.0 / 8) / truncated, true}));
  EXPECT_EQ(p[3].init, (Initializer{Kind::constant, 0.5, 0, false}));
  EXPECT_EQ(p[4].init, (Initializer{Kind::normal, 0, 0.02, false}));
  EXPECT_EQ(p[5].init, (Initializer{Kind::uniform, -1, 2, false}));
  EXPECT_EQ(p[6].init, (Initializer{Kind::normal, 0, std::sqrt(1.0 / 24) / truncated, true}));
  EXPECT_EQ(p[7].init, (Initializer{Kind::ones, 0, 0, false}));
}

}  // namespace
}  // namespace netc::test
