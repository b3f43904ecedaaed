// The help texts and the messages of a wrong command line, as golden text: they are part of what a user relies on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands.h"
#include "tests/cli/run.h"

namespace netc {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Help, Overview) {
  const Ran ran = run({"--help"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, R"(netc trains networks written in .net files.

usage: netc COMMAND [arguments]

commands:
  check     look for mistakes in a model; show its layers
  compile   show what a model becomes at every stage
  train     train a model
  eval      measure a trained model on a split of its data
  predict   run a trained model on new data
  test      compare what becomes of models with .case files
  layers    list the layers, or explain one
  explain   say what a diagnostic code means
  version   say what this netc is and what it found here

`netc COMMAND --help` explains one.

examples:
  netc check models/tiny.net --shapes
  netc train models/tiny.net --output runs/tiny
  netc eval runs/tiny --split test

exit status: 0 all went well; 1 the model or the command line is wrong; 2 the machine is (a missing file, a full
disk); 3 netc is.
)");
}

TEST(Help, EveryCommandExplainsItselfWithExamples) {
  for (const Command& command : command_table()) {
    const Ran ran = run({command.name, "--help"});
    EXPECT_EQ(ran.code, 0) << command.name;
    EXPECT_THAT(ran.err, IsEmpty());
    EXPECT_THAT(ran.out, HasSubstr("usage: netc " + std::string(command.name)));
    EXPECT_THAT(ran.out, HasSubstr("\nexamples:\n  netc " + std::string(command.name)));
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST(Help, NoCommandShowsTheOverviewAndFails) {
  const Ran ran = run({});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("usage: netc COMMAND"));
}

TEST(Help, UnknownCommand) {
  const Ran ran = run({"trian", "model.net"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "netc: netc has no command `trian`\n  did you mean `netc train`?\n");
  EXPECT_THAT(run({"frobnicate"}).err, HasSubstr("`netc --help` lists the commands"));
}

TEST(Help, UnknownOption) {
  const Ran ran = run({"train", "model.net", "--epoch=3"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "netc: `netc train` has no option `--epoch`\n  did you mean `--epochs`?\n");
}

TEST(Layers, ListsAndExplains) {
  EXPECT_THAT(run({"layers"}).out, HasSubstr("dense"));
  EXPECT_THAT(run({"layers", "dense"}).out, HasSubstr("units"));
  const Ran unknown = run({"layers", "danse"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("nothing called `danse`"));
}

TEST(Version, SaysWhatItFound) {
  const Ran ran = run({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, ::testing::StartsWith("netc " NETC_VERSION));
  EXPECT_THAT(ran.out, HasSubstr("language"));
  EXPECT_THAT(ran.out, HasSubstr("processor"));
  EXPECT_THAT(ran.out, HasSubstr("C compiler"));
}

}  // namespace
}  // namespace netc
