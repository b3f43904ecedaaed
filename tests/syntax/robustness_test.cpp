// Whatever the bytes are, reading ends, and says what is wrong in a few words.
#include <gtest/gtest.h>

#include "compiler/syntax/literal.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/print.h"
#include "tests/syntax/support.h"

namespace netc::test {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::vector<std::string> codes_of(const std::string& text) {
  const Parsed parsed = parse_text(text);
  parsed.text();  // printing must survive it too
  to_json(*parsed.diagnostics);
  return parsed.codes();
}

TEST(Robustness, EmptyFilesAreTold) {
  for (const char* text : {"", "\n", "\xEF\xBB\xBF", "// only a comment", "\xEF\xBB\xBF\r\n\r\n"}) {
    EXPECT_EQ(codes_of(text), std::vector<std::string>{"N0101"}) << text;
  }
}

TEST(Robustness, BinaryAndOtherEncodingsAreTold) {
  EXPECT_EQ(codes_of(std::string("net a\0 {", 8)), std::vector<std::string>{"N0119"});
  EXPECT_EQ(codes_of("\x7f"
                     "ELF\x02\x01\x01\xC0\xFF"),
            std::vector<std::string>{"N0119"});
  EXPECT_EQ(codes_of("// gr\xFCn in Latin 1"), std::vector<std::string>{"N0119"});
  EXPECT_EQ(codes_of("\xFF\xFEn\0e\0t\0"), std::vector<std::string>{"N0119"});
  EXPECT_EQ(codes_of("const a = \"\xED\xA0\x80\""), std::vector<std::string>{"N0119"});  // a lone surrogate
  EXPECT_EQ(codes_of("const a = \"\xC0\x80\""), std::vector<std::string>{"N0119"});      // an overlong zero
}

TEST(Robustness, ByteOrderMarkAndLineEndsMeanNothing) {
  const std::string unix_text = read_case("examples/resnet.net");
  std::string dos_text = "\xEF\xBB\xBF", mac_text;
  for (const char c : unix_text) {
    dos_text += c == '\n' ? "\r\n" : std::string(1, c);
    mac_text += c == '\n' ? '\r' : c;
  }
  const Parsed expected = parse_text(unix_text);
  for (const std::string& text : {dos_text, mac_text}) {
    const Parsed parsed = parse_text(text);
    EXPECT_EQ(parsed.text(), "");
    EXPECT_EQ(structure(parsed.file), structure(expected.file));
  }
  const Parsed broken = parse_text("\xEF\xBB\xBF\xEF\xBB\xBFnet a {\r\n  let x = @1\r\n}\r\n");
  EXPECT_EQ(broken.sources->describe(broken.diagnostics->sorted().at(0)->span), "test.net:2:11");
}

TEST(Robustness, AMegabyteOnOneLine) {
  std::string stages;
  while (stages.size() < 1'000'000) stages += " |> dense(64) |> relu";
  EXPECT_EQ(codes_of("net n { input x: f32[64] output y = x" + stages + " }"), std::vector<std::string>{});
  EXPECT_EQ(codes_of("net n { input x: f32[64] output y = x" + stages.substr(0, stages.size() / 10) + " relu }"),
            std::vector<std::string>{"N0102"});
  EXPECT_EQ(codes_of("// " + repeated("x", 1'000'000)), std::vector<std::string>{"N0101"});
  EXPECT_EQ(codes_of("const a = \"" + repeated("x", 1'000'000)), std::vector<std::string>{"N0106"});
  EXPECT_EQ(codes_of("const " + repeated("x", 1'000'000) + " = 3"), std::vector<std::string>{});
  EXPECT_EQ(codes_of("const a = " + repeated("9", 1'000'000)), std::vector<std::string>{"N0310"});
}

TEST(Robustness, ManyTimesTheSameMistakeGivesFewMessages) {
  for (const char* text : {";",          "|",
                           "'",          "\"",
                           "@",          "}",
                           "{",          ")",
                           "(",          "]",
                           "[",          "a ",
                           "a=",         "1 ",
                           "a b c ",     "let ",
                           "net ",       "net a {",
                           "net a{}}",   "const a = ",
                           "const a=1;", "use \"\n",
                           "|> ",        "= ",
                           "*",          "..",
                           ":=",         "/*",
                           "if ",        "repeat ",
                           "{(",         "(}",
                           "}{",         "'a",
                           "\xC3\xBC",   "gpu: 0 ",
                           "5Mb ",       "train t { net: ",
                           "f(",         "block b(",
                           "-",          "not ",
                           "^",          "a.",
                           "\"a\\q\""}) {
    const std::string whole = repeated(text, static_cast<int>(50'000 / std::string(text).size()));
    const Parsed parsed = parse_text(whole);
    EXPECT_TRUE(parsed.diagnostics->has_errors()) << text;
    EXPECT_LE(parsed.diagnostics->sorted().size(), Diagnostics::kMostRecords) << text;
    parsed.text();
    print(parsed.file);
  }
}

TEST(Robustness, DeepNestingIsRefused) {
  for (const auto& [open, close] : std::vector<std::pair<std::string, std::string>>{{"(", ")"},
                                                                                    {"[", "]"},
                                                                                    {"f(", ")"},
                                                                                    {"-", ""},
                                                                                    {"not ", ""},
                                                                                    {"2 ^ ", ""},
                                                                                    {"if a then b else ", ""},
                                                                                    {"if ", " then a else b"},
                                                                                    {"x |> f(", ")"}}) {
    EXPECT_EQ(codes_of("const a = " + repeated(open, 10'000) + "1" + repeated(close, 10'000)),
              std::vector<std::string>{"N0118"})
        << open;
    const int fine = kMaxNesting - 10;
    EXPECT_EQ(codes_of("const a = " + repeated(open, fine) + "1" + repeated(close, fine)), std::vector<std::string>{})
        << open;
  }
  for (const std::string more : {" + 1", ".b", "(1)", "[1]", " and b"}) {
    EXPECT_EQ(codes_of("const a = b" + repeated(more, 100'000)), std::vector<std::string>{"N0118"}) << more;
    EXPECT_EQ(codes_of("const a = b" + repeated(more, kMaxOperators - 10)), std::vector<std::string>{}) << more;
  }
  EXPECT_EQ(codes_of("net n { output y = x" + repeated(" |> repeat 2 { a", 10'000) + repeated(" }", 10'000) + " }"),
            std::vector<std::string>{"N0118"});
  EXPECT_EQ(codes_of("train t { a: " + repeated("{ b: ", 10'000) + "1" + repeated("}", 10'000) + "}"),
            std::vector<std::string>{"N0118"});
  // Long is not deep.
  EXPECT_EQ(codes_of("const a = [" + repeated("-1, ", 20'000) + "]"), std::vector<std::string>{});
}

TEST(Robustness, EveryPrefixOfAnExampleIsRead) {
  const std::string text = read_case("examples/tcn.net");
  for (size_t length = 0; length < text.size(); length += 7) codes_of(text.substr(0, length));
}

TEST(Literals, AreReadExactly) {
  EXPECT_EQ(read_int("1_000"), 1000);
  EXPECT_EQ(read_int("1__0"), std::nullopt);
  EXPECT_EQ(read_int("_1"), std::nullopt);
  EXPECT_EQ(read_int(""), std::nullopt);
  EXPECT_EQ(read_float("1_0.5e1"), 105.0);
  EXPECT_EQ(read_float("inf"), std::nullopt);
  EXPECT_EQ(read_float("1.5x"), std::nullopt);
  EXPECT_EQ(read_percent("0.0004%"), 0.000004);
  EXPECT_EQ(read_percent("%"), std::nullopt);
  EXPECT_EQ(read_quantity("5"), std::nullopt);
  EXPECT_EQ(read_quantity("epochs"), std::nullopt);
  EXPECT_EQ(read_quantity("1e3steps")->value, 1000);
  size_t bad = 0;
  EXPECT_EQ(unescape("a\\x", &bad), std::nullopt);
  EXPECT_EQ(bad, 1u);
  EXPECT_EQ(unescape("\\", &bad), std::nullopt);
  EXPECT_EQ(unescape("\\u{1F600}", &bad), "\xF0\x9F\x98\x80");
  EXPECT_EQ(unescape("\\u{D800}", &bad), std::nullopt);
  std::string every;
  for (int c = 0; c < 128; ++c) every += static_cast<char>(c);
  const std::string quoted = quote(every);
  EXPECT_EQ(unescape(quoted.substr(1, quoted.size() - 2), &bad), every);
}

}  // namespace
}  // namespace netc::test
