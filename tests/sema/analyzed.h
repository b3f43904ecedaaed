// A text or file, parsed and analysed, with everything it took kept alive.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "compiler/sema/analyze.h"
#include "compiler/syntax/parse.h"

namespace netc::test {

struct Analyzed {
  std::unique_ptr<SourceMap> sources = std::make_unique<SourceMap>();
  std::unique_ptr<Diagnostics> diagnostics = std::make_unique<Diagnostics>(*sources);
  ast::File tree;
  Analysis analysis;

  std::string messages() const { return to_text(*diagnostics, {false, 100}); }
  // "N0201@7 N0202@8": codes with lines, in file order.
  std::string codes() const {
    std::string text;
    for (const Diagnostic* d : diagnostics->sorted())
      text += (text.empty() ? "" : " ") + std::string(code_name(d->code)) +
              (d->span.known() ? "@" + std::to_string(sources->position(d->span.file, d->span.begin).line) : "");
    return text;
  }
};

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// `files`: further files that `use` may name.
inline Analyzed analyze_text(const std::string& text, const AnalyzeOptions& options = {},
                             const std::map<std::string, std::string>& files = {}) {
  Analyzed result;
  const FileId id = result.sources->add("test.net", text);
  result.tree = parse(id, *result.sources, *result.diagnostics);
  std::map<std::string, FileId> known;
  const UseLoader loader = [&](const std::string& path) -> FileId {
    const auto found = files.find(path);
    if (found == files.end()) return kNoFile;
    if (!known.contains(path)) known[path] = result.sources->add(path, found->second);
    return known[path];
  };
  result.analysis = analyze(result.tree, loader, options, *result.diagnostics);
  return result;
}

inline Analyzed analyze_file(const std::string& path, const AnalyzeOptions& options = {}) {
  Analyzed result;
  const FileId id = result.sources->add(path, read_text(path));
  result.tree = parse(id, *result.sources, *result.diagnostics);
  result.analysis = analyze(result.tree, disk_loader(*result.sources), options, *result.diagnostics);
  return result;
}

inline std::string cases(const std::string& name) { return std::string(NETC_SOURCE_DIR) + "/tests/cases/" + name; }

}  // namespace netc::test
