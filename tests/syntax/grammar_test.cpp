// The grammar itself: it reads every example, in one way, and its effort grows with the text.
#include <gtest/gtest.h>

#include "compiler/syntax/parse_check.h"
#include "tests/syntax/support.h"

namespace netc::test {
namespace {

GrammarReading read_text(const std::string& text) {
  SourceMap sources;
  return read_exactly(sources.add("test.net", text), sources);
}

TEST(Grammar, ReadsEveryExampleWithoutADiagnostic) {
  const std::vector<std::string> files = case_files("examples");
  ASSERT_EQ(files.size(), 12u);
  for (const std::string& file : files) {
    const Parsed parsed = parse_case(file);
    EXPECT_EQ(parsed.text(), "") << file;
    EXPECT_FALSE(parsed.file.broken) << file;
  }
}

TEST(Grammar, IsNotAmbiguousOnAnyExample) {
  for (const std::string& file : case_files("examples")) {
    const GrammarReading reading = read_text(read_case(file));
    EXPECT_TRUE(reading.fits) << file;
    EXPECT_EQ(reading.ambiguous, std::vector<std::string>{}) << file;
    EXPECT_EQ(reading.full_context, std::vector<std::string>{}) << file;  // so SLL prediction is enough
  }
}

// The places where two rules begin alike, next to each other and without line breaks.
TEST(Grammar, IsNotAmbiguousWhereRulesBeginAlike) {
  const GrammarReading reading = read_text(
      "const a = if b then c else d |> e  const f = (g)  const h = (i, j)  const k = (l,)  param m: class(3)[4] = n"
      " assert a == b, \"c\" block o(p: f32[q], r: layer = s,) { let (t, u) = (t, u) |> v let w: f32[2] = x return not "
      "y == -z ^ 2 ^ 3 }"
      " data d { train: csv(\"a\") field f: u8[3] from past([\"a\"]) |> g(a |> b, c: d |> e) field h: string  test: "
      "take(train, 10%) }"
      " net n { output a output b: f32 output c: f32[3] = d |> repeat (e, f) in (g, h) { i as j |> repeat shared 2 { k "
      "} } as l"
      " output m = a |> repeat (n) { o } output p = a |> repeat q in [1] { r(q) } }"
      " train t { net: n data: data.x loss: { a: train, b: net.y }, batch: 3 per tower epochs: 4 total x: [1, 2,] y: "
      "none }");
  EXPECT_TRUE(reading.fits);
  EXPECT_EQ(reading.ambiguous, std::vector<std::string>{});
  EXPECT_EQ(reading.full_context, std::vector<std::string>{});
}

std::string net_of(int layers) {
  std::string text = "language 1\nnet deep {\n  input x: f32[64]\n  let h = x\n";
  for (int i = 0; i < layers; ++i)
    text += "    |> dense(64, bias: false) as fc" + std::to_string(i) + " |> relu |> dropout(20%)\n";
  return text + "  output h\n}\n";
}

// Twice the layers are twice the tokens and twice the looking at them, to within the constant part.
TEST(Grammar, EffortIsLinearInTheNumberOfLayers) {
  read_text(net_of(10));  // the first reading also builds the prediction tables
  const GrammarReading small = read_text(net_of(500));
  const GrammarReading large = read_text(net_of(1000));
  const double per_token_small = static_cast<double>(small.looked_at) / static_cast<double>(small.tokens);
  const double per_token_large = static_cast<double>(large.looked_at) / static_cast<double>(large.tokens);
  EXPECT_GT(large.tokens, 21'000);
  EXPECT_LT(per_token_large, 1.01 * per_token_small);
  EXPECT_LT(per_token_large, 40);
}

}  // namespace
}  // namespace netc::test
