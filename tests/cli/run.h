// Runs netc inside the test process and keeps what it said.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace netc {

struct Ran {
  int code = -1;
  std::string out, err;
};

inline Ran run(const std::vector<std::string>& words) {
  setenv("XDG_CACHE_HOME", NETC_BINARY_DIR "/test-cache", 1);   // kernels of the tests stay with the build
  std::ostringstream out, err;
  Terminal terminal{out, err};
  Ran ran;
  ran.code = run_netc(words, terminal);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

}  // namespace netc
