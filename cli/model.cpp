#include "cli/model.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "compiler/base/errors.h"
#include "compiler/base/text_distance.h"
#include "compiler/syntax/parse.h"

namespace netc {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// What to try when a model is not where it was said to be: a file beside it with almost that name.
std::string similar_file(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".net") names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  const auto close = suggest(path.filename().string(), names);
  return close ? "`" + (path.parent_path() / *close).string() + "`, which is there" : "";
}

}  // namespace

void ModelOptions::declare(Arguments& arguments) {
  arguments.positional("FILE", "the model, a .net file", &file);
  declare_choices(arguments);
}

void ModelOptions::declare_choices(Arguments& arguments) {
  arguments.option("--train", "NAME", "which `train` of the file; needed only if there are several", &train)
      .option("--plan", "NAME", "which `plan` of the file; needed only if there are several", &plan)
      .option("--towers", "LIST", "run on these devices instead of the plan's, for example cpu:0,cpu:1", &towers)
      .option("--set", "NAME=VALUE", "give a `param` of the file another value; may be repeated", &settings);
}

AnalyzeOptions ModelOptions::analyze_options() const {
  AnalyzeOptions options;
  options.train = train;
  options.plan = plan;
  for (const std::string& word : comma_separated(towers)) {
    Device device;
    if (!parse_device(word, &device))
      throw UsageError("`--towers`: `" + word + "` is not a device", "write them as cpu:0,cpu:1 with no blanks");
    options.towers.push_back(device);
  }
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw UsageError("`--set` wants NAME=VALUE, got `" + setting + "`", "for example `--set width=96`");
    options.params.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return options;
}

std::string read_text_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw RuntimeError("`" + path + "` is a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  const std::string reason = std::strerror(errno);
  if (!in) throw RuntimeError("cannot read `" + path + "`: " + reason, similar_file(path));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw RuntimeError("cannot read `" + path + "`: " + std::strerror(errno));
  return std::move(text).str();
}

std::string quote(const SourceMap& sources, Span span) {
  std::string text = sources.describe(span);
  if (text.empty()) return text;
  const std::string_view quoted = sources.text(span);
  return text + "  " + std::string(quoted.substr(0, quoted.find('\n')));
}

std::unique_ptr<Model> load_model(const std::string& path, const AnalyzeOptions& options,
                                  const std::function<void(ast::File&)>& edit) {
  auto model = std::make_unique<Model>();
  const FileId file = model->sources.add(path, read_text_file(path));
  model->tree = parse(file, model->sources, model->diagnostics);
  if (edit) edit(model->tree);
  model->analysis = analyze(model->tree, disk_loader(model->sources), options, model->diagnostics);
  return model;
}

bool accept(const Diagnostics& diagnostics, const std::string& file, Terminal& terminal, bool strict) {
  terminal.err << to_text(diagnostics, {.color = terminal.err_is_terminal});
  const int errors = diagnostics.error_count();
  const int warnings = diagnostics.warning_count();
  const auto counted = [](int n, const char* word) {
    return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
  };
  if (errors + warnings > 0) {
    terminal.err << file << ": ";
    if (errors > 0) terminal.err << counted(errors, "error") << (warnings > 0 ? ", " : "");
    if (warnings > 0) terminal.err << counted(warnings, "warning");
    terminal.err << "\n";
  }
  return errors == 0 && !(strict && warnings > 0);
}

}  // namespace netc
