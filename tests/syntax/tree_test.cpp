// What the tree says about a text: binding, literals, names, documentation and places.
#include <gtest/gtest.h>

#include "tests/syntax/support.h"

namespace netc::test {
namespace {

std::string value_of(const std::string& expr) {
  const Parsed parsed = parse_text("const a = " + expr);
  EXPECT_EQ(parsed.text(), "") << expr;
  return structure(*std::get<ast::ConstDecl>(parsed.file.decls.at(0)).value);
}

TEST(Tree, OperatorsBindInTheOrderOfTheGrammar) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 4"), "(- (+ 1 (* 2 3)) 4)");
  EXPECT_EQ(value_of("2 ^ 3 ^ 4"), "(^ 2 (^ 3 4))");
  EXPECT_EQ(value_of("-x ^ 2"), "(- (^ x 2))");
  EXPECT_EQ(value_of("2 ^ -x * y"), "(* (^ 2 (- x)) y)");
  EXPECT_EQ(value_of("not a == b and c or d"), "(or (and (== (not a) b) c) d)");
  EXPECT_EQ(value_of("0 ..< n + 1"), "(..< 0 (+ n 1))");
  EXPECT_EQ(value_of("x.shape[-1] == f(1)"), "(== (index (. x shape) (- 1)) (call f (- 1)))");
  EXPECT_EQ(value_of("(1 + 2) * 3"), "(* (+ 1 2) 3)");
  EXPECT_EQ(value_of("if a then b else c |> d"), "(if a b (|> c (stage - d)))");
}

TEST(Tree, PipelinesAreAHeadAndStages) {
  EXPECT_EQ(value_of("x |> f(2, g: 3) as h |> repeat 3 { a |> b }"),
            "(|> x (stage h (call f (- 2) (g 3))) (stage - (repeat - 3 (stage - a) (stage - b))))");
  EXPECT_EQ(value_of("x |> repeat shared 2 { a } as r"), "(|> x (stage r (repeat-shared - 2 (stage - a))))");
  EXPECT_EQ(value_of("x |> repeat (f, n) in [(1, 2)] { a(f) }"),
            "(|> x (stage - (repeat (tuple f n) (list (tuple 1 2)) (stage - (call a (- f))))))");
  EXPECT_EQ(value_of("(a, b) |> f"), "(|> (tuple a b) (stage - f))");
}

TEST(Tree, LiteralsHaveTheirValues) {
  EXPECT_EQ(value_of("60_000"), "60000");
  EXPECT_EQ(value_of("1e-3"), "(float 0.001000)");
  EXPECT_EQ(value_of("20%"), "(percent 0.200000)");
  EXPECT_EQ(value_of("\"a\\n\\u{e9}\\\\\""), "\"a\n\u00e9\\\"");
  EXPECT_EQ(value_of("[cpu:0, gpu:*, sim:12]"), "(list (device cpu 0) (device gpu -1) (device sim 12))");
  EXPECT_EQ(value_of("[true, false, none, train, data.x]"), "(list true false none train (. data x))");
}

TEST(Tree, QuantitiesCountInTheirBaseUnit) {
  const struct {
    const char* text;
    double value;
    ast::Unit unit;
  } cases[] = {
      {"25MiB", 25.0 * 1024 * 1024, ast::Unit::bytes},
      {"2kB", 2000, ast::Unit::bytes},
      {"10min", 600, ast::Unit::seconds},
      {"1.5h", 5400, ast::Unit::seconds},
      {"250us", 250e-6, ast::Unit::seconds},
      {"5_000samples", 5000, ast::Unit::samples},
      {"1epoch", 1, ast::Unit::epochs},
      {"16steps", 16, ast::Unit::steps},
      {"90deg", 90, ast::Unit::degrees},
      {"3tokens", 3, ast::Unit::tokens},
  };
  for (const auto& each : cases) {
    const Parsed parsed = parse_text(std::string("const a = ") + each.text);
    const auto* quantity = std::get<ast::ConstDecl>(parsed.file.decls.at(0)).value->as<ast::QuantityLiteral>();
    ASSERT_NE(quantity, nullptr) << each.text;
    EXPECT_DOUBLE_EQ(quantity->value, each.value) << each.text;
    EXPECT_EQ(quantity->unit, each.unit) << each.text;
    EXPECT_EQ(quantity->spelling, each.text);
  }
}

TEST(Tree, KeywordsMayBeNamesOfFieldsAndMembers) {
  const Parsed parsed = parse_text("train t { net: n data: d in: x.repeat use: f(class: 3, from: 4) }");
  EXPECT_EQ(parsed.text(), "");
  EXPECT_EQ(structure(parsed.file),
            "(train  t (net n) (data d) (in (. x repeat)) (use (call f (class 3) (from 4))))\n");
}

TEST(Tree, RecordsKeepScopesAndNesting) {
  const Parsed parsed =
      parse_text("train t { batch: 128 per tower, memory: 3 total loss: { a: f(b), c: 0.5 * g(d) } }");
  EXPECT_EQ(structure(parsed.file),
            "(train  t (batch 128 per tower) (memory 3 total) (loss (record (a (call f (- b))) (c (* (float 0.500000) "
            "(call g (- d)))))))\n");
}

TEST(Tree, DocCommentsBelongToTheNextDeclaration) {
  const Parsed parsed = parse_text(
      "/// The width.\n///\n///  indented\nparam width: int = 3\n// plain\nconst b = 1\n"
      "data d {\n  /// pixels\n  field x: f32\n}\nnet n {\n  /// the picture\n  input x: f32\n}\n");
  EXPECT_EQ(std::get<ast::ParamDecl>(parsed.file.decls[0]).doc, "The width.\n\n indented");
  EXPECT_EQ(std::get<ast::ConstDecl>(parsed.file.decls[1]).doc, "");
  EXPECT_EQ(std::get<ast::DataDecl>(parsed.file.decls[2]).fields[0].doc, "pixels");
  EXPECT_EQ(std::get<ast::Input>(std::get<ast::NetDecl>(parsed.file.decls[3]).statements[0]).doc, "the picture");
}

// Spans are bytes of the text, whatever comes before them.
TEST(Tree, PlacesCountBytesAlsoBehindOtherAlphabets) {
  const std::string text =
      "\xEF\xBB\xBF// \u00fcber \U0001F600\r\nnet n {\r\n  output y = f(x, 1) + gg |> hh(2) as i\r\n}\r\n";
  const Parsed parsed = parse_text(text);
  ASSERT_EQ(parsed.text(), "");
  const auto& net = std::get<ast::NetDecl>(parsed.file.decls[0]);
  const auto& output = std::get<ast::Output>(net.statements[0]);
  const auto& pipeline = *output.value->as<ast::PipelineExpr>();
  const auto at = [&](Span span) { return std::string(parsed.sources->text(span)); };
  EXPECT_EQ(at(net.name.span), "n");
  EXPECT_EQ(at(net.header_span), "net n");
  EXPECT_EQ(at(output.value->span), "f(x, 1) + gg |> hh(2) as i");
  EXPECT_EQ(at(pipeline.head->span), "f(x, 1) + gg");
  EXPECT_EQ(at(pipeline.head->as<ast::BinaryExpr>()->op_span), "+");
  EXPECT_EQ(at(pipeline.stages[0].span), "hh(2) as i");
  EXPECT_EQ(at(pipeline.stages[0].name->span), "i");
  EXPECT_EQ(parsed.sources->describe(output.value->span), "test.net:3:14");
}

TEST(Tree, HeadersAndPropertiesKnowTheirPlaces) {
  const Parsed parsed =
      parse_text("block b(x: f32[T, D], k: int = 3) { return x }\ntrain t { batch: 128 per tower loss: { a: b } }");
  const auto at = [&](Span span) { return std::string(parsed.sources->text(span)); };
  const auto& block = std::get<ast::BlockDecl>(parsed.file.decls[0]);
  EXPECT_EQ(at(block.header_span), "block b(x: f32[T, D], k: int = 3)");
  EXPECT_EQ(at(block.formals[0].type.span), "f32[T, D]");
  EXPECT_EQ(at(block.formals[1].span), "k: int = 3");
  const auto& batch = std::get<ast::TrainDecl>(parsed.file.decls[1]).body.properties[0];
  EXPECT_EQ(at(batch.span), "batch: 128 per tower");
  EXPECT_EQ(at(batch.value_span), "128 per tower");
  EXPECT_EQ(at(batch.expr()->span), "128");
}

TEST(Tree, NumbersOutOfRangeAreReported) {
  EXPECT_EQ(parse_text("const a = 9223372036854775807").codes(), std::vector<std::string>{});
  EXPECT_EQ(parse_text("const a = 9223372036854775808").codes(), std::vector<std::string>{"N0310"});
  EXPECT_EQ(parse_text("const a = 1e999").codes(), std::vector<std::string>{"N0310"});
  EXPECT_EQ(parse_text("const a = 1e-999").codes(), std::vector<std::string>{});
  EXPECT_EQ(parse_text("plan p { towers: gpu:99999999999999999999 }").codes(), std::vector<std::string>{"N0310"});
}

}  // namespace
}  // namespace netc::test
