#include "cli/failure.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>

namespace netc {

void report_failure(const std::vector<std::string>& words, const std::string& what, std::ostream& err) {
  std::error_code error;
  const auto path = std::filesystem::temp_directory_path(error) / ("netc-report-" + std::to_string(getpid()) + ".txt");
  std::ofstream report(path);
  report << "netc " << NETC_VERSION << " failed: " << what << "\n\ncommand: netc";
  for (const std::string& word : words) report << " " << word;
  report << "\nfolder: " << std::filesystem::current_path(error).string() << "\n";
  for (const std::string& word : words) {
    if (!word.ends_with(".net")) continue;
    std::ifstream model(word);
    if (model) report << "\n---- " << word << "\n" << model.rdbuf() << "\n";
  }
  report.flush();
  err << "netc: internal error: " << what.substr(0, what.find('\n'));
  if (report)
    err << " (this is a fault of netc; please report it with " << path.string() << ")\n";
  else
    err << " (this is a fault of netc; please report it)\n";
}

}  // namespace netc
