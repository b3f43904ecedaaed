// Reads the spelling of numbers, quantities and strings. Used for tokens, and for values that come from outside
// (`--set`, settings files), so that both accept the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/syntax/ast.h"

namespace netc {

// "60_000"; nothing if it is no whole number or does not fit.
std::optional<int64_t> read_int(std::string_view text);
// "1e-3", "0.1", "60_000"; nothing if it is no number or too large for a double.
std::optional<double> read_float(std::string_view text);
// "25MiB", "10min", "8epochs"; nothing if the number or the unit is unknown. No percentages.
std::optional<ast::QuantityLiteral> read_quantity(std::string_view text);
// "20%" gives 0.2.
std::optional<double> read_percent(std::string_view text);

// Resolves the escapes of the inside of a string. Nothing if one of them is unknown; `bad_escape` is then its place.
std::optional<std::string> unescape(std::string_view inside, size_t* bad_escape);
// The spelling of a string, with its quotes.
std::string quote(std::string_view value);

// "a number of bytes", "a time" ... for messages.
const char* describe(ast::Unit unit);
bool is_unit(std::string_view word);

}  // namespace netc
