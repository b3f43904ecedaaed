#include "cli/failure.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>

namespace netc {

std::string report_path() {
  std::error_code error;
  return (std::filesystem::temp_directory_path(error) / ("netc-report-" + std::to_string(getpid()) + ".txt")).string();
}

std::string report_heading(const std::vector<std::string>& words, const std::string& what) {
  std::error_code error;
  std::string text = std::string("netc ") + NETC_VERSION + " failed: " + what + "\n\ncommand: netc";
  for (const std::string& word : words) text += " " + word;
  return text + "\nfolder: " + std::filesystem::current_path(error).string() + "\n";
}

void report_failure(const std::vector<std::string>& words, const std::string& what, std::ostream& err) {
  const std::string path = report_path();
  std::ofstream report(path);
  report << report_heading(words, what);
  for (const std::string& word : words) {
    if (!word.ends_with(".net")) continue;
    std::ifstream model(word);
    if (model) report << "\n---- " << word << "\n" << model.rdbuf() << "\n";
  }
  report.flush();
  err << "netc: internal error: " << what.substr(0, what.find('\n'));
  if (report)
    err << " (this is a fault of netc; please report it with " << path << ")\n";
  else
    err << " (this is a fault of netc; please report it)\n";
}

}  // namespace netc
