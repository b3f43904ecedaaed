#include "cli/placement.h"

#include "cli/arguments.h"
#include "runtime/backend/cpu/detect.h"

namespace netc {

Plan resolve_towers(Plan plan) {
  if (plan.towers.empty()) {
    TowerSpec tower;
    tower.device = {DeviceKind::cpu, 0};
    tower.span = plan.span;
    plan.towers.push_back(tower);
  }
  plan.towers_auto = false;
  return plan;
}

std::vector<TowerPlacement> placements(const Plan& plan) {
  std::vector<TowerPlacement> towers;
  for (const TowerSpec& tower : plan.towers) towers.push_back({tower.device, tower.share, tower.threads});
  return towers;
}

Target choose_target(const std::string& name) {
  if (name.empty()) return detect_cpu_target();
  if (const Target* target = find_target(name)) return *target;
  std::string names;
  for (const Target& target : known_targets()) names += (names.empty() ? "" : ", ") + target.name;
  throw UsageError("`--target`: there is no target `" + name + "`", "one of " + names);
}

}  // namespace netc
