// netc test: case files are blessed, compared, and fail in words; devices are compared with the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/case_file.h"
#include "runtime/jit/nvrtc.h"
#include "tests/cli/run.h"
#include "tests/cli/sample_models.h"
#include "tests/support/temporary_folder.h"

namespace netc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Cases : public ::testing::Test {
 protected:
  std::string write(const std::string& sections) { return folder_.write("cases/small.case", std::string(kSmallModel) + sections); }
  TemporaryFolder folder_;
};

TEST_F(Cases, AreReadAndWrittenUnchanged) {
  const std::string text = std::string(kSmallModel) + "--- check --shapes\nsome\n\ntext\n--- compile --emit=program\n";
  const CaseFile file = parse_case(text);
  EXPECT_EQ(file.model, kSmallModel);
  ASSERT_EQ(file.sections.size(), 2u);
  EXPECT_EQ(file.sections[0].text, "some\n\ntext\n");
  EXPECT_EQ(file.sections[1].words, (std::vector<std::string>{"compile", "--emit=program"}));
  EXPECT_EQ(to_text(file), text);
}

TEST_F(Cases, AreBlessedOnceAndHoldFromThenOn) {
  const std::string path = write("--- check --shapes\n--- compile --emit=program --target plain\n--- compile --emit=kernels --arch sm_90\n");
  EXPECT_EQ(run({"test", path}).code, 1);
  const Ran blessed = run({"test", path, "--bless"});
  EXPECT_EQ(blessed.code, 0) << blessed.out << blessed.err;
  EXPECT_THAT(blessed.out, HasSubstr("blessed"));
  EXPECT_THAT(read_file(path), HasSubstr("__global__"));
  const Ran again = run({"test", folder_ / "cases"});
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("1 of 1 case holds"));
  EXPECT_THAT(run({"test", path, "--bless"}).out, Not(HasSubstr("blessed")));
}

TEST_F(Cases, SayTheFirstLineThatDiffers) {
  const std::string path = write("--- check --shapes\n");
  run({"test", path, "--bless"});
  std::string text = read_file(path);
  const size_t weights = text.rfind("weights");
  text.replace(weights, 7, "wheights");
  folder_.write("cases/small.case", text);
  const Ran ran = run({"test", path});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("expected"));
  EXPECT_THAT(ran.out, HasSubstr("wheights"));
  EXPECT_THAT(ran.out, HasSubstr("0 of 1 case holds"));
}

TEST_F(Cases, ADiagnosticIsAPromiseToo) {
  const std::string path = folder_.write("wrong.case", small_model_with("relu", "rleu") + "--- check\n");
  run({"test", path, "--bless"});
  EXPECT_THAT(read_file(path), HasSubstr("did you mean"));
  EXPECT_THAT(read_file(path), HasSubstr("exit 1"));
  EXPECT_EQ(run({"test", path}).code, 0);
}

TEST_F(Cases, DevicesAgreeWithTheReference) {
  const Ran ran = run({"test", write("--- agree 3 steps on cpu:0, cpu:0+cpu:1\n")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST_F(Cases, SimulatedGpusAgreeWithTheReference) {
  if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  const Ran ran = run({"test", write("--- agree 3 steps on sim:0, sim:0+sim:1+sim:2\n")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("left out")));
}

TEST_F(Cases, WhatIsNoSectionIsSaid) {
  EXPECT_THAT(run({"test", write("--- train --epochs 9\n")}).out, HasSubstr("a section begins with"));
  EXPECT_THAT(run({"test", write("--- agree on cpu:0\n")}).out, HasSubstr("agree 3 steps on"));
  EXPECT_EQ(run({"test", folder_ / "nowhere"}).code, 1);
}

}  // namespace
}  // namespace netc
