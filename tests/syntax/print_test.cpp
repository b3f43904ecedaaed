#include "compiler/syntax/print.h"

#include <gtest/gtest.h>

#include "tests/syntax/support.h"

namespace netc::test {
namespace {

TEST(Print, ReadingItAgainGivesTheSameTreeAndTheSameText) {
  std::vector<std::string> files = case_files("examples");
  for (const std::string& file : case_files("bad")) {
    if (parse_case(file).diagnostics->empty()) files.push_back(file);
  }
  ASSERT_GT(files.size(), 30u);
  for (const std::string& file : files) {
    const Parsed first = parse_case(file);
    const std::string text = print(first.file);
    const Parsed second = parse_text(text);
    EXPECT_EQ(second.text(), "") << file << "\n" << text;
    EXPECT_EQ(structure(second.file), structure(first.file)) << file;
    EXPECT_EQ(print(second.file), text) << file;
  }
}

// Every operator inside every other, on both sides: parentheses exactly where the tree needs them.
TEST(Print, ParenthesesKeepTheTree) {
  const std::vector<std::string> operators = {"^", "*", "/", "+", "-", "..<", "<", "<=", "==", "!=", "and", "or"};
  std::vector<std::string> operands = {
      "a", "-a", "not a", "f(a)", "a.b", "a[1]", "(a |> f)", "(if a then b else c)", "(a, b)", "(a,)"};
  for (const std::string& op : operators) operands.push_back("(a " + op + " b)");
  for (const std::string& op : operators) {
    for (const std::string& left : operands) {
      for (const std::string& right : operands) {
        const Parsed first = parse_text("const x = " + left + " " + op + " " + right);
        const std::string text = print(first.file);
        const Parsed second = parse_text(text);
        ASSERT_EQ(structure(second.file), structure(first.file)) << text;
        ASSERT_LE(text.size(), ("const x = " + left + " " + op + " " + right + "\n").size() + 2)
            << "needless parentheses: " << text;
      }
    }
  }
}

TEST(Print, LooksLikeThis) {
  const Parsed parsed = parse_text(
      "language 1 use \"a.net\" as a const k=3 param w:int=64\n"
      "/// The data.\ndata d{test:csv(\"b.csv\"),train:csv(\"a.csv\") field x:f32[2]from[\"a\",\"b\"]|>standardize}\n"
      "block b(x:tensor,f:int=3){assert f>0,\"f\" return if f==1 then x else x|>dense(f)}\n"
      "net n{input x:f32[2] let(p,q)=x|>split(2) output y=p|>dense(128,bias:false,init:he_normal)as "
      "first|>relu|>dropout(20%)|>dense(128)as second|>relu\n"
      "output z=x|>repeat(a,b)in[(64,3),(128,4),(256,6),(512,3),(1024,2)]{dense(a,bias:false)as inner|>relu|>repeat "
      "b-1{dense(a)|>relu}}as body}\n"
      "train t{net:n data:d loss:{first:mse(y,q),second:0.50*mae(z,q)}batch:128 per tower epochs:2_0}");
  ASSERT_EQ(parsed.text(), "");
  EXPECT_EQ(print(parsed.file), R"(language 1
use "a.net" as a

const k = 3
param w: int = 64

/// The data.
data d {
  test:  csv("b.csv")
  train: csv("a.csv")

  field x: f32[2] from ["a", "b"] |> standardize
}

block b(x: tensor, f: int = 3) {
  assert f > 0, "f"
  return if f == 1 then x else x |> dense(f)
}

net n {
  input x: f32[2]
  let (p, q) = x |> split(2)
  output y = p
    |> dense(128, bias: false, init: he_normal) as first
    |> relu
    |> dropout(20%)
    |> dense(128) as second
    |> relu
  output z = x
    |> repeat (a, b) in [(64, 3), (128, 4), (256, 6), (512, 3), (1024, 2)] {
         dense(a, bias: false) as inner
         |> relu
         |> repeat b - 1 { dense(a) |> relu }
       } as body
}

train t {
  net:    n
  data:   d
  loss:   { first: mse(y, q), second: 0.50 * mae(z, q) }
  batch:  128 per tower
  epochs: 2_0
}
)");
}

TEST(Print, NumbersMadeByTheCompilerReadBackTheSame) {
  for (const double value : {0.1, 1.0, 1e-300, 3e22, 123456.789}) {
    const ast::Expr expr{ast::FloatLiteral{value, ""}, {}};
    const std::string text = print(expr);
    const Parsed parsed = parse_text("const a = " + text);
    const auto* read = std::get<ast::ConstDecl>(parsed.file.decls.at(0)).value->as<ast::FloatLiteral>();
    ASSERT_NE(read, nullptr) << text;
    EXPECT_EQ(read->value, value) << text;
  }
}

}  // namespace
}  // namespace netc::test
