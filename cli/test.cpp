// netc test: keeps a promise made in a .case file: what becomes of a model, to the letter, and that all devices agree.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "cli/agreement.h"
#include "cli/arguments.h"
#include "cli/case_file.h"
#include "cli/commands.h"
#include "cli/model.h"
#include "compiler/base/errors.h"

namespace netc {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> case_files(const std::string& given) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_directory(given, error)) {
    for (fs::recursive_directory_iterator entry(given, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".case") files.push_back(entry->path());
    std::sort(files.begin(), files.end());
  } else if (fs::exists(given, error)) {
    files.emplace_back(given);
  }
  if (files.empty()) throw UsageError("there is no .case file at `" + given + "`", "docs/case-files.md shows how one is written");
  return files;
}

// The model of a case in a folder of its own, which is where commands run meanwhile: what they print holds no path.
class Workplace {
 public:
  explicit Workplace(const std::string& model) : before_(fs::current_path()) {
    std::string pattern = (fs::temp_directory_path() / "netc-case-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw RuntimeError("cannot make a folder in " + fs::temp_directory_path().string(), "free some space, or set TMPDIR");
    folder_ = pattern;
    std::ofstream(folder_ / kModel, std::ios::binary) << model;
    fs::current_path(folder_);
  }
  ~Workplace() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
    fs::remove_all(folder_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  static constexpr const char* kModel = "model.net";

 private:
  fs::path before_, folder_;
};

// What a command prints, standard output first.
std::string output_of(const std::vector<std::string>& words) {
  std::vector<std::string> all = words;
  all.insert(all.begin() + 1, Workplace::kModel);
  std::ostringstream out, err;
  Terminal captured{out, err, false, false};
  const int code = run_netc(all, captured);
  std::string text = out.str() + err.str();
  if (!text.empty() && text.back() != '\n') text += '\n';
  return code == 0 ? text : text + "exit " + std::to_string(code) + "\n";
}

// The first line that differs, with its number in the section.
std::string first_difference(const std::string& wanted, const std::string& got) {
  std::istringstream a(wanted), b(got);
  for (int number = 1;; ++number) {
    std::string x, y;
    const bool more_a = static_cast<bool>(std::getline(a, x)), more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "";
    if (more_a == more_b && x == y) continue;
    return fmt::format("line {} of the section\n    expected  {}\n    got       {}", number, more_a ? x : "(nothing)", more_b ? y : "(nothing)");
  }
}

class CaseRun {
 public:
  CaseRun(const fs::path& path, bool bless, Terminal& terminal) : path_(fs::absolute(path)), bless_(bless), terminal_(terminal) {}

  // How many sections failed.
  int run() {
    const std::string before = read_text_file(path_.string());
    CaseFile file = parse_case(before);
    const Workplace workplace(file.model);
    for (CaseSection& section : file.sections) run_section(section);
    if (const std::string after = to_text(file); bless_ && after != before) {
      std::ofstream out(path_, std::ios::binary | std::ios::trunc);
      out << after;
      out.close();
      if (!out) throw RuntimeError("cannot write " + path_.string());
      terminal_.out << path_.string() << ": blessed\n";
    }
    return failures_;
  }

 private:
  void run_section(CaseSection& section) {
    ++sections_;
    const std::string command = section.words.empty() ? "" : section.words[0];
    if (command == "agree") return agree(section);
    if (command != "compile" && command != "check" && command != "layers")
      return fail(section, "a section begins with `--- compile ...`, `--- check ...` or `--- agree N steps on DEVICES`");
    const std::string got = output_of(section.words);
    if (bless_) section.text = got;
    else if (const std::string difference = first_difference(section.text, got); !difference.empty()) fail(section, difference);
  }

  // agree 3 steps on cpu:0, cpu:0+cpu:1
  void agree(const CaseSection& section) {
    const std::vector<std::string>& words = section.words;
    int64_t steps = 0;
    if (words.size() > 4) std::from_chars(words[1].data(), words[1].data() + words[1].size(), steps);
    if (steps < 1 || words[3] != "on") return fail(section, "write `--- agree 3 steps on cpu:0, cpu:0+cpu:1`");
    std::vector<std::string> towers;
    for (size_t i = 4; i < words.size(); ++i) towers.push_back(words[i].substr(0, words[i].find(',')));
    const auto compared = compare_devices(Workplace::kModel, path_.parent_path().string(), steps, towers, terminal_);
    if (compared.empty()) return fail(section, "the model does not run");
    for (const Agreement& one : compared) {
      if (!one.refused.empty()) terminal_.out << place(section) << ": " << one.towers << " was left out: " << one.refused << "\n";
      else if (!one.agrees) fail(section, one.towers + " does not agree: " + one.where);
    }
  }

  std::string place(const CaseSection& section) const { return path_.string() + ":" + std::to_string(section.line); }

  void fail(const CaseSection& section, const std::string& why) {
    ++failures_;
    std::string heading;
    for (const std::string& word : section.words) heading += " " + word;
    terminal_.out << place(section) << ": failed:" << heading << "\n  " << why << "\n";
  }

  fs::path path_;
  bool bless_;
  Terminal& terminal_;
  int failures_ = 0, sections_ = 0;
};

}  // namespace

int run_test(Words words, Terminal& terminal) {
  std::string given;
  bool bless = false;
  Arguments arguments("test", "checks what becomes of models against .case files");
  arguments.positional("PATH", "a .case file, or a folder of them", &given)
      .flag("--bless", "write what is printed today into the files instead of comparing", &bless)
      .example("netc test cases/", "compares every section of every .case file below")
      .example("netc test cases/softmax.case --bless", "takes today's text for the right one; look at the change before you keep it");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;
  const std::vector<fs::path> files = case_files(given);
  int failed = 0;
  for (const fs::path& file : files) failed += CaseRun(file, bless, terminal).run() > 0;
  terminal.out << files.size() - static_cast<size_t>(failed) << " of " << files.size() << (files.size() == 1 ? " case holds\n" : " cases hold\n");
  return failed > 0 ? kExitAuthor : kExitSuccess;
}

}  // namespace netc
