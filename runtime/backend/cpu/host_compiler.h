// The C compiler of this machine: finding it, naming it, running it.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/errors.h"

namespace netc {

// No compiler here: the caller says so and goes on with the reference backend.
class CompilerMissing : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

struct HostCompiler {
  std::string path;      // absolute
  std::string version;   // "gcc 12.2.0", first line of --version shortened
};

// `wanted`: a name on PATH or a path; empty: the first of gcc, cc, clang. Throws CompilerMissing.
HostCompiler find_host_compiler(const std::string& wanted);

struct ProcessResult {
  int exit_code = -1;
  std::string output;    // stdout and stderr
};
// Runs a program and waits for it. Throws RuntimeError if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments);

}  // namespace netc
