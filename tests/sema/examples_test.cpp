// The example files of the language: all right, with the weights the language page counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

AnalyzeOptions check() {
  AnalyzeOptions options;
  options.every_train = true;
  return options;
}

int64_t weights_of(const Analyzed& analyzed, const std::string& net) {
  for (const ShapeTable& table : analyzed.analysis.tables)
    if (table.net == net) return table.weights;
  return -1;
}

TEST(Examples, AllAreRight) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cases("examples"))) {
    if (entry.path().extension() != ".net") continue;
    ++files;
    const Analyzed analyzed = analyze_file(entry.path().string(), check());
    EXPECT_FALSE(analyzed.diagnostics->has_errors()) << entry.path() << "\n" << analyzed.messages();
  }
  EXPECT_EQ(files, 12);
}

TEST(Examples, WeightsAreThoseOfTheLanguagePage) {
  EXPECT_EQ(weights_of(analyze_file(cases("examples/mnist_mlp.net"), check()), "mlp"), 1'863'690);
  EXPECT_EQ(weights_of(analyze_file(cases("examples/cifar10_cnn.net"), check()), "cnn"), 1'148'874);
  const Analyzed resnet = analyze_file(cases("examples/resnet.net"), check());
  EXPECT_EQ(weights_of(resnet, "resnet20"), 272'474);
  EXPECT_EQ(weights_of(resnet, "resnet50"), 25'557'032);
  EXPECT_EQ(weights_of(analyze_file(cases("examples/small_gpt.net"), check()), "gpt"), 10'844'160);
}

TEST(Examples, ShapesOfTheSeedNetAsPrintedOnTheLanguagePage) {
  const Analyzed analyzed = analyze_file(cases("examples/mnist_mlp.net"));
  ASSERT_EQ(analyzed.analysis.tables.size(), 1u) << analyzed.messages();
  EXPECT_EQ(to_text(analyzed.analysis.tables[0]),
            "mlp                      in               out              weights\n"
            "  flatten                [B, 28, 28, 1]   [B, 784]               0\n"
            "  fc1     dense 1024     [B, 784]         [B, 1024]        803,840\n"
            "          relu           [B, 1024]        [B, 1024]              0\n"
            "          dropout 20%    [B, 1024]        [B, 1024]              0\n"
            "  fc2     dense 1024     [B, 1024]        [B, 1024]      1,049,600\n"
            "          relu           [B, 1024]        [B, 1024]              0\n"
            "          dropout 20%    [B, 1024]        [B, 1024]              0\n"
            "  head    dense 10       [B, 1024]        [B, 10]           10,250\n"
            "1,863,690 weights (7.1 MiB in f32); rmsprop keeps as much again\n");
}

}  // namespace
}  // namespace netc::test
