// How messages come out, as the language page shows them.
#include <gtest/gtest.h>

#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

// The n lines of a text from the line that starts with `first` on.
std::string excerpt(const std::string& text, const std::string& first) {
  const size_t begin = text.find(first);
  if (begin == std::string::npos) return "no `" + first + "` in\n" + text;
  const size_t end = text.find("\n\n", begin);
  return text.substr(begin, end == std::string::npos ? std::string::npos : end + 1 - begin);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Messages, SoftmaxBeforeTheLoss) {
  const std::string text = replaced(read_text(cases("examples/mnist_mlp.net")), "cross_entropy(logits, label)", "cross_entropy(probs, label)");
  EXPECT_EQ(analyze_text(text).messages(),
            "error[N0603]: `cross_entropy` takes logits, but `probs` already went through softmax\n"
            "  --> test.net:30:28\n"
            "   |\n"
            "24 |   output probs = softmax(logits)\n"
            "   |                  --------------- softmax is here\n"
            "...\n"
            "30 |   loss:      cross_entropy(probs, label)\n"
            "   |                            ^^^^^ probabilities where logits belong\n"
            "help: use the value before the softmax (certain)\n"
            "30 |   loss:      cross_entropy(logits, label)\n");
}

TEST(Messages, TheEarliestStageWhereShapesPart) {
  const std::string blocks =
      replaced(read_text(cases("examples/blocks/residual.net")), "return relu(y + shortcut(x, filters, stride))", "return relu(y + x)");
  AnalyzeOptions options;
  options.train = "cifar10_resnet20";
  options.plan = "one_gpu";
  const Analyzed analyzed = analyze_text(read_text(cases("examples/resnet.net")), options, {{"blocks/residual.net", blocks}});
  EXPECT_EQ(analyzed.messages(),
            "error[N0401]: `+` needs equal shapes\n"
            "  --> blocks/residual.net:19:17\n"
            "   |\n"
            "18 |   let y = x |> conv_bn(filters, 3, stride: stride) |> conv_bn(filters, 3, act: identity)\n"
            "   |                ----------------------------------- here y becomes smaller (32 -> 16) and wider (16 -> 32)\n"
            "19 |   return relu(y + x)\n"
            "   |               - ^ - f32[B, 32, 32, 16]\n"
            "   |               |\n"
            "   |               f32[B, 16, 16, 32]\n"
            "   = axis 0: 16 and 32;  axis 1: 16 and 32;  axis 2: 32 and 16\n"
            "   = in block `basic` with filters = 32, stride = 2\n"
            "   = from net `resnet20`, test.net:33:8\n");
}

TEST(Messages, WhatABareBatchMayMean) {
  const std::string text =
      "data d { train: synthetic(kind: blobs, samples: 1000)  field x: f32[4]  field c: class(3) }\n"
      "net n { input x: f32[4]  output o = x |> dense(3) }\n"
      "train t { net: n  data: d  loss: cross_entropy(o, c)  optimizer: adam  epochs: 1\n"
      "  batch: 128\n"
      "}\n"
      "plan four { towers: gpu:*  sync: allreduce(gradients) }\n";
  AnalyzeOptions options;
  options.gpus = 4;
  EXPECT_EQ(analyze_text(text, options).messages(),
            "error[N0701]: say what 128 counts: `per tower` or `total`\n"
            "  --> test.net:4:10\n"
            "   |\n"
            "4  |   batch: 128\n"
            "   |          ^^^\n"
            "   = with plan `four` (4 towers):\n"
            "     128 per tower   512 samples per update, 2 updates per epoch\n"
            "     128 total       128 samples per update, 8 updates per epoch\n"
            "help: write one of\n"
            "4  |   batch: 128 per tower\n"
            "4  |   batch: 128 total\n");
}

TEST(Messages, ForeignArgument) {
  const Analyzed analyzed = analyze_file(cases("bad/N0301_opt.net"));
  EXPECT_EQ(excerpt(analyzed.messages(), "error[N0301]").substr(0, 49), "error[N0301]: `adam` has no argument `learning_ra");
  EXPECT_NE(analyzed.messages().find("   = adam(lr = 0.001, beta_1 = 0.9, beta_2 = 0.999, eps = 1e-8, amsgrad = false, l2 = 0.0, decay_all = false)\n"
                                     "help: the name here is `lr` (certain)\n"
                                     "13 |   optimizer: adam(lr: 0.1)\n"),
            std::string::npos)
      << analyzed.messages();
}

TEST(Messages, UnequalSharesPerTower) {
  const std::string text = replaced(read_text(cases("examples/mnist_mlp.net")), "towers: gpu:*", "towers: [tower(gpu:0, share: 3), tower(gpu:1, share: 1)]");
  EXPECT_EQ(analyze_text(text).messages(),
            "error[N0705]: `per tower` with unequal shares has two readings\n"
            "  --> test.net:38:36\n"
            "   |\n"
            "33 |   batch:     128 per tower\n"
            "   |              ------------- the slow tower's 128, or the average?\n"
            "...\n"
            "38 |   towers: [tower(gpu:0, share: 3), tower(gpu:1, share: 1)]\n"
            "   |            ----------------------  ^^^^^^^^^^^^^^^^^^^^^^\n"
            "   |            |\n"
            "   |            not the same share here\n"
            "help: give the sum; the shares split it (192 and 64)\n"
            "33 |   batch:     256 total\n");
}

TEST(Messages, SameWithAStride) {
  const Analyzed analyzed = analyze_text(
      "net n { input x: f32[32, 32, 3]\n  output o = x |> conv2d(64, 3, stride: 2, padding: same)\n}\n");
  EXPECT_EQ(analyzed.messages(),
            "warning[W1106]: `same` with stride 2 pads 0 before and 1 after\n"
            "  --> test.net:2:53\n"
            "   |\n"
            "2  |   output o = x |> conv2d(64, 3, stride: 2, padding: same)\n"
            "   |                                                     ^^^^ PyTorch's padding=1 pads 1 before and 1 after\n"
            "   = the shapes may agree, the values differ; it matters for weights trained elsewhere\n"
            "help: `padding: 1`, or silence with `// netc: allow W1106`\n");
}

TEST(Messages, ABlockInsideABlock) {
  const Analyzed analyzed = analyze_text(
      "block inner(x: tensor, k: int) { return x |> conv2d(4, k) }\n"
      "block outer(x: tensor, k: int, deep: bool = true) { return x |> inner(2 * k) }\n"
      "net n { input x: f32[4, 4, 1]  output o = x |> outer(3) }\n");
  EXPECT_EQ(analyzed.messages(),
            "error[N0403]: a window of 6 does not fit into 4 values\n"
            "  --> test.net:1:46\n"
            "   |\n"
            "1  | block inner(x: tensor, k: int) { return x |> conv2d(4, k) }\n"
            "   |                                              ^^^^^^^^^^^^\n"
            "   = axis 0 of f32[B, 4, 4, 1] has 4 values\n"
            "   = in block `inner` with k = 6\n"
            "   = from block `outer` with k = 3, test.net:2:65\n"
            "   = from net `n`, test.net:3:48\n"
            "help: `padding: same`, a smaller window, or fewer layers above that make the value smaller\n");
}

TEST(Messages, WhatCannotRunYet) {
  const std::string text =
      "data d { train: cifar_bin(\"a.bin\")  field x: u8[8, 8, 3] |> to_float  field c: class(3) }\n"
      "net n { input x: f32[8, 8, 3]  output o = x |> conv2d(4, 3) |> flatten |> dense(3) }\n"
      "train t { net: n  data: d  loss: focal(o, c)  optimizer: lion  batch: 4 total  epochs: 2 }\n"
      "plan p { towers: [gpu:0, gpu:1]  sync: allreduce(gradients)  accumulate: 4 }\n";
  Analyzed analyzed = analyze_text(text);
  ASSERT_TRUE(analyzed.analysis.complete) << analyzed.messages();
  report_unavailable(analyzed.analysis, *analyzed.diagnostics);
  EXPECT_EQ(analyzed.codes(), "N0918@1 N0918@2 N0918@3 N0918@3 N0918@4 N0704@4 N0704@4");
  EXPECT_NE(analyzed.messages().find("layer `conv2d` is not available in this version"), std::string::npos) << analyzed.messages();

  AnalyzeOptions here;
  here.towers = {{DeviceKind::cpu, 0}, {DeviceKind::cpu, 1}};
  Analyzed runnable = analyze_file(cases("examples/mnist_mlp.net"), here);
  report_unavailable(runnable.analysis, *runnable.diagnostics);
  EXPECT_TRUE(runnable.diagnostics->empty()) << runnable.messages();
}

// Simulated GPUs run; what they cannot do is refused, one reason a plan.
TEST(Messages, WhatSimulatedTowersMayDo) {
  const auto codes = [](const std::string& plan) {
    Analyzed analyzed = analyze_text(
        "data d { train: synthetic(kind: blobs, samples: 9)  field x: f32[8]  field c: class(3) }\n"
        "net n { input x: f32[8]  output o = x |> dense(3) }\n"
        "train t { net: n  data: d  loss: cross_entropy(o, c)  optimizer: sgd(lr: 0.1)  batch: 4 total  epochs: 2 }\n"
        "plan p { " + plan + "  sync: allreduce(gradients) }\n");
    report_unavailable(analyzed.analysis, *analyzed.diagnostics);
    return analyzed.codes();
  };
  EXPECT_EQ(codes("towers: [sim:0, sim:1]"), "");
  EXPECT_EQ(codes("towers: [sim:0]  deterministic: true"), "");
  EXPECT_EQ(codes("towers: [sim:0, sim:1]  deterministic: true"), "N0918@4");
  EXPECT_EQ(codes("towers: [sim:0, cpu:0]"), "N0918@4");
  EXPECT_EQ(codes("towers: [cpu:0, sim:0]"), "N0918@4");
  EXPECT_EQ(codes("towers: [sim:*]"), "N0918@4");
}

}  // namespace
}  // namespace netc::test
