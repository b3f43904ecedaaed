// The printed form of diagnostics, against the examples of the language page and the awkward texts.
#include <gtest/gtest.h>

#include "compiler/base/diagnostics.h"
#include "tests/syntax/support.h"

namespace netc::test {
namespace {

// The span of the n-th (from 0) occurrence of `what` in a file.
Span find(const SourceMap& sources, FileId file, const std::string& what, int n = 0) {
  size_t at = sources.text(file).find(what);
  for (; n > 0; --n) at = sources.text(file).find(what, at + 1);
  return {file, static_cast<uint32_t>(at), static_cast<uint32_t>(at + what.size())};
}

std::string lines(int count) {
  return std::string(static_cast<size_t>(count), '\n');
}

TEST(DiagnosticText, PrimaryAndSecondaryOnLinesApart) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("mnist_mlp.net", lines(23) + "  output probs = softmax(logits)\n" + lines(5) +
                                                       "  loss:      cross_entropy(probs, label)\n");
  diagnostics
      .error(Code::N0603, find(sources, file, "probs", 1),
             "`cross_entropy` takes logits, but `probs` already went through softmax",
             "probabilities where logits belong")
      .label(find(sources, file, "softmax(logits)"), "softmax is here")
      .fix("use the value before the softmax", find(sources, file, "probs", 1), "logits", Confidence::certain);
  EXPECT_EQ(to_text(diagnostics),
            R"(error[N0603]: `cross_entropy` takes logits, but `probs` already went through softmax
  --> mnist_mlp.net:30:28
   |
24 |   output probs = softmax(logits)
   |                  --------------- softmax is here
...
30 |   loss:      cross_entropy(probs, label)
   |                            ^^^^^ probabilities where logits belong
help: use the value before the softmax (certain)
30 |   loss:      cross_entropy(logits, label)
)");
}

TEST(DiagnosticText, SeveralLabelsOnALineAndTheCallChain) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId block =
      sources.add("blocks/residual.net", lines(17) +
                                             "  let y = x |> conv_bn(filters, 3, stride: stride) |> conv_bn(filters, "
                                             "3, act: identity)\n  return relu(y + x)\n");
  const FileId net = sources.add("resnet.net", lines(32) + "    |> basic(32, stride: 2)\n");
  const Span sum = find(sources, block, "y + x");
  diagnostics.error(Code::N0401, {block, sum.begin + 2, sum.begin + 3}, "`+` needs equal shapes")
      .label(find(sources, block, "conv_bn(filters, 3, stride: stride)"),
             "here y becomes smaller (stride 2) and wider (16 -> 32)")
      .label({block, sum.begin, sum.begin + 1}, "f32[B, 16, 16, 32]")
      .label({block, sum.begin + 4, sum.begin + 5}, "f32[B, 32, 32, 16]")
      .note("axis 0: 16 and 32;  axis 1: 16 and 32;  axis 2: 32 and 16")
      .from({{"block `basic`", "filters = 32, stride = 2", {}}, {"net `resnet20`", "", find(sources, net, "basic")}})
      .fix("bring x to the same shape", {block, sum.begin + 4, sum.begin + 5}, "shortcut(x, filters, stride)",
           Confidence::guess);
  EXPECT_EQ(to_text(diagnostics), R"(error[N0401]: `+` needs equal shapes
  --> blocks/residual.net:19:17
   |
18 |   let y = x |> conv_bn(filters, 3, stride: stride) |> conv_bn(filters, 3, act: identity)
   |                ----------------------------------- here y becomes smaller (stride 2) and wider (16 -> 32)
19 |   return relu(y + x)
   |               - ^ - f32[B, 32, 32, 16]
   |               |
   |               f32[B, 16, 16, 32]
   = axis 0: 16 and 32;  axis 1: 16 and 32;  axis 2: 32 and 16
   = in block `basic` with filters = 32, stride = 2
   = from net `resnet20`, resnet.net:33:8
help: bring x to the same shape (guess)
19 |   return relu(y + shortcut(x, filters, stride))
)");
}

TEST(DiagnosticText, NotesOfSeveralLinesAndChoices) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("mnist_mlp.net", lines(32) + "  batch:     128\n");
  const Span number = find(sources, file, "128");
  diagnostics.error(Code::N0701, number, "say what 128 counts: `per tower` or `total`")
      .note(
          "with plan `all_gpus` on this machine (4 GPUs):\n128 per tower   512 samples per update, 118 updates per "
          "epoch\n"
          "128 total        32 samples per tower,  469 updates per epoch")
      .choose("write one of", number, {"128 per tower", "128 total"});
  EXPECT_EQ(to_text(diagnostics), R"(error[N0701]: say what 128 counts: `per tower` or `total`
  --> mnist_mlp.net:33:14
   |
33 |   batch:     128
   |              ^^^
   = with plan `all_gpus` on this machine (4 GPUs):
     128 per tower   512 samples per update, 118 updates per epoch
     128 total        32 samples per tower,  469 updates per epoch
help: write one of
33 |   batch:     128 per tower
33 |   batch:     128 total
)");
}

TEST(DiagnosticText, UnconnectedLayerAsOnTheLanguagePage) {
  const Parsed parsed =
      parse_text("net n {\n  input x: f32[4]\n  let h = x\n    |> dense(8)\n    relu\n  output h\n}\n", "cnn.net");
  EXPECT_EQ(parsed.text(), R"(error[N0102]: `relu` is not connected to the pipeline above
  --> cnn.net:5:5
   |
4  |     |> dense(8)
   |        -------- the pipeline ends here
5  |     relu
   |     ^^^^
help: continue it (certain)
5  |     |> relu
)");
}

TEST(DiagnosticText, OtherFilesFollowTheFirst) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId train = sources.add("mnist_mlp.net", lines(32) + "  batch:     128 per tower\n");
  const FileId plan =
      sources.add("plans.net", lines(17) + "  towers: [tower(gpu:0, share: 3), tower(gpu:1, share: 1)]\n");
  diagnostics
      .error(Code::N0705, find(sources, train, "128 per tower"), "`per tower` with unequal shares has two readings",
             "the slow tower's 128, or the average?")
      .label(find(sources, plan, "share: 3"), "")
      .label(find(sources, plan, "share: 1"), "three samples here for one there")
      .choose("give the sum; the shares split it (192 and 64)", find(sources, train, "128 per tower"), {"256 total"});
  EXPECT_EQ(to_text(diagnostics), R"(error[N0705]: `per tower` with unequal shares has two readings
  --> mnist_mlp.net:33:14
   |
33 |   batch:     128 per tower
   |              ^^^^^^^^^^^^^ the slow tower's 128, or the average?
   |
  ::: plans.net:18:25
   |
18 |   towers: [tower(gpu:0, share: 3), tower(gpu:1, share: 1)]
   |                         --------                -------- three samples here for one there
help: give the sum; the shares split it (192 and 64)
33 |   batch:     256 total
)");
}

TEST(DiagnosticText, TabsWideCharactersAndControlBytesKeepTheMarksInPlace) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("t.net", "\tlet \xE6\xB7\xB1\xE5\xB1\xA4 = \x01\xFF bad\r\n");
  diagnostics.error(Code::N0201, find(sources, file, "bad"), "no value called `bad` here", "here");
  EXPECT_EQ(to_text(diagnostics),
            "error[N0201]: no value called `bad` here\n"
            "  --> t.net:1:14\n"
            "   |\n"
            "1  |     let \xE6\xB7\xB1\xE5\xB1\xA4 = \xEF\xBF\xBD\xEF\xBF\xBD bad\n"
            "   |                   ^^^ here\n");
}

TEST(DiagnosticText, OfAVeryLongLineOnlyTheSurroundingsAreShown) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("t.net", std::string(500'000, 'a') + " bad " + std::string(500'000, 'b'));
  diagnostics.error(Code::N0201, find(sources, file, "bad"), "no value called `bad` here");
  EXPECT_EQ(to_text(diagnostics), "error[N0201]: no value called `bad` here\n  --> t.net:1:500002\n   |\n1  | ..." +
                                      std::string(59, 'a') + " bad " + std::string(116, 'b') + "...\n   | " +
                                      std::string(63, ' ') + "^^^\n");
}

TEST(DiagnosticText, PlacesAtTheEndAndWithoutAFile) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId empty = sources.add("empty.net", "");
  const FileId line = sources.add("line.net", "net a {\n");
  diagnostics.error(Code::N0211, {}, "the file has no train called `big`").note("it has: small");
  diagnostics.error(Code::N0101, {empty, 0, 0}, "expected a declaration");
  diagnostics.error(Code::N0104, {line, 8, 8}, "this is the end");
  EXPECT_EQ(to_text(diagnostics), R"(error[N0211]: the file has no train called `big`
   = it has: small

error[N0101]: expected a declaration
  --> empty.net:1:1
   |
1  |
   | ^

error[N0104]: this is the end
  --> line.net:2:1
   |
2  |
   | ^
)");
}

TEST(DiagnosticText, ShowsTwentyAndCountsTheRest) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("t.net", std::string(100, 'x'));
  for (uint32_t i = 0; i < 25; ++i) diagnostics.error(Code::N0201, {file, i, i + 1}, "e" + std::to_string(i));
  const std::string text = to_text(diagnostics);
  EXPECT_NE(text.find("]: e19\n"), std::string::npos);
  EXPECT_EQ(text.find("]: e20\n"), std::string::npos);
  EXPECT_NE(text.find("\n5 more not shown\n"), std::string::npos);
  EXPECT_EQ(diagnostics.error_count(), 25);
}

TEST(DiagnosticText, ColorOnlyWhenAsked) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("t.net", "bad");
  diagnostics.error(Code::N0201, {file, 0, 3}, "no value called `bad` here");
  EXPECT_EQ(to_text(diagnostics).find('\033'), std::string::npos);
  const std::string colored = to_text(diagnostics, {true, 20});
  EXPECT_NE(colored.find("\033[1;31merror[N0201]\033[0m"), std::string::npos);
}

TEST(Diagnostics, AreInFileOrderAndReportedOnce) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId a = sources.add("a.net", "0123456789"), b = sources.add("b.net", "0123456789");
  diagnostics.error(Code::N0201, {b, 1, 2}, "third");
  diagnostics.error(Code::N0201, {a, 5, 6}, "second");
  diagnostics.error(Code::N0202, {a, 1, 2}, "first");
  diagnostics.error(Code::N0202, {a, 1, 2}, "first again").note("lost");
  std::vector<std::string> summaries;
  for (const Diagnostic* record : diagnostics.sorted()) summaries.push_back(record->summary);
  EXPECT_EQ(summaries, (std::vector<std::string>{"first", "second", "third"}));
  EXPECT_EQ(diagnostics.error_count(), 3);
}

TEST(Diagnostics, WarningsAreSilencedOnTheirLineOnly) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add(
      "t.net", "one // netc: allow W1106\ntwo // netc: allow W1107, W1106\nthree\nfour # netc: allow W1106\n");
  for (const char* word : {"one", "two", "three", "four"})
    diagnostics.warning(Code::W1106, find(sources, file, word), word);
  diagnostics.error(Code::N0201, find(sources, file, "one"), "errors stay");
  EXPECT_EQ(diagnostics.warning_count(), 1);
  EXPECT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(diagnostics.sorted().back()->summary, "three");
}

TEST(Diagnostics, EveryCodeHasANameAndATitle) {
  EXPECT_STREQ(code_name(Code::N0101), "N0101");
  EXPECT_STREQ(code_name(Code::W1116), "W1116");
  EXPECT_STREQ(code_title(Code::N0401), "`{op}` needs equal shapes");
}

}  // namespace
}  // namespace netc::test
