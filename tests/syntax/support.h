// What the tests of the syntax share: parsing a string, the shipped cases, and the shape of a tree as text that does not
// come from the printer under test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace netc::test {

struct Parsed {
  std::unique_ptr<SourceMap> sources;
  std::unique_ptr<Diagnostics> diagnostics;
  ast::File file;

  std::vector<std::string> codes() const;  // in file order
  std::string text() const;                // the diagnostics as printed
};

Parsed parse_text(std::string text, std::string path = "test.net");
// A file below tests/cases; its path in messages is its name alone.
Parsed parse_case(const std::string& path);
std::string read_case(const std::string& path);
std::vector<std::string> case_files(const std::string& folder);  // relative to tests/cases, sorted

// Everything a tree says, fully parenthesized, without places.
std::string structure(const ast::File& file);
std::string structure(const ast::Expr& expr);

}  // namespace netc::test
