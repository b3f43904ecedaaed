// The command line of one command: declared once, it is parsed, explained by --help, and misspellings get a suggestion.
//
//   std::string file;
//   bool json = false;
//   Arguments arguments("check", "Looks for mistakes in a model.");
//   arguments.positional("FILE", "the model", &file).flag("--json", "print the diagnostics as JSON", &json);
//   arguments.example("netc check model.net", "prints nothing if all is well");
//   arguments.parse(words);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace netc {

// The command line itself is wrong: exit 1. `help` says what would be right.
class UsageError : public std::runtime_error {
 public:
  UsageError(const std::string& message, std::string help_text)
      : std::runtime_error(message), help(std::move(help_text)) {}
  std::string help;
};

class Arguments {
 public:
  Arguments(std::string command, std::string summary);

  // What the values are parsed into; the variables must outlive parse(). A vector takes repeated options.
  using Target = std::variant<std::string*, std::optional<std::string>*, std::optional<int64_t>*,
                              std::optional<uint64_t>*, std::vector<std::string>*>;

  Arguments& positional(std::string name, std::string meaning, std::string* target, bool required = true);
  Arguments& flag(std::string name, std::string meaning, bool* target);
  Arguments& option(std::string name, std::string value_name, std::string meaning, Target target);
  Arguments& one_of(std::vector<std::string> values);   // of the option declared last: the values it accepts
  Arguments& required();                                // the option declared last must be given
  Arguments& excludes(std::string other);               // the option declared last cannot go with this earlier one
  Arguments& example(std::string line, std::string meaning);

  // False if --help was asked for (the caller prints help()); throws UsageError.
  bool parse(std::span<const std::string> words);
  std::string help() const;

 private:
  struct Entry {
    std::string name;         // "FILE", "--json", "-o,--output"
    std::string value_name;   // "" for flags
    std::string meaning;
    bool* flag = nullptr;
    std::optional<Target> target;
    bool positional = false;
    bool required = false;
    std::vector<std::string> values;
    std::string excludes;
  };
  struct Example {
    std::string line;
    std::string meaning;
  };

  Entry& add(std::string name, std::string meaning);
  std::vector<std::string> option_names() const;

  std::string command_;
  std::string summary_;
  std::vector<Entry> entries_;
  std::vector<Example> examples_;
};

}  // namespace netc
