// The optimizers users can write and the update rules that carry them out are the same, with the same defaults.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "compiler/autodiff/update_rules.h"
#include "compiler/layers/training_tables.h"

namespace netc {
namespace {

double as_number(const std::string& text) { return text == "true" ? 1 : text == "false" ? 0 : std::strtod(text.c_str(), nullptr); }

TEST(UpdateRules, AreTheOptimizersOfTheLanguage) {
  size_t available = 0;
  for (const Signature& row : optimizer_table()) {
    const UpdateRule* rule = find_update_rule(row.name);
    EXPECT_EQ(rule != nullptr, row.available) << row.name;
    if (rule == nullptr || !row.available) continue;
    ++available;
    std::map<std::string, double> written, carried_out(rule->arguments.begin(), rule->arguments.end());
    for (const ParameterRow& parameter : row.parameters)
      if (parameter.name != "lr") written[parameter.name] = as_number(parameter.fallback);
    EXPECT_EQ(written, carried_out) << row.name;
  }
  EXPECT_EQ(available, update_rules().size());
}

}  // namespace
}  // namespace netc
