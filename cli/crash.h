// The last resort: a crash of the process itself still ends in one line and a report, never in silence.
#pragma once

#include <string>
#include <vector>

namespace netc {

// From now on a fatal signal (a bad memory access, an overflowing stack, an abort) writes one line to standard error
// and the command line to a report file, and ends the process with exit code 3. Once, by main.
void report_crashes(const std::vector<std::string>& words);

}  // namespace netc
