// "Did you mean": the closest of the names that would be right here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netc {

// Damerau-Levenshtein distance in bytes, with adjacent transpositions; letters that differ only in case cost nothing
// if the whole names agree otherwise (distance 0 is equality up to case).
int text_distance(std::string_view a, std::string_view b);

// The candidate closest to `name`, if it is close enough to be a slip (a third of the length, at least one). Ties go
// to the earlier candidate, so the answer depends on nothing but the arguments. A name equal up to case always wins.
std::optional<std::string> suggest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace netc
