#include "compiler/sema/params.h"

#include <optional>

#include "compiler/base/text_distance.h"
#include "compiler/syntax/literal.h"

namespace netc::sema {
namespace {

// The same spelling as in a file, with a sign in front.
std::optional<Value> parse_value(const std::string& type, const std::string& given) {
  if (type == "string") return Value(Text{given});
  if (type == "bool") {
    if (given == "true") return Value(true);
    if (given == "false") return Value(false);
    return std::nullopt;
  }
  const bool negative = given.starts_with('-');
  const std::string_view digits = std::string_view(given).substr(negative ? 1 : 0);
  if (const auto i = read_int(digits)) {
    if (type == "int") return Value(negative ? -*i : *i);
    return Value(Float{static_cast<double>(negative ? -*i : *i), false});
  }
  if (type == "int") return std::nullopt;
  const auto percent = read_percent(digits);
  const auto number = percent ? percent : read_float(digits);
  if (!number) return std::nullopt;
  return Value(Float{negative ? -*number : *number, percent.has_value()});
}

const char* accepted(const std::string& type) {
  if (type == "int") return "a whole number, like 96";
  if (type == "float") return "a number, like 0.1 or 10%";
  if (type == "bool") return "true or false";
  return "any text";
}

}  // namespace

void apply_params(const std::vector<std::pair<std::string, std::string>>& params, const Declarations& declarations,
                  Diagnostics& diagnostics) {
  const Module& root = declarations.root();
  for (const auto& [name, given] : params) {
    const Symbol* symbol = root.find(name);
    if (symbol && symbol->kind == Symbol::Kind::constant) {
      diagnostics.error(Code::N0315, Span{}, "`" + name + "` is a const and cannot be set from outside")
          .label(symbol->span, "declared here")
          .help("make it a `param`");
      continue;
    }
    if (!symbol || symbol->kind != Symbol::Kind::param) {
      if (root.incomplete) continue;
      std::vector<std::string> names;
      for (const std::string& own : root.ordered)
        if (root.find(own)->kind == Symbol::Kind::param) names.push_back(own);
      Diagnostic& d = diagnostics.error(Code::N0904, Span{}, "no `param " + name + "` in " + root.path);
      if (const auto close = suggest(name, names)) d.help("did you mean `" + *close + "`?");
      else if (names.empty()) d.note("the file declares no param");
      continue;
    }
    const std::string& type = symbol->param->type.element.text;
    auto value = parse_value(type, given);
    if (!value) {
      diagnostics.error(Code::N0314, Span{}, "`--set " + name + "=" + given + "`: " + name + " is " + type)
          .label(symbol->param->span, "declared here")
          .help("give " + std::string(accepted(type)));
      value = Value(Unknown{});
    }
    symbol->value = std::move(*value);
    symbol->state = Symbol::State::done;
  }
}

}  // namespace netc::sema
