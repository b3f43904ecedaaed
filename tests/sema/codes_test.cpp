// Every code of the analysis has a small file that gives it, once, at its line.
#include <gtest/gtest.h>

#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

struct Small {
  const char* text;
  const char* codes;
};

AnalyzeOptions check() {
  AnalyzeOptions options;
  options.every_train = true;
  return options;
}

void expect_codes(const std::string& text, const std::string& codes) {
  const Analyzed analyzed = analyze_text(text, check());
  EXPECT_EQ(analyzed.codes(), codes) << text << "\n" << analyzed.messages();
}

class Codes : public ::testing::TestWithParam<Small> {};

// The body of a net over x: f32[8], id: class(5)[4], img: f32[8, 8, 4], u: u8[3]; it stands on line 2.
class InNet : public Codes {};
TEST_P(InNet, GivesItsCode) {
  expect_codes(std::string("net n { input x: f32[8] input id: class(5)[4] input img: f32[8, 8, 4] input u: u8[3]\n") + GetParam().text +
                   "\n}\nblock two(a: f32[T], b: f32[T]) { return a |> dense(2) }\nblock wide(a: tensor, n: int, f: float = 0.5) { return a |> dense(n) |> dropout(f) }\n",
               GetParam().codes);
}
INSTANTIATE_TEST_SUITE_P(
    Names, InNet,
    ::testing::Values(Small{"output o = y |> relu", "N0201@2"}, Small{"output o = x |> relo", "N0202@2"},
                      Small{"output o = x |> Dense(4)", "N0202@2"}, Small{"output o = x |> Linear(4)", "N0202@2"},
                      Small{"output o = x |> mse", "N0202@2"}, Small{"let a = x\nlet a = x\noutput o = a", "N0203@3"},
                      Small{"output o = x |> dense(4) as l |> relu |> dense(4) as l", "N0203@2"},
                      Small{"output o = x |> dense(4) |> relu |> dense(4) as dense1", "N0203@2"},
                      Small{"let (a, b, c) = img |> split(2)\noutput o = a", "N0204@2"},
                      Small{"let h = x |> dense(4) as l\noutput o = x |> dense(4, weight: l.wieght)", "N0205@3"},
                      Small{"let h = x |> dense(4)\noutput o = x |> dense(4, weight: h.weight)", "N0205@3"},
                      Small{"let h = x |> repeat 2 { dense(8) as l } |> relu\noutput o = l", "N0206@3"},
                      Small{"let h = x + late\nlet late = x |> relu\noutput o = h", "N0207@2"},
                      Small{"output o = if length(x.shape) == 1 then x else x |> relo", "N0202@2"},
                      Small{"output o = x |> repeat 0 { denser(3) }", "N0202@2"}));
INSTANTIATE_TEST_SUITE_P(
    Arguments, InNet,
    ::testing::Values(Small{"output o = x |> dense(4, use_bias: false)", "N0301@2"}, Small{"output o = x |> wide(4, g: 2)", "N0301@2"},
                      Small{"output o = x |> dense(4.5)", "N0302@2"}, Small{"output o = x |> wide(1 / 2)", "N0302@2"},
                      Small{"output o = img |> conv2d(4, 4, padding: (4 - 1) / 2)", "N0302@2"},
                      Small{"output o = x |> dense(\"4\")", "N0303@2"}, Small{"output o = x |> wide(relu)", "N0303@2"},
                      Small{"output o = img |> conv2d(4, 3, padding: sane)", "N0303@2"},
                      Small{"output o = x |> dense(4) |> dropout(8steps)", "N0303@2"},
                      Small{"output o = x |> dense(4, relu)", "N0305@2"}, Small{"output o = x |> wide(1, 0.5, 3)", "N0305@2"},
                      Small{"output o = x |> dense(4, bias: true, bias: false)", "N0306@2"},
                      Small{"output o = x |> dense(bias: false)", "N0307@2"}, Small{"output o = x |> dense", "N0307@2"},
                      Small{"output o = x |> wide", "N0307@2"}, Small{"output o = x |> leaky_relu", "N0307@2"},
                      Small{"output o = x |> repeat 2 - 3 { relu }", "N0308@2"},
                      Small{"output o = x |> repeat 1_000_000 { relu }", "N0308@2"},
                      Small{"assert x.shape[0] == 9, \"nine\"\noutput o = x", "N0309@2"},
                      Small{"output o = x |> dropout(20)", "N0310@2"}, Small{"output o = x |> dense(0)", "N0310@2"},
                      Small{"output o = x |> dense(9223372036854775807 + 1)", "N0310@2"},
                      Small{"output o = if x then x else x", "N0312@2"}, Small{"output o = x |> dense(8 / 0)", "N0313@2"},
                      Small{"output o = x |> dense(mod(8, 0))", "N0313@2"},
                      Small{"let same = 3\noutput o = img |> conv2d(same, 3, padding: same)", "W1116@3"}));
INSTANTIATE_TEST_SUITE_P(
    Shapes, InNet,
    ::testing::Values(Small{"output o = x + (x |> dense(9))", "N0401@2"}, Small{"output o = euclidean(x, x |> dense(9))", "N0401@2"},
                      Small{"output o = x |> conv2d(4, 3)", "N0402@2"}, Small{"output o = x |> conv1d(4, 3)", "N0402@2"},
                      Small{"output o = img |> conv2d(4, 9)", "N0403@2"}, Small{"output o = img |> max_pool2d(9)", "N0403@2"},
                      Small{"output o = (x, x) |> dense(4)", "N0404@2"}, Small{"output o = x |> euclidean", "N0404@2"},
                      Small{"output o = (x, x, x) |> two", "N0404@2"}, Small{"output o = x |> two", "N0404@2"},
                      Small{"output o = concat(x, u)", "N0405@2"}, Small{"output o = u |> dense(3)", "N0406@2"},
                      Small{"output o = id |> dense(3)", "N0406@2"}, Small{"output o = id + 1", "N0406@2"},
                      Small{"output o = x |> embedding(8, 2)", "N0407@2"}, Small{"output o = x |> one_hot", "N0407@2"},
                      Small{"output o = id |> embedding(4, 2)", "N0408@2"}, Small{"output o = img |> mean(axis: 3)", "N0409@2"},
                      Small{"output o = img |> softmax(axis: -4)", "N0409@2"},
                      Small{"output o = img |> conv2d(4, 3, groups: 3)", "N0410@2"}, Small{"output o = img |> group_norm(3)", "N0410@2"},
                      Small{"output o = x |> dense(7) |> glu", "N0411@2"},
                      Small{"output o = id |> embedding(5, 10) |> self_attention(4)", "N0412@2"},
                      Small{"output o = x |> reshape([3, 3])", "N0413@2"}, Small{"output o = x |> reshape([-1, -1])", "N0413@2"},
                      Small{"output o = img |> squeeze", "N0414@2"}, Small{"output o = concat(img, img |> max_pool2d(2))", "N0415@2"},
                      Small{"output o: f32[9] = x |> dense(8)", "N0416@2"}, Small{"let h: f32[9] = x |> relu\noutput o = h", "N0416@2"},
                      Small{"output o = (x, x |> dense(9)) |> two", "N0417@2"},
                      Small{"output o = x |> dense(1_000_000_000_000)", "N0418@2"}));
INSTANTIATE_TEST_SUITE_P(
    Weights, InNet,
    ::testing::Values(Small{"shared s = x |> dense(4)\noutput o = x", "N0501@2"}, Small{"shared s = 4\noutput o = x", "N0501@2"},
                      Small{"let h = x |> dense(4) as l\noutput o = h |> dense(8, weight: l.weight)", "N0502@3"},
                      Small{"shared s = dense(8)\nlet a = x |> s\nlet b = x |> dense(3) |> s\noutput o = a + b", "N0502@4"},
                      Small{"output o = x |> dense(4, weight: transpose(x))", "N0503@2"},
                      Small{"shared s = dense(8)\nlet h = x |> dense(8, weight: s.weight)\noutput o = h |> s", "N0504@3"}));
INSTANTIATE_TEST_SUITE_P(
    Warnings, InNet,
    ::testing::Values(Small{"shared s = dense(8)\noutput o = x", "W1101@2"}, Small{"shared s = dense(8)\noutput o = x |> s", "W1102@2"},
                      Small{"output o = id |> embedding(6, 2)", "W1103@2"}, Small{"let h = x |> relu\noutput o = x", "W1104@2"},
                      Small{"output o = img |> batch_norm(momentum: 0.1)", "W1105@2"},
                      Small{"output o = img |> conv2d(4, 3, stride: 2, padding: same)", "W1106@2"},
                      Small{"output o = img |> dense(4)", "W1107@2"}, Small{"output o = img |> conv2d(4, 3) |> batch_norm", "W1109@2"},
                      Small{"output o = x |> dense(4) |> dense(4)", "W1110@2"}, Small{"output o = x |> dense(1) |> softmax", "W1111@2"},
                      Small{"output o = x |> dropout(80%)", "W1112@2"},
                      Small{"output o = x |> dropout(80%)   // netc: allow W1112", ""}));

// Whole files.
class InFile : public Codes {};
TEST_P(InFile, GivesItsCode) { expect_codes(GetParam().text, GetParam().codes); }
INSTANTIATE_TEST_SUITE_P(
    Declarations, InFile,
    ::testing::Values(Small{"const a = 1\nparam a: int = 2", "N0203@2"}, Small{"const a = b\nconst b = a", "N0207@1"},
                      Small{"use \"nowhere.net\"", "N0208@1"}, Small{"const a = 1 / 0", "N0313@1"}, Small{"const a = 2 ^ 63", "N0310@1"},
                      Small{"const a = 3steps + 2epochs", "N0303@1"}, Small{"param a: int = 2.5", "N0303@1"},
                      Small{"assert 1 + 1 == 3, \"no\"", "N0309@1"}, Small{"assert 6 / 4 * 4 == 6, \"a literal is a number\"", ""},
                      Small{"block a(x: tensor) { return x |> a }\nnet n { input x: f32[2]  output o = x |> a }", "N0311@1"},
                      Small{"block a(x: tensor) { return x |> b }\nblock b(x: tensor) { return x |> a }\nnet n { input x: f32[2]\n output o = x |> a }", "N0311@2"},
                      Small{"block a(x: tensor) { return x |> relo }", "N0202@1"}, Small{"block a(x: tensor) { return x |> dense(4, b: 1) }", "N0301@1"},
                      Small{"net n { input x: f33[2]  output o = x }", "N0202@1"}, Small{"net n { input x: f32[0]  output o = x }", "N0310@1"},
                      Small{"net n { input x: f32[2] }", "N0307@1"}));

// A train over net n with output o: f32[3] and data d with x: f32[8], c: class(3), y: f32[3].
class InTrain : public Codes {};
TEST_P(InTrain, GivesItsCode) {
  expect_codes(std::string("data d { train: synthetic(kind: blobs, samples: 100) field x: f32[8] field c: class(3) field y: f32[3] }\n"
                           "net n { input x: f32[8] let h = x |> dense(3) output o = h |> relu output p = softmax(h) output y = h output still = x }\n"
                           "train t { net: n  data: d\n") + GetParam().text + "\n}\n", GetParam().codes);
}
#define NETC_REST "  optimizer: adam  batch: 4 total  epochs: 2"
INSTANTIATE_TEST_SUITE_P(
    Losses, InTrain,
    ::testing::Values(Small{"loss: cross_entropy(q, c)" NETC_REST, "N0601@4"}, Small{"loss: cross_entropy(h, c)" NETC_REST, "N0601@4"},
                      Small{"loss: mse(x, data.y)" NETC_REST, "N0602@4"}, Small{"loss: cross_entropy(o, data.y)\nmetrics: { a: accuracy(o, data.x) }" NETC_REST, "N0612@5"},
                      Small{"loss: cross_entropy(p, c)" NETC_REST, "N0603@4"}, Small{"loss: mse(o, y)" NETC_REST, "N0608@4"},
                      Small{"loss: mse(still, data.x)" NETC_REST, "N0607@4"}, Small{"loss: accuracy(o, c)" NETC_REST, "N0202@4"},
                      Small{"loss: cross_entropy(o, c)\nmetrics: { a: acuracy(o, c) }" NETC_REST, "N0202@5"},
                      Small{"loss: mse(p, c)" NETC_REST, "N0406@4"}, Small{"loss: { }" NETC_REST, "N0605@4"},
                      Small{"loss: cross_entropy(o, c) ^ 2" NETC_REST, "N0303@4"}, Small{"loss: 2 * cross_entropy(o, c) + mse(net.y, data.y) / 4" NETC_REST, ""},
                      Small{"loss: { a: cross_entropy(o, c), b: 0.5 * mse(net.y, data.y) }" NETC_REST, ""}));
#define NETC_LOSS "loss: cross_entropy(o, c)  "
INSTANTIATE_TEST_SUITE_P(
    Fields, InTrain,
    ::testing::Values(Small{NETC_LOSS "optimizer: adam  batch: 4 total  epochs: 2  stepss: 3", "N0604@4"},
                      Small{NETC_LOSS "batch: 4 total  epochs: 2", "N0605@3"}, Small{NETC_LOSS "optimizer: adam  batch: 4 total", "N0606@3"},
                      Small{NETC_LOSS "optimizer: adam  batch: 4 total  epochs: 2  steps: 3", "N0606@4"},
                      Small{NETC_LOSS "optimizer: adam  batch: 4  epochs: 2", "N0701@4"},
                      Small{NETC_LOSS "optimizer: adam  batch: 4 per gpu  epochs: 2", "N0701@4"},
                      Small{NETC_LOSS "optimizer: adam  batch: 0 total  epochs: 2", "N0310@4"},
                      Small{NETC_LOSS "optimizer: adam  batch: 4 total  epochs: 2epochs", "N0303@4"},
                      Small{NETC_LOSS "optimizer: sgd  batch: 4 total  epochs: 2", "N0307@4"},
                      Small{NETC_LOSS "optimizer: adams  batch: 4 total  epochs: 2", "N0202@4"},
                      Small{NETC_LOSS "optimizer: adam(lr: -1)  batch: 4 total  epochs: 2", "N0310@4"},
                      Small{NETC_LOSS NETC_REST "  schedule: cosine(warmup: 3)", "N0303@4"}, Small{NETC_LOSS NETC_REST "  schedule: cosine(warmup: 3min)", "N0304@4"},
                      Small{NETC_LOSS NETC_REST "  schedule: cosine(warmup: 3epochs)", "N0611@4"},
                      Small{NETC_LOSS NETC_REST "  schedule: multistep(at: [1epoch, 2epochs])", "N0610@4"},
                      Small{NETC_LOSS NETC_REST "  schedule: multistep(at: [2epochs, 1epoch])", "N0610@4"},
                      Small{NETC_LOSS NETC_REST "  validate: 1epoch", "N0613@4"},
                      Small{NETC_LOSS NETC_REST "  early_stop: { monitor: train.acc, patience: 2epochs, restore: best }", "N0609@4"},
                      Small{NETC_LOSS NETC_REST "  early_stop: { monitor: validation.loss, patience: 2epochs, restore: best }", "N0613@4"},
                      Small{NETC_LOSS NETC_REST "  early_stop: { monitor: train.loss, patience: 2epochs }", "N0605@4"},
                      Small{NETC_LOSS NETC_REST "  freeze: [\"conv*\"]", "N0506@4"}, Small{NETC_LOSS NETC_REST "  clip: global_norm(0)", "N0310@4"},
                      Small{NETC_LOSS NETC_REST "  seed: 2.5", "N0302@4"}, Small{NETC_LOSS NETC_REST "  inputs: { z: x }", "N0601@4"},
                      Small{NETC_LOSS NETC_REST "  inputs: { x: z }", "N0802@4"}));

class InPlan : public Codes {};
TEST_P(InPlan, GivesItsCode) { expect_codes(GetParam().text, GetParam().codes); }
INSTANTIATE_TEST_SUITE_P(
    Plans, InPlan,
    ::testing::Values(Small{"plan p { towers: cpu:0  sync: none  acumulate: 2 }", "N0702@1"}, Small{"plan p { towers: cpu:0 }", "N0703@1"},
                      Small{"plan p { towers: [cpu:0, cpu:1, cpu:0]  sync: allreduce(gradients) }", "N0708@1"},
                      Small{"plan p { towers: [gpu:*, gpu:1]  sync: allreduce(gradients) }", "N0708@1"},
                      Small{"plan p { towers: [cpu:0, cpu:1]  sync: none }", "N0709@1"},
                      Small{"plan p { towers: cpu:0  sync: average(weights, every: 4steps)  batch_norm: synchronized }", "N0712@1"},
                      Small{"plan p { towers: cpu:0  sync: allreduce }", "N0307@1"}, Small{"plan p { towers: cpu:0  sync: allredce(gradients) }", "N0202@1"},
                      Small{"plan p { towers: cpu:0  sync: allreduce(gradients, bucket: 25) }", "N0303@1"},
                      Small{"plan p { towers: cpu:0  sync: allreduce(gradients, bucket: 25min) }", "N0304@1"},
                      Small{"plan p { towers: 4  sync: none }", "N0303@1"}, Small{"plan p { towers: cpu:0  sync: none  precision: f31 }", "N0303@1"},
                      Small{"plan p { towers: cpu:0  sync: none  accumulate: 0 }", "N0310@1"},
                      Small{"plan p { towers: cpu:0  sync: none  memory: 20GiB }", "N0303@1"},
                      Small{"plan p { towers: cpu:0  sync: none  hosts: 2.5 }", "N0302@1"},
                      Small{"plan p { towers: tower(cpu:0, shares: 3)  sync: none }", "N0301@1"},
                      Small{"plan p { towers: auto  sync: allreduce(gradients)  deterministic: true  memory: 2GiB per tower  last_batch: drop }", ""}));

class InData : public Codes {};
TEST_P(InData, GivesItsCode) { expect_codes(std::string("data d {\n") + GetParam().text + "\n}", GetParam().codes); }
INSTANTIATE_TEST_SUITE_P(
    Data, InData,
    ::testing::Values(Small{"field x: f32", "N0307@1"}, Small{"train: csv(\"a\")  valid: csv(\"b\")  field x: f32", "N0801@2"},
                      Small{"train: csv(\"a\")  test: take(valid, 10%)  field x: f32", "N0801@2"},
                      Small{"train: csv(\"a\")  test: take(validation, 10%)  field x: f32", "N0801@2"},
                      Small{"train: csvv(\"a\")  field x: f32", "N0202@2"}, Small{"train: idx(x: \"a\", z: \"b\")  field x: u8[2]", "N0301@2"},
                      Small{"train: idx(x: \"a\")  field x: u8[2]  field y: class(2)", "N0307@2"},
                      Small{"train: csv(\"a\")  test: take(train, 10)  field x: f32", "N0303@2"},
                      Small{"train: csv(\"a\")  test: take(train, 150%)  field x: f32", "N0310@2"},
                      Small{"train: csv(\"a\", part: 0% ..< 80%)  test: csv(\"a\", part: 70% ..< 100%)  field x: f32", "N0810@2"},
                      Small{"train: csv(\"a\", part: 0% ..< 80%)  test: csv(\"a\", part: 90% ..< 100%)  field x: f32", "W1114@2"},
                      Small{"train: csv(\"a\")  field x: f32 |> standardise", "N0202@2"}, Small{"train: csv(\"a\")  field x: u8[2] |> standardize", "N0406@2"},
                      Small{"train: csv(\"a\")  field x: f32[3] |> normalize(mean: [1, 2], std: 1)", "N0303@2"},
                      Small{"train: csv(\"a\")  field x: f32[3] |> normalize(mean: 0, std: 0)", "N0310@2"},
                      Small{"train: csv(\"a\")  field x: string", "N0809@2"}, Small{"train: csv(\"a\")  field x: f32 from 3", "N0303@2"},
                      Small{"train: csv(\"a\")  field x: f32[3] from [\"a\", \"b\"]", "N0204@2"},
                      Small{"train: csv(\"a\")  field x: f32  field x: f32", "N0203@2"},
                      Small{"train: csv(\"a\")  field i: image |> augment(random_crop(32), otherwise: center_crop(28))", "N0806@2"}));

TEST(Codes, OfTrainsThatSayMoreThanOneThing) {
  const auto train = [](const std::string& data, const std::string& net, const std::string& batch) {
    return "data d { train: synthetic(kind: images, samples: 9)  " + data + "  field c: class(3) }\nnet n { " + net +
           " }\ntrain t { net: n  data: d  loss: cross_entropy(o, c)  optimizer: adam  epochs: 1\n  batch: " + batch + "\n}\n";
  };
  const std::string field = "field x: f32[8]", input = "input x: f32[8]  ";
  expect_codes(train(field, input + "output o = x |> dense(3)", "1 total"), "");
  expect_codes(train(field, input + "output o = x |> dense(4, bias: false) |> batch_norm |> dense(3)", "1 total"), "N0711@4");
  expect_codes(train(field, input + "output o = x |> dense(3)  output aux = x |> dense(2)", "4 total"), "W1108@2");
  expect_codes(train(field, input + "let h = x |> dense(4) |> stop_gradient  output o = h |> dense(3)", "4 total"), "W1108@2");
  expect_codes(train(field + "\n  field i: u8[8, 8, 3] |> augment(random_flip(horizontal))", input + "output o = x |> dense(3)", "4 total"),
               "W1115@2");
  expect_codes(train(field, input + "output o = x |> dense(3)", "4 |> relu as a total"), "N0303@4");
  expect_codes(train(field, input + "output o = x |> dense(3)", "y |> repeat 3 { relu as a } as b total"), "N0201@4");
  expect_codes(train(field, input + "output o = x |> dense(3)", "4 per tower") +
                   "plan p { towers: [tower(cpu:0, share: 2), cpu:1]  sync: allreduce(gradients) }\n",
               "N0705@6");
}

TEST(Codes, OfTheCommandLine) {
  const std::string text =
      "param w: int = 4\nconst k = 2\ndata d { train: synthetic(kind: linear, samples: 8)  field x: f32[8]  field y: f32[2] }\n"
      "net n { input x: f32[8]  output o = x |> dense(w) |> relu |> dense(k) }\n"
      "train a { net: n  data: d  loss: mse(o, y)  optimizer: adam  batch: 2 total  epochs: 1 }\n"
      "train b { net: n  data: d  loss: mse(o, y)  optimizer: adam  batch: 2 total  epochs: 1 }\n";
  const auto codes = [&](auto&& change) {
    AnalyzeOptions options;
    options.train = "a";
    change(options);
    return analyze_text(text, options).codes();
  };
  EXPECT_EQ(codes([](AnalyzeOptions&) {}), "");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.train = ""; }), "N0211");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.train = "c"; }), "N0211");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.plan = "c"; }), "N0211");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.params = {{"w", "6"}}; }), "");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.params = {{"w", "six"}}; }), "N0314");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.params = {{"w", "6.5"}}; }), "N0314");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.params = {{"k", "6"}}; }), "N0315");
  EXPECT_EQ(codes([](AnalyzeOptions& o) { o.params = {{"v", "6"}}; }), "N0904");
}

TEST(Codes, OfUse) {
  const auto codes = [](const std::string& text, const std::map<std::string, std::string>& files) {
    return analyze_text(text, check(), files).codes();
  };
  EXPECT_EQ(codes("use \"a.net\"\nconst c = k + 1", {{"a.net", "const k = 2"}}), "");
  EXPECT_EQ(codes("use \"a.net\" as a\nconst c = a.k + 1", {{"a.net", "const k = 2"}}), "");
  EXPECT_EQ(codes("use \"a.net\" as a\nconst c = k + 1", {{"a.net", "const k = 2"}}), "N0201@2");
  EXPECT_EQ(codes("use \"a.net\"\nconst c = j", {{"a.net", "use \"b.net\"\nconst k = j"}, {"b.net", "const j = 2"}}), "N0201@2");
  EXPECT_EQ(codes("use \"sub/a.net\"\nconst c = k", {{"sub/a.net", "use \"b.net\"\nconst k = j"}, {"sub/b.net", "const j = 2"}}), "");
  EXPECT_EQ(codes("use \"a.net\"", {{"a.net", "use \"b.net\""}, {"b.net", "use \"a.net\""}}), "N0209@1");
  EXPECT_EQ(codes("use \"a.net\"\nuse \"b.net\"", {{"a.net", "const k = 1"}, {"b.net", "const k = 2"}}), "N0210@2");
  EXPECT_EQ(codes("use \"a.net\"\nconst k = 1", {{"a.net", "const k = 1"}}), "N0203@2");
  EXPECT_EQ(codes("use \"a.net\"\nnet n { input x: f32[2]  output o = x |> nowhere }", {}), "N0208@1");   // it may be in there
}

TEST(Codes, OneMistakeInABlockUsedTenTimesIsOneMessage) {
  expect_codes("block b(x: tensor) { return x |> conv2d(4, 3) }\nnet n { input x: f32[8]\noutput o = x |> repeat 10 { b } }", "N0402@1");
}

TEST(Codes, AValueThatFailedIsSilentBelow) {
  expect_codes("net n { input x: f32[8]\nlet a = x |> dense(2) |> conv2d(4, 3)\nlet b = a + x\nlet (c, d) = a |> split(2)\n"
               "output o = b |> dense(4, weight: transpose(a)) }", "N0402@2");
}

TEST(Codes, IndependentMistakesAreAllReported) {
  expect_codes("net n { input x: f32[8]\nlet a = x |> relo\nlet b = x |> dense(4, unit: 3)\noutput o = c }", "N0202@2 N0301@3 N0201@4");
}

}  // namespace
}  // namespace netc::test
