// Where a command reads and writes. Tests hand in string streams, main the real ones.
#pragma once

#include <iosfwd>

namespace netc {

struct Terminal {
  std::ostream& out;             // results: what a pipe should get
  std::ostream& err;             // diagnostics and everything said on the way
  bool out_is_terminal = false;  // colours and progress bars only on a terminal
  bool err_is_terminal = false;
};

// Exit codes, by whose fault: the author of the model or of the command line, the machine, ours.
enum ExitCode : int { kExitSuccess = 0, kExitAuthor = 1, kExitMachine = 2, kExitInternal = 3 };

}  // namespace netc
