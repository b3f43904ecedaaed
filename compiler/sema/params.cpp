#include "compiler/sema/params.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "compiler/base/text_distance.h"

namespace netc::sema {
namespace {

std::string without_underscores(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != '_') result += c;
  return result;
}

std::optional<double> parse_number(std::string text) {
  bool percent = false;
  if (!text.empty() && text.back() == '%') {
    percent = true;
    text.pop_back();
  }
  if (text.empty() || text.find_first_not_of("+-0123456789.eE") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value)) return std::nullopt;
  return percent ? value / 100 : value;
}

std::optional<Value> parse_value(const std::string& type, const std::string& given) {
  if (type == "string") return Value(Text{given});
  if (type == "bool") {
    if (given == "true") return Value(true);
    if (given == "false") return Value(false);
    return std::nullopt;
  }
  const std::string text = without_underscores(given);
  if (type == "int") {
    if (text.empty() || text.find_first_not_of("+-0123456789") != std::string::npos) return std::nullopt;
    char* end = nullptr;
    errno = 0;
    const int64_t value = std::strtoll(text.c_str(), &end, 10);
    if (*end != '\0' || errno == ERANGE) return std::nullopt;
    return Value(value);
  }
  if (const auto number = parse_number(text)) return Value(Float{*number, given.back() == '%'});
  return std::nullopt;
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
