// Finds the command, and turns what it throws into a message and an exit code.
#include <algorithm>
#include <new>
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "compiler/base/errors.h"
#include "compiler/base/text_distance.h"

namespace netc {
namespace {

constexpr Command kCommands[] = {
    {"check", "look for mistakes in a model; show its layers", run_check},
    {"compile", "show what a model becomes at every stage", run_compile},
    {"train", "train a model", run_train},
    {"eval", "measure a trained model on a split of its data", run_eval},
    {"predict", "run a trained model on new data", run_predict},
    {"test", "compare what becomes of models with .case files", run_test},
    {"layers", "list the layers, or explain one", run_layers},
    {"explain", "say what a diagnostic code means", run_explain},
    {"version", "say what this netc is and what it found here", run_version},
};

std::string overview() {
  std::string text =
      "netc trains networks written in .net files.\n\n"
      "usage: netc COMMAND [arguments]\n\n"
      "commands:\n";
  for (const Command& command : kCommands) {
    std::string row = std::string("  ") + command.name;
    row.resize(12, ' ');
    text += row + command.summary + "\n";
  }
  text +=
      "\n`netc COMMAND --help` explains one.\n"
      "\nexamples:\n"
      "  netc check models/tiny.net --shapes\n"
      "  netc train models/tiny.net --output runs/tiny\n"
      "  netc eval runs/tiny --split test\n"
      "\nexit status: 0 all went well; 1 the model or the command line is wrong; 2 the machine is (a missing file, a full\n"
      "disk); 3 netc is.\n";
  return text;
}

int dispatch(const std::vector<std::string>& words, Terminal& terminal) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    (words.empty() ? terminal.err : terminal.out) << overview();
    return words.empty() ? kExitAuthor : kExitSuccess;
  }
  const std::string name = words[0] == "--version" ? "version" : words[0];
  for (const Command& command : kCommands)
    if (name == command.name) return command.run(Words(words).subspan(1), terminal);

  std::vector<std::string> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  const auto close = suggest(name, names);
  throw UsageError("netc has no command `" + name + "`",
                   close ? "did you mean `netc " + *close + "`?" : "`netc --help` lists the commands");
}

}  // namespace

std::span<const Command> command_table() { return kCommands; }

int run_netc(const std::vector<std::string>& words, Terminal& terminal) {
  try {
    const int code = dispatch(words, terminal);
    terminal.out.flush();
    if (!terminal.out) throw RuntimeError("cannot write the output", "is the disk full, or the reader of the pipe gone?");
    return code;
  } catch (const UsageError& error) {
    terminal.err << "netc: " << error.what() << "\n";
    if (!error.help.empty()) terminal.err << "  " << error.help << "\n";
    return kExitAuthor;
  } catch (const RuntimeError& error) {
    terminal.err << "netc: " << error.what() << "\n";
    return kExitMachine;
  } catch (const std::bad_alloc&) {
    terminal.err << "netc: out of memory\n  try: a smaller `batch`, or a smaller net\n";
    return kExitMachine;
  } catch (const std::exception& error) {
    report_failure(words, error.what(), terminal.err);
    return kExitInternal;
  }
}

}  // namespace netc
