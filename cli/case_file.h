// A .case file: a model, then what netc is to make of it. For `netc test`.
//
//   language 1
//   ...                                            the model, as in a .net file
//   --- compile --emit=program                     a command on that model and exactly what it prints
//   ...
//   --- check --shapes                             standard output, then standard error, then "exit N" if N is not 0
//   ...
//   --- agree 3 steps on cpu:0, cpu:0+cpu:1, sim:0 trains there and compares with the reference; no text
#pragma once

#include <string>
#include <vector>

namespace netc {

struct CaseSection {
  std::vector<std::string> words;   // of the heading: "compile", "--emit=program"
  std::string text;                 // what is expected
  int line = 0;                     // of the heading, from 1
};

struct CaseFile {
  std::string model;
  std::vector<CaseSection> sections;
};

CaseFile parse_case(const std::string& text);
std::string to_text(const CaseFile& file);   // parse_case of it gives the same again

}  // namespace netc
