// The command line: values, misspellings, and the text of --help.
#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace netc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Line {
  std::string file, train;
  std::vector<std::string> settings;
  std::optional<int64_t> epochs, steps;
  std::optional<uint64_t> seed;
  std::string emit;
  bool json = false;

  Arguments declared() {
    Arguments arguments("sample", "does something");
    arguments.positional("FILE", "the model", &file)
        .option("--train", "NAME", "which train", &train)
        .option("--set", "NAME=VALUE", "another value", &settings)
        .option("--epochs", "N", "this many epochs", &epochs)
        .option("--steps", "N", "this many updates", &steps)
        .excludes("--epochs")
        .option("--seed", "N", "another seed", &seed)
        .option("-e,--emit", "STAGE", "what to print", &emit)
        .one_of({"ast", "graph"})
        .flag("--json", "as JSON", &json)
        .example("netc sample model.net", "does it to the model");
    return arguments;
  }
  bool parse(std::vector<std::string> words) { return declared().parse(words); }
  std::string fault(std::vector<std::string> words) {
    try {
      parse(std::move(words));
    } catch (const UsageError& error) {
      return std::string(error.what()) + " | " + error.help;
    }
    return "none";
  }
};

TEST(Arguments, TakesValuesInEveryForm) {
  Line line;
  EXPECT_TRUE(line.parse({"--train=a", "model.net", "--set", "x=1", "--set=y=2", "--json", "--seed", "0", "-e", "ast"}));
  EXPECT_EQ(line.file, "model.net");
  EXPECT_EQ(line.train, "a");
  EXPECT_THAT(line.settings, ElementsAre("x=1", "y=2"));
  EXPECT_TRUE(line.json);
  EXPECT_EQ(line.seed, 0u);
  EXPECT_EQ(line.emit, "ast");
  EXPECT_FALSE(line.epochs.has_value());
}

TEST(Arguments, AValueMayNotSwallowThePositional) {
  Line line;
  EXPECT_TRUE(line.parse({"--set", "x=1", "model.net"}));
  EXPECT_THAT(line.settings, ElementsAre("x=1"));
  EXPECT_EQ(line.file, "model.net");
}

TEST(Arguments, HelpIsAsked) {
  EXPECT_FALSE(Line().parse({"--help"}));
  EXPECT_FALSE(Line().parse({"model.net", "-h"}));
}

TEST(Arguments, MisspeltOptionGetsTheClosest) {
  EXPECT_EQ(Line().fault({"model.net", "--epoch", "3"}),
            "`netc sample` has no option `--epoch` | did you mean `--epochs`?");
  EXPECT_EQ(Line().fault({"model.net", "--trian=a"}), "`netc sample` has no option `--trian` | did you mean `--train`?");
  EXPECT_THAT(Line().fault({"model.net", "--verbose"}), HasSubstr("`netc sample --help`"));
}

TEST(Arguments, FaultsAreSaidInWords) {
  EXPECT_THAT(Line().fault({}), HasSubstr("`netc sample` needs FILE"));
  EXPECT_THAT(Line().fault({"a.net", "b.net"}), HasSubstr("`b.net` is one argument too many"));
  EXPECT_THAT(Line().fault({"a.net", "--train"}), HasSubstr("`--train` needs a value"));
  EXPECT_THAT(Line().fault({"a.net", "--train", "x", "--train", "y"}), HasSubstr("`--train` is given twice"));
  EXPECT_THAT(Line().fault({"a.net", "--epochs", "two"}), HasSubstr("`--epochs` wants a whole number from 1 up, got `two`"));
  EXPECT_THAT(Line().fault({"a.net", "--epochs", "0"}), HasSubstr("from 1 up"));
  EXPECT_THAT(Line().fault({"a.net", "--seed", "99999999999999999999999"}), HasSubstr("whole number from 0 up"));
  EXPECT_THAT(Line().fault({"a.net", "--epochs", "1", "--steps", "5"}), HasSubstr("give `--epochs` or `--steps`, not both"));
  EXPECT_THAT(Line().fault({"a.net", "--emit", "grph"}),
              HasSubstr("wants one of ast, graph; got `grph` | did you mean `graph`?"));
}

TEST(Arguments, HelpText) {
  EXPECT_EQ(Line().declared().help(), R"(netc sample: does something

usage: netc sample FILE [options]

  FILE                    the model

options:
  --train NAME            which train
  --set NAME=VALUE        another value
  --epochs N              this many epochs
  --steps N               this many updates
  --seed N                another seed
  -e, --emit=ast|graph    what to print
  --json                  as JSON
  -h, --help              this text

examples:
  netc sample model.net
      does it to the model
)");
}

}  // namespace
}  // namespace netc
