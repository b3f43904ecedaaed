#include "compiler/layers/arguments.h"

#include <cstdlib>

#include "compiler/base/errors.h"

namespace netc {
namespace {

double leading_number(const ParameterRow& row) {
  char* end = nullptr;
  const double value = std::strtod(row.fallback.c_str(), &end);
  if (end == row.fallback.c_str()) throw InternalError("default `" + row.fallback + "` of `" + row.name + "`");
  return value;
}

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

// uniform(-0.05, 0.05) or glorot_uniform
InitializerChoice parse_initializer(const std::string& text) {
  InitializerChoice choice;
  const size_t open = text.find('(');
  choice.name = text.substr(0, open);
  if (open == std::string::npos) return choice;
  const char* at = text.c_str() + open + 1;
  while (*at && *at != ')') {
    char* end = nullptr;
    choice.numbers.push_back(std::strtod(at, &end));
    at = end;
    while (*at == ',' || *at == ' ') ++at;
  }
  return choice;
}

}  // namespace

ArgumentValue parse_fallback(const ParameterRow& row) {
  const std::string& text = row.fallback;
  if (text.empty() || text == "none") return NoArgument{};
  const bool is_number = text.find_first_of("-0123456789") == 0;
  switch (row.kind) {
    case ParameterKind::integer:
      if (!is_number) return NoArgument{};   // "width/heads": computed by the row
      return static_cast<int64_t>(leading_number(row));
    case ParameterKind::number: return leading_number(row) * (text.back() == '%' ? 0.01 : 1.0);
    case ParameterKind::boolean: return text == "true";
    case ParameterKind::initializer: return parse_initializer(text);
    case ParameterKind::text: return text.substr(1, text.size() - 2);
    case ParameterKind::word:
    case ParameterKind::split:
    case ParameterKind::monitor: return text;
    case ParameterKind::progress:
      if (!is_number) return NoArgument{};   // "whole run"
      return Progress{leading_number(row), ends_with(text, "epoch") || ends_with(text, "epochs")};
    case ParameterKind::part: return Part{};
    case ParameterKind::padding:
    case ParameterKind::word_or_number:
    case ParameterKind::sizes:
    case ParameterKind::numbers:
    case ParameterKind::share: {
      if (!is_number) {
        for (const std::string& word : row.words)
          if (word == text) return text;
        return NoArgument{};                                              // "size", "width/heads": computed by the row
      }
      if (row.kind == ParameterKind::numbers) return Numbers{leading_number(row)};
      if (row.kind == ParameterKind::share) return Share{leading_number(row), 0};
      if (row.kind == ParameterKind::word_or_number) return leading_number(row);
      return Integers{static_cast<int64_t>(leading_number(row))};
    }
    default: return NoArgument{};
  }
}

Arguments::Arguments(const Signature& signature) : signature_(&signature) {
  slots_.reserve(signature.parameters.size());
  for (const ParameterRow& row : signature.parameters) slots_.push_back({parse_fallback(row), Span{}, false});
}

void Arguments::set(const std::string& name, ArgumentValue value, Span span) {
  for (size_t i = 0; i < slots_.size(); ++i)
    if (signature_->parameters[i].name == name) {
      slots_[i] = {std::move(value), span, true};
      return;
    }
  throw InternalError("`" + signature_->name + "` has no parameter `" + name + "`");
}

const Arguments::Slot& Arguments::slot(const std::string& name) const {
  for (size_t i = 0; i < slots_.size(); ++i)
    if (signature_->parameters[i].name == name) return slots_[i];
  throw InternalError("`" + signature_->name + "` has no parameter `" + name + "`");
}

bool Arguments::has(const std::string& name) const { return !std::holds_alternative<NoArgument>(slot(name).value); }

namespace {
template <class T>
const T& checked(const ArgumentValue& value, const std::string& name) {
  if (const T* typed = std::get_if<T>(&value)) return *typed;
  throw InternalError("argument `" + name + "` is of another kind");
}
}  // namespace

int64_t Arguments::integer(const std::string& name) const { return checked<int64_t>(slot(name).value, name); }
double Arguments::number(const std::string& name) const { return checked<double>(slot(name).value, name); }
bool Arguments::flag(const std::string& name) const { return checked<bool>(slot(name).value, name); }
const std::string& Arguments::word(const std::string& name) const {
  return checked<std::string>(slot(name).value, name);
}
const Integers& Arguments::integers(const std::string& name) const {
  return checked<Integers>(slot(name).value, name);
}

}  // namespace netc
