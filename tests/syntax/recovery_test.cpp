// One mistake gives one message, at the right place and with the right code, and what follows is read as if nothing
// had been. Each case is a file with « » around the place the message must point at.
#include <gtest/gtest.h>

#include "tests/syntax/support.h"

namespace netc::test {
namespace {

struct Case {
  const char* code;
  std::string text;
};

struct Marked {
  std::string text;
  Span span;
};

Marked without_marks(const std::string& text) {
  Marked out{text, {0, 0, 0}};
  const size_t begin = out.text.find("«");
  out.text.erase(begin, std::string("«").size());
  const size_t end = out.text.find("»");
  out.text.erase(end, std::string("»").size());
  out.span = {0, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return out;
}

void expect_one(const Case& c) {
  const Marked marked = without_marks(c.text);
  // What stands behind must be read, and reported on, as usual.
  const std::string tail = "\nnet behind { input x: f32[1] output y = x @ }\n";
  const Parsed parsed = parse_text(marked.text + tail);
  const std::vector<const Diagnostic*> records = parsed.diagnostics->sorted();
  ASSERT_EQ(records.size(), 2u) << marked.text << "\n" << parsed.text();
  EXPECT_STREQ(code_name(records[0]->code), c.code) << parsed.text();
  EXPECT_EQ(records[0]->span, marked.span) << parsed.text();
  EXPECT_EQ(parsed.sources->text(records[1]->span), "@");
  const ast::NetDecl* behind = nullptr;
  for (const ast::Decl& decl : parsed.file.decls) {
    const auto* net = std::get_if<ast::NetDecl>(&decl);
    if (net && net->name.text == "behind") behind = net;
  }
  ASSERT_NE(behind, nullptr) << marked.text;
  EXPECT_EQ(behind->statements.size(), 2u);
}

std::string net(const std::string& body) {
  return "net n {\n  input x: f32[4]\n" + body + "\n  output z = x |> dense(2)\n}";
}
std::string block(const std::string& body) {
  return "block b(x: tensor, k: int) {\n" + body + "\n  return x |> dense(k)\n}";
}
std::string train(const std::string& body) {
  return "train t {\n  net: n\n" + body + "\n  epochs: 20\n}";
}

TEST(Recovery, N0101SomethingElseIsExpected) {
  expect_one({"N0101", net("  input y «f32»[4]")});
  expect_one({"N0101", net("  input y «=» f32[4]")});
  expect_one({"N0101", net("  let y «x» |> relu")});
  expect_one({"N0101", net("  let y =«»")});
  expect_one({"N0101", net("  let «=» x")});
  expect_one({"N0101", net("  let y = x |> «|>» relu")});
  expect_one({"N0101", net("  let y = x |> «+» 1")});
  expect_one({"N0101", net("  let y = f(x, «,» 2)")});
  expect_one({"N0101", net("  let y = x |> f(«|>» relu)")});
  expect_one({"N0101", net("  let y = x |> dense(2)«,»")});
  expect_one({"N0101", net("  «inptu» y: f32[4]")});
  expect_one({"N0101", net("  let y = if 1 == 2 «thne» x else x")});
  expect_one({"N0101", net("  «return» x")});
  expect_one({"N0101", net("  let y = x |> repeat f «[»1, 2] { dense(f) }")});
  expect_one({"N0101", net("  let y = x |> repeat 3 { «}»")});
  expect_one({"N0101", net("  let y = (x |> relu)«)»")});
  expect_one({"N0101", net("  «const» k = 3")});
  expect_one({"N0101", net("  «block» q(x: tensor) { return x }")});
  expect_one({"N0101", net("  assert 1 == 1«»")});
  expect_one({"N0101", block("  «output» y = x")});
  expect_one({"N0101", block("  let y = if (k == 1) «{» x } else { x }")});
  expect_one({"N0101", "block b(x «tensor») { return x }"});
  expect_one({"N0101", "block b «{» return 1 }"});
  expect_one({"N0101", train("  loss«(»a, b)")});
  expect_one({"N0101", train("  batch «128» total")});
  expect_one({"N0101", train("  loss:\n  «optimizer»: adam")});
  expect_one({"N0101", train("  towers: gpu:0, «gpu:1»")});
  expect_one({"N0101", "const a«:» 3"});
  expect_one({"N0101", "use «blocks».net"});
  expect_one({"N0101", "const a = 1\n«use» \"a.net\""});
  expect_one({"N0101", "const a = 1\n«language» 1"});
  expect_one({"N0101", "net a { input x: f32[1] }\n«}»"});
  expect_one({"N0101", "net a {\n  input x: f32[1]\n«}»\n  output y = x\n}"});
}

TEST(Recovery, N0102NotConnected) {
  expect_one({"N0102", net("  let y = x\n    |> dense(8)\n    «relu»")});
  expect_one({"N0102", net("  let y = x |> dense(8) «dropout»(20%) |> relu")});
  expect_one({"N0102", net("  let y = x |> repeat 3 { dense(8) «relu» }")});
  expect_one({"N0102", net("  let y = x |> f(x |> dense(8)\n «relu»)")});
  expect_one({"N0102", "data d { train: csv(\"a\") field x: u8[3] «to_float»(scale: 1/255) field y: f32 }"});
}

TEST(Recovery, N0103NeedsLet) {
  expect_one({"N0103", net("  «y» = x |> dense(8)")});
  expect_one({"N0103", block("  «y» = x |> dense(8)\n  let w = y")});
}

TEST(Recovery, N0104NeverClosed) {
  expect_one({"N0104", "net n «{»\n  input x: f32[4]\n  output y = x\n"});
  expect_one({"N0104", net("  let y = x |> dense«(»8")});
  expect_one({"N0104", net("  let y = x |> f(«[»1, 2)")});
  expect_one({"N0104", net("  let y = x |> repeat 3 «{» dense(2)")});
  expect_one({"N0104", "block b«(»x: tensor { return x }"});
  expect_one({"N0104", "net n { input y: f32«[»3 output z = y }"});
  expect_one({"N0104", "train t {\n  metrics: «{» accuracy: accuracy(a, b)\n  loss: mse(y, z)\n}"});
}

TEST(Recovery, N0105AndN0106Strings) {
  expect_one({"N0105", "data d { train: csv(«'»a // b.csv') }"});
  expect_one({"N0105", "use «'»a.net'"});
  expect_one({"N0105", "data d { train: csv(«\u201C»a.csv\u201D) }"});
  expect_one({"N0106", "data d {\n  train: csv(«\"»a.csv)\n  test: csv(\"b.csv\")\n}"});
  expect_one({"N0106", "data d {\n  train: idx(image: \"a, label: \"b«\"»)\n  test: csv(\"b.csv\")\n}"});
}

TEST(Recovery, N0107FieldsAreNameColonValue) {
  expect_one({"N0107", train("  data «=» d")});
  expect_one({"N0107", train("  metrics: { a «=» f(x) }")});
  expect_one({"N0107", net("  let y = x |> dense(units«=»3)")});
  expect_one({"N0107", "data d { train «=» csv(\"a\") field x: f32 }"});
}

TEST(Recovery, N0108AndN0109Units) {
  expect_one({"N0108", train("  bucket: 25«Mb»")});
  expect_one({"N0108", train("  every: 5«stepz»")});
  expect_one({"N0108", train("  size: 60«k»")});
  expect_one({"N0108", "const a = 0«x1F»"});
  expect_one({"N0109", train("  validate: 250« »steps")});
  expect_one({"N0109", net("  let y = x |> dropout(20« »%)")});
}

TEST(Recovery, N0110PipelineSign) {
  expect_one({"N0110", net("  let y = x «||>» relu")});
  expect_one({"N0110", net("  let y = x «|» relu")});
  expect_one({"N0110", net("  let y = x «->» relu")});
  expect_one({"N0110", net("  let y = x «|>>» relu")});
}

TEST(Recovery, N0111MissingComma) {
  expect_one({"N0111", net("  let y = x |> conv2d(32« »3)")});
  expect_one({"N0111", net("  let y = x |> conv2d(32, 3, padding: same« »stride: 2)")});
  expect_one({"N0111", "block b(x: tensor« »k: int) { return x }"});
  expect_one({"N0111", "const a = [1« »2]"});
  expect_one({"N0111", net("  let (a« »b) = x |> split(2)")});
}

TEST(Recovery, N0112ElseIsNeeded) {
  expect_one({"N0112", block("  let y = «if» k == 1 then x")});
  expect_one({"N0112", block("  let y = x |> («if» k == 1 then relu)")});
}

TEST(Recovery, N0113NotADeclaration) {
  expect_one({"N0113", "«model» a {\n  input x: f32[4]\n}"});
  expect_one({"N0113", "const a = 1\n«netwrok» b { input x: f32[4] }"});
  expect_one({"N0113", "«let» a = 1"});
  expect_one({"N0113", "«foo» bar baz"});
}

TEST(Recovery, N0114NoMeaning) {
  expect_one({"N0114", net("  let y = x«;»")});
  expect_one({"N0114", net("  input y «:=» f32[4]")});
  expect_one({"N0114", net("  let y «:=» x")});
  expect_one({"N0114", "const a = 2 «**» 3"});
  expect_one({"N0114", "const a = b «&&» c"});
  expect_one({"N0114", "const a = b «||» c"});
  expect_one({"N0114", "const a = «!»b"});
  expect_one({"N0114", "const a = 5 «%» 2"});
  expect_one({"N0114", "const a = «$»"});
  expect_one({"N0114", "const gr«\u00f6»sse = 1"});
  expect_one({"N0114", "const a = \"C:«\\d»ata\""});
  expect_one({"N0114", net("  let y = x |> repeat i in 0«..»6 { dense(i) }")});
  expect_one({"N0114", "block b(x: tensor) «->» tensor { return x }"});
}

TEST(Recovery, N0115ToN0117) {
  expect_one({"N0115", "language «2»"});
  expect_one({"N0115", "language «0»"});
  expect_one({"N0116", "train «total» {\n  net: a\n  data: d\n  batch: 8 total\n}"});
  expect_one({"N0116", net("  let «in» = x")});
  expect_one({"N0116", net("  let y = x |> dense(3) as «class»")});
  expect_one({"N0116", "block b(«class»: int) { return 1 }"});
  expect_one({"N0116", "const «train» = 3"});
  expect_one({"N0117", train("  towers: gpu:« »0")});
  expect_one({"N0117", train("  towers: [gpu:0, «gpu 1»]")});
  expect_one({"N0117", train("  towers: «cuda:1»")});
}

TEST(Recovery, SeveralMistakesAreAllReportedInOrder) {
  const Parsed parsed = parse_text(
      "langage 1\nconst a: 3\nnet n {\n  input x f32[4]\n  y = x |> dense(3 4)\n  output z = y relu\n}\n"
      "train t {\n  net = n\n  batch: 3 total;\n}\nplan p { towers: gpu: 0 }\n");
  EXPECT_EQ(parsed.codes(),
            (std::vector<std::string>{"N0113", "N0101", "N0101", "N0103", "N0111", "N0102", "N0107", "N0114", "N0117"}))
      << parsed.text();
}

TEST(Recovery, SaysWhatIsBroken) {
  const Parsed parsed = parse_text(
      "net a { input x: f32[1] return x }\nnet b { input x: f32[1] let y = }\ntrain t { [1] loss: a }\nfoo { }");
  EXPECT_TRUE(std::get<ast::NetDecl>(parsed.file.decls[0]).broken);  // a statement is missing
  const auto& b = std::get<ast::NetDecl>(parsed.file.decls[1]);
  EXPECT_FALSE(b.broken);  // nothing is missing: the value says itself that it could not be read
  EXPECT_TRUE(std::get<ast::Let>(b.statements[1]).value->is<ast::Broken>());
  EXPECT_TRUE(std::get<ast::TrainDecl>(parsed.file.decls[2]).broken);
  EXPECT_TRUE(parsed.file.broken);
}

}  // namespace
}  // namespace netc::test
