#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "compiler/base/text_distance.h"

namespace netc {
namespace {

constexpr size_t kMeaningColumn = 26;

// "-o,--output" -> {"-o", "--output"}
std::vector<std::string> spellings(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find(',', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

int64_t parse_whole(const std::string& option, const std::string& text, int64_t smallest) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < smallest)
    throw UsageError("`" + option + "` wants a whole number from " + std::to_string(smallest) + " up, got `" + text + "`",
                     "");
  return value;
}

void store(const Arguments::Target& target, const std::string& option, const std::vector<std::string>& values) {
  if (const auto* text = std::get_if<std::string*>(&target)) **text = values.back();
  if (const auto* text = std::get_if<std::optional<std::string>*>(&target)) **text = values.back();
  if (const auto* list = std::get_if<std::vector<std::string>*>(&target)) **list = values;
  if (const auto* number = std::get_if<std::optional<int64_t>*>(&target))
    **number = parse_whole(option, values.back(), 1);
  if (const auto* number = std::get_if<std::optional<uint64_t>*>(&target))
    **number = static_cast<uint64_t>(parse_whole(option, values.back(), 0));
}

bool takes_many(const Arguments::Target& target) { return std::holds_alternative<std::vector<std::string>*>(target); }

void append_row(std::string& text, const std::string& left, const std::string& right) {
  std::string row = "  " + left;
  if (row.size() + 2 > kMeaningColumn) {
    text += row + "\n";
    row.clear();
  }
  row.resize(kMeaningColumn, ' ');
  text += row + right + "\n";
}

}  // namespace

Arguments::Arguments(std::string command, std::string summary)
    : command_(std::move(command)), summary_(std::move(summary)) {}

Arguments& Arguments::positional(std::string name, std::string meaning, std::string* target, bool required) {
  Entry& entry = add(std::move(name), std::move(meaning));
  entry.target = target;
  entry.positional = true;
  entry.required = required;
  return *this;
}

Arguments& Arguments::flag(std::string name, std::string meaning, bool* target) {
  add(std::move(name), std::move(meaning)).flag = target;
  return *this;
}

Arguments& Arguments::option(std::string name, std::string value_name, std::string meaning, Target target) {
  Entry& entry = add(std::move(name), std::move(meaning));
  entry.value_name = std::move(value_name);
  entry.target = target;
  return *this;
}

Arguments::Entry& Arguments::add(std::string name, std::string meaning) {
  Entry& entry = entries_.emplace_back();
  entry.name = std::move(name);
  entry.meaning = std::move(meaning);
  return entry;
}

Arguments& Arguments::one_of(std::vector<std::string> values) {
  entries_.back().values = std::move(values);
  return *this;
}

Arguments& Arguments::required() {
  entries_.back().required = true;
  return *this;
}

Arguments& Arguments::excludes(std::string other) {
  entries_.back().excludes = std::move(other);
  return *this;
}

Arguments& Arguments::example(std::string line, std::string meaning) {
  examples_.push_back({std::move(line), std::move(meaning)});
  return *this;
}

std::vector<std::string> Arguments::option_names() const {
  std::vector<std::string> names = {"--help"};
  for (const Entry& entry : entries_)
    if (!entry.positional)
      for (const std::string& spelling : spellings(entry.name)) names.push_back(spelling);
  return names;
}

bool Arguments::parse(std::span<const std::string> words) {
  CLI::App app(summary_, command_);
  app.set_help_flag();
  app.allow_extras();
  bool help_wanted = false;
  app.add_flag("-h,--help", help_wanted);

  // Every option takes one value each time; whether it may come again is checked below, in our words.
  std::vector<CLI::Option*> options;
  std::vector<std::vector<std::string>> values(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.flag)
      options.push_back(app.add_flag(entry.name, *entry.flag));
    else if (entry.positional)
      options.push_back(app.add_option(entry.name, values[i])->expected(1)->allow_extra_args(false));
    else
      options.push_back(app.add_option(entry.name, values[i])->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  }

  const std::string see = "`netc " + command_ + " --help` shows what it takes";
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());   // CLI11 wants them from the back
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& error) {                      // "--train: 1 required TEXT missing"
    const std::string what = error.what();
    throw UsageError("`" + what.substr(0, what.find(':')) + "` needs a value", see);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what(), see);
  }
  if (help_wanted) return false;

  for (const std::string& extra : app.remaining()) {
    if (extra.size() < 2 || extra[0] != '-')
      throw UsageError("`" + extra + "` is one argument too many for `netc " + command_ + "`", see);
    const std::string name = extra.substr(0, extra.find('='));
    const auto close = suggest(name, option_names());
    throw UsageError("`netc " + command_ + "` has no option `" + name + "`",
                     close ? "did you mean `" + *close + "`?" : see);
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const std::string name = spellings(entry.name).back();
    if (entry.required && options[i]->empty()) throw UsageError("`netc " + command_ + "` needs " + name, see);
    if (options[i]->empty() || !entry.target) continue;
    if (values[i].size() > 1 && !takes_many(*entry.target)) throw UsageError("`" + name + "` is given twice", see);
    store(*entry.target, name, values[i]);
    if (!entry.values.empty() &&
        std::find(entry.values.begin(), entry.values.end(), values[i].back()) == entry.values.end()) {
      const auto close = suggest(values[i].back(), entry.values);
      throw UsageError("`" + name + "` wants one of " + joined(entry.values, ", ") + "; got `" + values[i].back() + "`",
                       close ? "did you mean `" + *close + "`?" : "");
    }
    for (size_t k = 0; k < i; ++k)
      if (!entry.excludes.empty() && spellings(entries_[k].name).back() == entry.excludes && !options[k]->empty())
        throw UsageError("give `" + entry.excludes + "` or `" + name + "`, not both", "");
  }
  return true;
}

std::string Arguments::help() const {
  std::string text = "netc " + command_ + ": " + summary_ + "\n\nusage: netc " + command_;
  for (const Entry& entry : entries_)
    if (entry.positional) text += entry.required ? " " + entry.name : " [" + entry.name + "]";
  text += " [options]\n\n";
  for (const Entry& entry : entries_)
    if (entry.positional) append_row(text, entry.name, entry.meaning);
  if (!text.ends_with("\n\n")) text += "\n";
  text += "options:\n";
  for (const Entry& entry : entries_) {
    if (entry.positional) continue;
    std::string left = joined(spellings(entry.name), ", ");
    if (!entry.values.empty())
      left += "=" + joined(entry.values, "|");
    else if (!entry.value_name.empty())
      left += " " + entry.value_name;
    append_row(text, left, entry.meaning);
  }
  append_row(text, "-h, --help", "this text");
  text += "\nexamples:\n";
  for (const Example& example : examples_) text += "  " + example.line + "\n      " + example.meaning + "\n";
  return text;
}

}  // namespace netc
