// What is right but cannot be run by this version.
#include <algorithm>

#include "compiler/sema/analyze.h"

namespace netc {

void report_unavailable(const Analysis& analysis, Diagnostics& diagnostics) {
  for (const Unavailable& part : analysis.unavailable)
    diagnostics.error(Code::N0918, part.span, part.what + " is not available in this version");

  const Plan& plan = analysis.plan;
  const auto refuse = [&](Span span, const std::string& what) -> Diagnostic& {
    return diagnostics.error(Code::N0918, span.known() ? span : plan.span, what + " is not available in this version");
  };
  for (const TowerSpec& tower : plan.towers) {
    if (tower.device.kind == DeviceKind::cpu) continue;
    if (tower.device.kind == DeviceKind::sim) {
      if (tower.all) refuse(tower.span, "`sim:*`").help("say how many: `towers: [sim:0, sim:1]`");
      continue;
    }
    const std::string device = to_string(tower.device);
    const std::string shown = tower.all ? device.substr(0, device.find(':')) + ":*" : device;
    diagnostics.error(Code::N0704, tower.span.known() ? tower.span : plan.span, "there is no " + shown + " here")
        .note("this version computes on the processor (cpu:0, cpu:1, ...) and on simulated GPUs (sim:0, sim:1, ...)")
        .help("`--towers cpu:0` runs the file here");
  }
  const auto is_sim = [](const TowerSpec& tower) { return tower.device.kind == DeviceKind::sim; };
  const auto sims = std::count_if(plan.towers.begin(), plan.towers.end(), is_sim);
  if (sims > 0 && sims < static_cast<int64_t>(plan.towers.size())) refuse(plan.span, "a plan of simulated GPUs and other towers");
  if (sims > 1 && plan.deterministic) refuse(plan.span, "`deterministic: true` on towers that do not share memory");
  if (plan.hosts > 1) refuse(plan.span, "a plan of several hosts");
  if (plan.accumulate > 1) refuse(plan.span, "`accumulate` above 1");
  if (plan.sync == SyncKind::average) refuse(plan.span, "`sync: average`");
  if (plan.sync == SyncKind::parameter_server) refuse(plan.span, "`sync: parameter_server`");
  if (plan.precision != Precision::f32) refuse(plan.span, "a precision other than f32");
  for (const TowerSpec& tower : plan.towers)
    if (tower.share_auto) refuse(tower.span, "`share: auto`");
  if (analysis.train.batch_scope == BatchScope::per_host && plan.hosts > 1) refuse(analysis.train.batch_span, "a batch per host");
}

}  // namespace netc
