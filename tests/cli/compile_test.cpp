// netc compile: every stage prints, the text is stable, and what may not be compiled is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run.h"
#include "tests/cli/sample_models.h"
#include "tests/support/temporary_folder.h"

namespace netc {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Compile : public ::testing::Test {
 protected:
  Ran emit(const std::string& stage, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"compile", folder_.write("model.net", kSmallModel), "--emit=" + stage, "--target=plain"});
    return run(options);
  }
  TemporaryFolder folder_;
};

TEST_F(Compile, EveryStagePrintsTheSameTextTwice) {
  for (const char* stage : {"ast", "graph", "gradient", "program", "towers", "kernels"}) {
    const Ran ran = emit(stage);
    EXPECT_EQ(ran.code, 0) << stage << ": " << ran.err;
    EXPECT_THAT(ran.err, IsEmpty()) << stage;
    EXPECT_GT(ran.out.size(), 100u) << stage;
    EXPECT_EQ(ran.out, emit(stage).out) << stage;
  }
}

TEST_F(Compile, TheTreeReadsAsTheModel) {
  const std::string text = emit("ast").out;
  EXPECT_THAT(text, HasSubstr("net small {"));
  const std::string again = folder_.write("printed.net", text);
  EXPECT_EQ(run({"compile", again, "--emit=ast", "--target=plain"}).out, text);
}

TEST_F(Compile, StagesSpeakTheirOwnWords) {
  EXPECT_THAT(emit("graph").out, HasSubstr("fc1.weight"));
  EXPECT_THAT(emit("graph").out, Not(HasSubstr("fc1.weight/")));        // slots come with the gradient
  EXPECT_THAT(emit("gradient").out, HasSubstr("fc1.weight/"));
  EXPECT_THAT(emit("program", {"--program=predict"}).out, HasSubstr("probs"));
  EXPECT_THAT(emit("program").out, Not(HasSubstr("probs")));            // an output no loss needs is not computed
  EXPECT_THAT(emit("towers", {"--towers=cpu:0,cpu:1,cpu:2"}).out, HasSubstr("cpu:2"));
  EXPECT_THAT(emit("kernels").out, Not(HasSubstr("#include")));
}

TEST_F(Compile, FusionIsSeen) { EXPECT_LT(emit("program").out.size(), emit("program", {"--unfused"}).out.size()); }

TEST_F(Compile, TimesGoToStandardError) {
  const Ran ran = emit("program", {"--times"});
  EXPECT_THAT(ran.err, HasSubstr(" ms  train/fuse"));
  EXPECT_EQ(ran.out, emit("program").out);
}

TEST_F(Compile, WhatIsAskedForMustExist) {
  EXPECT_THAT(run({"compile", folder_ / "model.net"}).err, HasSubstr("needs --emit"));
  EXPECT_THAT(emit("gradients").err, HasSubstr("did you mean `gradient`?"));
  const Ran target = run({"compile", folder_.write("model.net", kSmallModel), "--emit=graph", "--target=avx1024"});
  EXPECT_EQ(target.code, 1);
  EXPECT_THAT(target.err, HasSubstr("one of "));
}

TEST_F(Compile, AModelWithMistakesIsNotCompiled) {
  const std::string file = folder_.write("wrong.net", small_model_with("dense(3)", "dense(4)"));
  const Ran ran = run({"compile", file, "--emit=program"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("error[N0602]"));
}

}  // namespace
}  // namespace netc
