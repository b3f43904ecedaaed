// The commands of netc: one file each, one row each in the table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace netc {

using Words = std::span<const std::string>;   // the command line after the command's name

struct Command {
  const char* name;
  const char* summary;                        // for `netc --help`
  int (*run)(Words words, Terminal& terminal);   // returns an exit code; throws UsageError, RuntimeError
};

std::span<const Command> command_table();

int run_check(Words words, Terminal& terminal);
int run_compile(Words words, Terminal& terminal);
int run_train(Words words, Terminal& terminal);
int run_eval(Words words, Terminal& terminal);
int run_predict(Words words, Terminal& terminal);
int run_layers(Words words, Terminal& terminal);
int run_test(Words words, Terminal& terminal);
int run_explain(Words words, Terminal& terminal);
int run_version(Words words, Terminal& terminal);

// The whole program: words without the program's name. Never throws; every failure ends in a message on terminal.err
// and one of the exit codes.
int run_netc(const std::vector<std::string>& words, Terminal& terminal);

}  // namespace netc
