#include "cli/case_file.h"

#include <sstream>

namespace netc {
namespace {

constexpr const char* kMark = "--- ";

}  // namespace

CaseFile parse_case(const std::string& text) {
  CaseFile file;
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.rfind(kMark, 0) == 0) {
      CaseSection section;
      section.line = number;
      std::istringstream words(line.substr(4));
      for (std::string word; words >> word;) section.words.push_back(word);
      file.sections.push_back(std::move(section));
      continue;
    }
    (file.sections.empty() ? file.model : file.sections.back().text) += line + "\n";
  }
  return file;
}

std::string to_text(const CaseFile& file) {
  std::string text = file.model;
  for (const CaseSection& section : file.sections) {
    text += "---";
    for (const std::string& word : section.words) text += " " + word;
    text += "\n" + section.text;
  }
  return text;
}

}  // namespace netc
