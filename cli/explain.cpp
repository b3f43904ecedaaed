// netc explain: the section of docs/diagnostics.md about one code.
#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "compiler/base/text_distance.h"

extern const char netc_diagnostics_page[];   // docs/diagnostics.md, embedded by CMake

namespace netc {
namespace {

constexpr std::string_view kHeading = "\n### ";

std::vector<std::string> codes_on(std::string_view page) {
  std::vector<std::string> codes;
  for (size_t at = page.find(kHeading); at != std::string_view::npos; at = page.find(kHeading, at + 1))
    codes.emplace_back(page.substr(at + kHeading.size(), 5));
  return codes;
}

// From the heading of a code, without its marks, to the next heading of any level.
std::string section(std::string_view page, const std::string& code) {
  const size_t at = page.find(std::string(kHeading) + code + " ");
  if (at == std::string_view::npos) return "";
  const size_t begin = at + kHeading.size();
  const size_t end = std::min(page.find("\n#", begin), page.size());
  std::string text(page.substr(begin, end - begin));
  while (text.ends_with('\n')) text.pop_back();
  return text + "\n";
}

}  // namespace

int run_explain(Words words, Terminal& terminal) {
  std::string code;
  Arguments arguments("explain", "says what a diagnostic code means, and how to put it right");
  arguments.positional("CODE", "as printed between brackets: N0401", &code)
      .example("netc explain N0401", "the rule about equal shapes");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  std::transform(code.begin(), code.end(), code.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::string text = section(netc_diagnostics_page, code);
  if (text.empty()) {
    const auto close = suggest(code, codes_on(netc_diagnostics_page));
    throw UsageError("there is no diagnostic `" + code + "`", close ? "did you mean `" + *close + "`?" : "");
  }
  terminal.out << text;
  return kExitSuccess;
}

}  // namespace netc
