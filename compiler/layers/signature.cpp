#include "compiler/layers/signature.h"

#include <utility>

namespace netc {

const ParameterRow* Signature::find(const std::string& parameter) const {
  for (const ParameterRow& row : parameters)
    if (row.name == parameter) return &row;
  return nullptr;
}

int Signature::positional_count() const {
  int count = 0;
  for (const ParameterRow& row : parameters) count += row.positional;
  return count;
}

std::string to_text(const Signature& signature) {
  if (signature.parameters.empty() && !signature.any_names) return signature.name;
  std::string text = signature.name + "(";
  bool first = true;
  for (const ParameterRow& row : signature.parameters) {
    if (!first) text += ", ";
    first = false;
    text += row.name;
    if (row.required && !row.positional) text += ":";
    if (!row.required) text += " = " + row.fallback;
  }
  if (signature.any_names) text += first ? "field: ..." : ", field: ...";
  return text + ")";
}

ParameterRow required(ParameterRow row) {
  row.required = row.positional = true;
  return row;
}

ParameterRow required_named(ParameterRow row) {
  row.required = true;
  return row;
}

ParameterRow other(std::string name, ParameterKind kind, std::string fallback) {
  ParameterRow row;
  row.name = std::move(name);
  row.kind = kind;
  row.fallback = std::move(fallback);
  return row;
}

ParameterRow integer(std::string name, std::string fallback, double low) {
  ParameterRow row = other(std::move(name), ParameterKind::integer, std::move(fallback));
  row.low = low;
  return row;
}

ParameterRow number(std::string name, std::string fallback) {
  return other(std::move(name), ParameterKind::number, std::move(fallback));
}

ParameterRow number_in(std::string name, std::string fallback, double low, double high) {
  ParameterRow row = number(std::move(name), std::move(fallback));
  row.low = low;
  row.high = high;
  return row;
}

ParameterRow positive(std::string name, std::string fallback) {
  ParameterRow row = number(std::move(name), std::move(fallback));
  row.low = 0;
  row.low_excluded = true;
  return row;
}

ParameterRow not_negative(std::string name, std::string fallback) {
  ParameterRow row = number(std::move(name), std::move(fallback));
  row.low = 0;
  return row;
}

ParameterRow share_below_one(std::string name, std::string fallback) {
  ParameterRow row = number_in(std::move(name), std::move(fallback), 0, 1);
  row.high_excluded = true;
  return row;
}

ParameterRow flag(std::string name, std::string fallback) {
  return other(std::move(name), ParameterKind::boolean, std::move(fallback));
}

ParameterRow word(std::string name, std::vector<std::string> words, std::string fallback) {
  ParameterRow row = other(std::move(name), ParameterKind::word, std::move(fallback));
  row.words = std::move(words);
  return row;
}

ParameterRow documented(ParameterRow row, std::string doc) {
  row.doc = std::move(doc);
  return row;
}

}  // namespace netc
