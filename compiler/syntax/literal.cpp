#include "compiler/syntax/literal.h"

#include <algorithm>
#include <charconv>

namespace netc {

namespace {

using ast::Unit;

struct UnitRow {
  const char* name;
  Unit unit;
  double factor;
};

constexpr UnitRow kUnits[] = {
    {"B", Unit::bytes, 1},           {"kB", Unit::bytes, 1e3},           {"MB", Unit::bytes, 1e6},
    {"GB", Unit::bytes, 1e9},        {"TB", Unit::bytes, 1e12},          {"KiB", Unit::bytes, 1024.0},
    {"MiB", Unit::bytes, 1048576.0}, {"GiB", Unit::bytes, 1073741824.0}, {"TiB", Unit::bytes, 1099511627776.0},
    {"us", Unit::seconds, 1e-6},     {"ms", Unit::seconds, 1e-3},        {"s", Unit::seconds, 1},
    {"min", Unit::seconds, 60},      {"h", Unit::seconds, 3600},         {"deg", Unit::degrees, 1},
    {"epoch", Unit::epochs, 1},      {"epochs", Unit::epochs, 1},        {"step", Unit::steps, 1},
    {"steps", Unit::steps, 1},       {"sample", Unit::samples, 1},       {"samples", Unit::samples, 1},
    {"token", Unit::tokens, 1},      {"tokens", Unit::tokens, 1},
};

const UnitRow* find_unit(std::string_view word) {
  for (const UnitRow& row : kUnits) {
    if (word == row.name) return &row;
  }
  return nullptr;
}

// Underscores may stand between digits only.
std::optional<std::string> without_underscores(std::string_view text) {
  const auto is_digit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) {
      return std::nullopt;
    }
  }
  return out;
}

size_t length_of_number(std::string_view text) {
  size_t i = 0;
  const auto skip_digits = [&] {
    while (i < text.size() && (text[i] == '_' || (text[i] >= '0' && text[i] <= '9'))) ++i;
  };
  skip_digits();
  if (i + 1 < text.size() && text[i] == '.' && text[i + 1] >= '0' && text[i + 1] <= '9') {
    ++i;
    skip_digits();
  }
  size_t exponent = i + 1;
  if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E') && exponent < text.size() && text[exponent] >= '0' &&
      text[exponent] <= '9') {
    i = exponent;
    skip_digits();
  }
  return i;
}

void append_utf8(uint32_t code_point, std::string& out) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | (code_point >> 6));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0 | (code_point >> 12));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code_point >> 18));
    out += static_cast<char>(0x80 | ((code_point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  }
}

}  // namespace

std::optional<int64_t> read_int(std::string_view text) {
  const std::optional<std::string> digits = without_underscores(text);
  if (!digits) return std::nullopt;
  int64_t value = 0;
  const char* end = digits->data() + digits->size();
  const auto [stop, error] = std::from_chars(digits->data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> read_float(std::string_view text) {
  const std::optional<std::string> digits = without_underscores(text);
  if (!digits || digits->empty()) return std::nullopt;
  const char first = digits->front() == '-' && digits->size() > 1 ? (*digits)[1] : digits->front();
  if (first < '0' || first > '9') return std::nullopt;  // no `inf`, no `nan`, no `.5`
  double value = 0;
  const char* end = digits->data() + digits->size();
  const auto [stop, error] = std::from_chars(digits->data(), end, value);
  if (stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool too_small = digits->find("e-") != std::string::npos || digits->find("E-") != std::string::npos;
    return too_small ? std::optional<double>(0.0) : std::nullopt;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<ast::QuantityLiteral> read_quantity(std::string_view text) {
  const size_t length = length_of_number(text);
  const UnitRow* unit = find_unit(text.substr(length));
  const std::optional<double> number = read_float(text.substr(0, length));
  if (!unit || !number) return std::nullopt;
  return ast::QuantityLiteral{*number * unit->factor, unit->unit, std::string(text)};
}

std::optional<double> read_percent(std::string_view text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  const std::optional<double> number = read_float(text.substr(0, text.size() - 1));
  if (!number) return std::nullopt;
  return *number / 100;
}

std::optional<std::string> unescape(std::string_view inside, size_t* bad_escape) {
  std::string out;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      out += inside[i];
      continue;
    }
    *bad_escape = i;
    if (++i >= inside.size()) return std::nullopt;
    switch (inside[i]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case '"':
      case '\\': out += inside[i]; break;
      case 'u': {
        const size_t close = inside.find('}', i);
        if (i + 1 >= inside.size() || inside[i + 1] != '{' || close == std::string_view::npos) return std::nullopt;
        uint32_t code_point = 0;
        const char* end = inside.data() + close;
        const auto [stop, error] = std::from_chars(inside.data() + i + 2, end, code_point, 16);
        const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
        if (error != std::errc() || stop != end || code_point > 0x10FFFF || surrogate) return std::nullopt;
        append_utf8(code_point, out);
        i = close;
        break;
      }
      default: return std::nullopt;
    }
  }
  return out;
}

std::string quote(std::string_view value) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : value) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '"':
      case '\\': out += '\\', out += c; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += "\\u{";
          out += kHex[static_cast<unsigned char>(c) >> 4];
          out += kHex[static_cast<unsigned char>(c) & 15];
          out += '}';
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

const char* describe(ast::Unit unit) {
  switch (unit) {
    case Unit::bytes: return "a number of bytes";
    case Unit::seconds: return "a time";
    case Unit::degrees: return "an angle";
    case Unit::epochs: return "a number of epochs";
    case Unit::steps: return "a number of steps";
    case Unit::samples: return "a number of samples";
    case Unit::tokens: return "a number of tokens";
  }
  return "";
}

bool is_unit(std::string_view word) {
  return find_unit(word) != nullptr;
}

}  // namespace netc
