#include "compiler/base/text_distance.h"

#include <algorithm>
#include <utility>

namespace netc {

namespace {

constexpr size_t kLongestName = 64;  // longer names are no slips, and comparing them would cost

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

}  // namespace

int text_distance(std::string_view a, std::string_view b) {
  if (to_lower(a) == to_lower(b)) return 0;
  std::vector<int> two_back(b.size() + 1), one_back(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) one_back[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitution = one_back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({one_back[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, one_back);
    std::swap(one_back, row);
  }
  return one_back[b.size()];
}

std::optional<std::string> suggest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestName) continue;
    const int distance = text_distance(name, candidate);
    const int allowed = std::max(1, static_cast<int>(std::max(name.size(), candidate.size())) / 3);
    // A slip keeps something: for names of one or two letters a distance of 1 may share nothing.
    const bool shares_nothing = distance >= static_cast<int>(std::max(name.size(), candidate.size()));
    if (distance > allowed || shares_nothing) continue;
    if (!best || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (!best) return std::nullopt;
  return *best;
}

}  // namespace netc
