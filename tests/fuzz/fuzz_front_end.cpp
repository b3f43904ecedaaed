// Feeds changed copies of the example and bad files to the front end: parse, analyze, and every printer. See README.md.
// Fails on a crash, an exception, a text that takes longer than ten seconds, or a broken promise of the printers.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/base/diagnostics.h"
#include "compiler/sema/analyze.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/print.h"
#include "tests/fuzz/mutate.h"

namespace {

namespace fs = std::filesystem;
using namespace netc;

constexpr unsigned kSecondsPerText = 10;

struct Options {
  uint64_t iterations = 0;  // 0: no limit
  double seconds = 0;       // 0: no limit
  uint64_t seed = 1;
  std::string keep = "fuzz_front_end_last.net";  // the text that is being read, for after a crash
  std::string file;                              // read this one text only
  bool analyze = true;
};

[[noreturn]] void usage() {
  std::fputs("usage: fuzz_front_end [--iterations N] [--seconds T] [--seed S] [--keep FILE] [--file FILE] [--stage parse|analyze]\n", stderr);
  std::exit(2);
}

Options read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 >= count) usage();
    const char* value = arguments[i + 1];
    if (name == "--iterations") {
      options.iterations = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--keep") {
      options.keep = value;
    } else if (name == "--file") {
      options.file = value;
    } else if (name == "--stage") {
      options.analyze = std::strcmp(value, "parse") != 0;
    } else {
      usage();
    }
  }
  if (options.iterations == 0 && options.seconds == 0 && options.file.empty()) options.iterations = 1000;
  return options;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Files by their name alone, which is how the examples use each other.
std::map<std::string, std::string> read_corpus() {
  std::map<std::string, std::string> corpus;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(NETC_SOURCE_DIR) / "tests/cases")) {
    if (entry.path().extension() == ".net") corpus[entry.path().filename().string()] = read_file(entry.path());
  }
  return corpus;
}

// Returns what is wrong, or nothing.
std::string check(const std::string& text, const std::map<std::string, std::string>& corpus, bool analyze_too) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId id = sources.add("fuzz.net", text);
  const ast::File tree = parse(id, sources, diagnostics);
  const std::string printed = print(tree);
  if (tree.broken && !diagnostics.has_errors()) return "something is missing in the tree, and nothing was reported";
  if (diagnostics.empty()) {
    SourceMap again_sources;
    Diagnostics again(again_sources);
    const ast::File again_tree = parse(again_sources.add("again.net", printed), again_sources, again);
    if (!again.empty()) return "the printed text has mistakes:\n" + to_text(again);
    if (print(again_tree) != printed) return "printing twice gives two texts";
  }
  to_text(diagnostics);
  to_json(diagnostics);
  if (!analyze_too) return {};
  std::map<std::string, FileId> loaded;
  const UseLoader loader = [&](const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    const auto known = corpus.find(name);
    if (known == corpus.end()) return kNoFile;
    const auto [entry, is_new] = loaded.emplace(name, kNoFile);
    if (is_new) entry->second = sources.add(path, known->second);
    return entry->second;
  };
  AnalyzeOptions options;
  options.every_train = true;
  const Analysis analysis = analyze(tree, loader, options, diagnostics);
  report_unavailable(analysis, diagnostics);
  for (const ShapeTable& table : analysis.tables) to_text(table);
  if (!analysis.complete && !diagnostics.has_errors() && !tree.decls.empty()) {
    bool has_train = false;
    for (const ast::Decl& decl : tree.decls) has_train |= std::holds_alternative<ast::TrainDecl>(decl);
    if (has_train) return "the analysis is not complete, and nothing was reported";
  }
  to_text(diagnostics);
  to_json(diagnostics);
  return {};
}

void on_alarm(int) {
  constexpr char kMessage[] = "fuzz_front_end: a text takes too long; it is kept\n";
  [[maybe_unused]] const ssize_t written = write(2, kMessage, sizeof kMessage - 1);
  std::_Exit(1);
}

int run(const Options& options) {
  const std::map<std::string, std::string> corpus = read_corpus();
  std::vector<std::string> texts;
  for (const auto& [name, text] : corpus) texts.push_back(text);
  test::Mutator mutator(texts, options.seed);
  std::signal(SIGALRM, on_alarm);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  uint64_t count = 0;
  const uint64_t iterations = options.file.empty() ? options.iterations : 1;
  while ((iterations == 0 || count < iterations) && (options.seconds == 0 || elapsed() < options.seconds)) {
    const std::string text = options.file.empty() ? mutator.next() : read_file(options.file);
    if (options.file.empty()) std::ofstream(options.keep, std::ios::binary) << text;
    ++count;
    alarm(kSecondsPerText);
    std::string wrong;
    try {
      wrong = check(text, corpus, options.analyze);
    } catch (const std::exception& error) {
      wrong = std::string("an exception: ") + error.what();
    }
    alarm(0);
    if (!wrong.empty()) {
      std::fprintf(stderr, "fuzz_front_end: seed %llu, text %llu: %s\n", static_cast<unsigned long long>(options.seed),
                   static_cast<unsigned long long>(count), wrong.c_str());
      return 1;
    }
  }
  std::printf("%llu texts in %.1f s\n", static_cast<unsigned long long>(count), elapsed());
  if (options.file.empty()) fs::remove(options.keep);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  return run(read_options(count, arguments));
}
