// Whatever a file holds, the analysis ends with messages or a sound graph, never with an exception.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "compiler/ops/op.h"
#include "tests/sema/analyzed.h"

namespace netc::test {
namespace {

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%'; };
    if (text[i] == '"') {
      while (end < text.size() && text[end] != '"') ++end;
      end = std::min(end + 1, text.size());
    } else if (word(text[i])) {
      while (end < text.size() && word(text[end])) ++end;
    }
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

std::string mutated(const std::vector<std::string>& tokens, std::mt19937& random) {
  static const std::vector<std::string> kSpare = {
      "0", "1", "-1", "3", "9223372036854775807", "1e308", "0.5", "20%", "3steps", "2epochs", "25MiB", "\"x\"", "none", "true", "x", "y", "image",
      "label", "logits", "relu", "dense(3)", "flatten", "softmax", "conv2d(4, 3)", "repeat 2 { relu }", "|>", "(", ")", "[", "]", "{", "}", ",", ":",
      "+", "*", "/", "^", "==", "..<", "and", "not", "if", "then", "else", "let", "output", "shared", "transpose", "weight", "x.shape", "x.shape[0]",
      "f32[4]", "class(3)", "u8", "bool", "tensor", "layer", "cpu:0", "gpu:*", "per tower", "total", "as z", "batch_norm", "self_attention(2)",
      "concat", "embedding(3, 4)", "split(2)", "mean(axis: 0)", "reshape([-1])", "max", "sqrt(2)", "mod(7, 0)", "[1, 2]", "(1, 2)", "[[1, 2], [3]]"};
  std::vector<std::string> result = tokens;
  const int changes = 1 + static_cast<int>(random() % 3);
  for (int c = 0; c < changes && !result.empty(); ++c) {
    const size_t at = random() % result.size();
    switch (random() % 4) {
      case 0: result.erase(result.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: result[at] = kSpare[random() % kSpare.size()]; break;
      case 2: result.insert(result.begin() + static_cast<std::ptrdiff_t>(at), " " + kSpare[random() % kSpare.size()] + " "); break;
      default: std::swap(result[at], result[random() % result.size()]);
    }
  }
  std::string text;
  for (const std::string& token : result) text += token;
  return text;
}

void expect_end(const std::string& text, const std::string& what) {
  AnalyzeOptions options;
  options.every_train = true;
  options.resolve = true;
  const std::map<std::string, std::string> files = {{"blocks/residual.net", read_text(cases("examples/blocks/residual.net"))},
                                                    {"mnist_mlp.net", read_text(cases("examples/mnist_mlp.net"))}};
  try {
    Analyzed analyzed = analyze_text(text, options, files);
    if (analyzed.analysis.complete) {
      EXPECT_TRUE(analyzed.diagnostics->error_count() == 0);
      for (const std::string& fault : verify(analyzed.analysis.graph)) ADD_FAILURE() << what << ": " << fault << "\n" << text;
      report_unavailable(analyzed.analysis, *analyzed.diagnostics);
    }
    for (const ShapeTable& table : analyzed.analysis.tables) to_text(table);
    analyzed.messages();
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << ": " << error.what() << "\n" << text;
  }
}

TEST(Robustness, MutatedExamplesEndWithMessages) {
  int rounds = 60;
  if (const char* more = std::getenv("NETC_FUZZ_ROUNDS")) rounds = std::atoi(more);
  std::mt19937 random(20);
  for (const char* folder : {"examples", "bad"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cases(folder))) {
      if (entry.path().extension() != ".net") continue;
      const std::vector<std::string> tokens = tokens_of(read_text(entry.path().string()));
      for (int i = 0; i < (std::string(folder) == "bad" ? rounds / 4 : rounds); ++i)
        expect_end(mutated(tokens, random), entry.path().filename().string());
    }
}

TEST(Robustness, EvaluationEnds) {
  // Each block uses the next one ten times: 10^12 layers, if nobody counted.
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += "block b" + std::to_string(i) + "(x: tensor) { return x |> repeat 10 { b" + std::to_string(i + 1) + " } }\n";
  text += "block b12(x: tensor) { return x |> relu }\nnet n { input x: f32[2]  output o = x |> b0 }\n";
  const Analyzed analyzed = analyze_text(text);
  EXPECT_EQ(analyzed.codes(), "N0308@14") << analyzed.messages();
  // Tuples that double: a value of 2^40 parts, if parts were copied.
  text = "block d(x: tensor) { return (x, x) }\nnet n { input x: f32[2]\n";
  for (int i = 0; i < 40; ++i) text += "let t" + std::to_string(i + 1) + " = (" + (i ? "t" + std::to_string(i) + ", t" + std::to_string(i) : "x, x") + ")\n";
  expect_end(text + "output o = t40 }", "doubling");
  expect_end(text + "let (a, b, c) = t40\noutput o = x }", "doubling, shown");
  expect_end(text + "assert t40 == t40, \"equal\"\noutput o = x }", "doubling, compared");
}

TEST(Robustness, LongChainsAreFine) {
  std::string text = "net n { input x: f32[8]\n output o = x";
  for (int i = 0; i < 5000; ++i) text += " |> relu";
  const Analyzed analyzed = analyze_text(text + "\n}\n");
  EXPECT_TRUE(analyzed.diagnostics->empty()) << analyzed.messages().substr(0, 500);
  EXPECT_EQ(analyzed.analysis.tables.at(0).rows.size(), 5000u);
}

}  // namespace
}  // namespace netc::test
