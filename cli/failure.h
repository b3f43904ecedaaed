// What is said when netc itself is at fault.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace netc {

// Prints one line, with the path of a report file that holds what is needed to repeat the failure.
void report_failure(const std::vector<std::string>& words, const std::string& what, std::ostream& err);

std::string report_path();   // of this process
// How a report begins: version, failure, command line, folder.
std::string report_heading(const std::vector<std::string>& words, const std::string& what);

}  // namespace netc
