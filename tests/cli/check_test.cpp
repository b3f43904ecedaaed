// netc check: messages, exit codes and JSON; and that no file whatever its bytes brings it down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run.h"
#include "tests/cli/sample_models.h"
#include "tests/support/temporary_folder.h"

namespace netc {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class Check : public ::testing::Test {
 protected:
  Ran check(const std::string& text, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"check", folder_.write("model.net", text)});
    return run(options);
  }
  TemporaryFolder folder_;
};

TEST_F(Check, ARightFile) {
  const Ran ran = check(kSmallModel);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_THAT(ran.out, HasSubstr("model.net: no mistakes\n"));
}

TEST_F(Check, ShapesOfTheLayers) {
  const Ran ran = check(kSmallModel, {"--shapes"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("fc1"));
  EXPECT_THAT(ran.out, HasSubstr("83 weights"));   // 6*8+8 + 8*3+3
}

TEST_F(Check, SetChangesAParam) {
  EXPECT_THAT(check(kSmallModel, {"--shapes", "--set", "width=16"}).out, HasSubstr("163 weights"));
  EXPECT_THAT(check(kSmallModel, {"--set", "wdith=16"}).err, HasSubstr("`width`"));
  EXPECT_EQ(check(kSmallModel, {"--set", "width=wide"}).code, 1);
  EXPECT_THAT(check(kSmallModel, {"--set", "width"}).err, HasSubstr("NAME=VALUE"));
}

TEST_F(Check, MistakesAreCountedAndExitOne) {
  const Ran ran = check(small_model_with("relu", "rleu"));
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("error[N0202]"));
  EXPECT_THAT(ran.err, HasSubstr("`relu`"));
  EXPECT_THAT(ran.err, HasSubstr("model.net: 1 error\n"));
}

TEST_F(Check, ABareBatchNumber) {
  const Ran ran = check(small_model_with("20 total", "20"));
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("error[N0701]"));
}

TEST_F(Check, StrictFailsOnWarnings) {
  const std::string twice = small_model_with("|> relu |> dense(3)", "|> dense(3)");   // W1110
  EXPECT_EQ(check(twice).code, 0);
  EXPECT_THAT(check(twice).err, HasSubstr("warning[W1110]"));
  EXPECT_EQ(check(twice, {"--strict"}).code, 1);
}

TEST_F(Check, JsonOfARightFile) {
  const Ran ran = check(kSmallModel, {"--json", "--shapes"});
  EXPECT_EQ(ran.code, 0);
  const Json report = Json::parse(ran.out);
  EXPECT_EQ(report["errors"], 0);
  EXPECT_EQ(report["diagnostics"], Json::array());
  EXPECT_EQ(report["unavailable"], Json::array());
  ASSERT_EQ(report["nets"].size(), 1u);
  EXPECT_EQ(report["nets"][0]["net"], "small");
  EXPECT_EQ(report["nets"][0]["weights"], 83);
  for (const char* key : {"depth", "name", "kind", "in", "out", "weights", "used_in_training"})
    EXPECT_TRUE(report["nets"][0]["rows"][0].contains(key)) << key;
}

TEST_F(Check, JsonOfAMistake) {
  const Ran ran = check(small_model_with("relu", "rleu"), {"--json"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, IsEmpty());
  const Json report = Json::parse(ran.out);
  EXPECT_EQ(report["errors"], 1);
  const Json& mistake = report["diagnostics"][0];
  EXPECT_EQ(mistake["code"], "N0202");
  EXPECT_EQ(mistake["severity"], "error");
  EXPECT_EQ(mistake["line"], 14);
  EXPECT_EQ(mistake["column"], 47);
  EXPECT_FALSE(report.contains("nets"));
}

// ---------------------------------------------------------------- files that are hardly models

TEST_F(Check, AnEmptyFileHoldsNothingToTrain) {
  for (const char* text : {"", "\n\n", "// only a comment", "\xEF\xBB\xBF"}) {
    const Ran ran = check(text);
    EXPECT_LE(ran.code, 1) << ran.err;
    EXPECT_EQ(run({"train", folder_ / "model.net"}).code, 1);
  }
}

TEST_F(Check, ByteOrderMarkAndCarriageReturnsMeanNothing) {
  std::string crlf = "\xEF\xBB\xBF";
  for (char c : kSmallModel) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(check(crlf).code, 0) << check(crlf).err;
}

TEST_F(Check, BinaryIsRefusedInWords) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 7919 >> 3);
  const Ran ran = check(bytes);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("error[N0"));
  EXPECT_EQ(check(std::string("net\0a", 5)).code, 1);
}

TEST_F(Check, AMegabyteOnOneLine) {
#if defined(__SANITIZE_ADDRESS__)   // which make it ten times slower; tests/syntax tries a whole megabyte under them
  constexpr size_t kBytes = 100'000;
#else
  constexpr size_t kBytes = 1 << 20;
#endif
  EXPECT_EQ(check(std::string(kBytes, 'x')).code, 1);
  EXPECT_EQ(check("const a = \"" + std::string(kBytes, 'x')).code, 1);
  EXPECT_EQ(check("// " + std::string(kBytes, 'x') + "\n" + kSmallModel).code, 0);
  std::string sum = "const a = 1";
  while (sum.size() < kBytes) sum += " + 1";
  EXPECT_EQ(check(sum).code, 1);
  EXPECT_EQ(check("const a = " + std::string(kBytes, '(')).code, 1);
}

TEST_F(Check, AMissingFileIsTheMachinesFault) {
  const std::string model = folder_.write("classes.net", kSmallModel);
  const Ran ran = run({"check", folder_ / "clases.net"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("cannot read"));
  EXPECT_THAT(ran.err, HasSubstr("classes.net`"));
  EXPECT_EQ(run({"check", folder_ / "."}).code, 2);
}

}  // namespace
}  // namespace netc
