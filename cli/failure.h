// What is said when netc itself is at fault.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace netc {

// Prints one line, with the path of a report file that holds what is needed to repeat the failure.
void report_failure(const std::vector<std::string>& words, const std::string& what, std::ostream& err);

}  // namespace netc
