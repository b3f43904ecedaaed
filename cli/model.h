// From a path and options on the command line to an analysed model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/base/source.h"
#include "compiler/sema/analyze.h"
#include "compiler/syntax/ast.h"

namespace netc {

class Arguments;
struct Terminal;

// The options that choose among what a file declares; the same for check, compile, train and eval.
struct ModelOptions {
  std::string file;
  std::string train;
  std::string plan;
  std::string towers;                  // "cpu:0,cpu:1"
  std::vector<std::string> settings;   // "width=96"

  void declare(Arguments& arguments);          // all of them
  void declare_choices(Arguments& arguments);  // all but the file
  AnalyzeOptions analyze_options() const;   // throws UsageError
};

// A model with everything said about it. Diagnostics point into `sources`, so a Model stays where it is.
struct Model {
  Model() : diagnostics(sources) {}
  Model(const Model&) = delete;

  SourceMap sources;
  Diagnostics diagnostics;
  ast::File tree;
  Analysis analysis;
};

// Throws RuntimeError when the file cannot be read; mistakes in it are in Model::diagnostics. `edit` may change the tree
// before it is analysed.
std::unique_ptr<Model> load_model(const std::string& path, const AnalyzeOptions& options,
                                  const std::function<void(ast::File&)>& edit = {});

// Prints all diagnostics and, if there are errors, how many. True if the model may be used; `strict` counts warnings.
bool accept(const Diagnostics& diagnostics, const std::string& file, Terminal& terminal, bool strict = false);

// The place of a span and what stands there: "models/tiny.net:16:8  dense(64) as fc1".
std::string quote(const SourceMap& sources, Span span);

std::string read_text_file(const std::string& path);   // throws RuntimeError

}  // namespace netc
