#include "bench/rounds.h"

#include <algorithm>
#include <cstdio>

#include "bench/fma_peak.h"
#include "bench/quiet.h"

namespace netc::bench {
namespace {

struct Peaks {
  double one = 0, all = 0;
};

Peaks probe(int cores) { return {fma_peak(1), cores > 1 ? fma_peak(cores) : 0}; }

// How many steps fill a turn; the first steps also warm caches, pages and the clock.
int64_t steps_per_turn(const Contender& contender, double turn_seconds) {
  double seconds = contender.run(2) / 2;
  int64_t steps = std::max<int64_t>(1, static_cast<int64_t>(turn_seconds / std::max(seconds, 1e-7)));
  seconds = contender.run(std::max<int64_t>(1, steps / 4)) / static_cast<double>(std::max<int64_t>(1, steps / 4));
  return std::max<int64_t>(1, static_cast<int64_t>(turn_seconds / std::max(seconds, 1e-7)));
}

// One turn of every contender, with the peaks before and after it.
struct Round {
  std::vector<double> step_seconds;
  Peaks peaks;
  double foreign = 0;
};

Round play(const std::vector<Contender>& contenders, const std::vector<int64_t>& steps, const RoundsOptions& options,
           int cores) {
  Round round;
  ForeignLoad load(options.children);
  const Peaks before = probe(cores);
  for (size_t i = 0; i < contenders.size(); ++i)
    round.step_seconds.push_back(contenders[i].run(steps[i]) / static_cast<double>(steps[i]));
  const Peaks after = probe(cores);
  round.foreign = load.cores();
  round.peaks = {(before.one + after.one) / 2, (before.all + after.all) / 2};
  return round;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double Figure::median_seconds() const { return median(step_seconds); }
double Figure::best_seconds() const {
  return step_seconds.empty() ? 0 : *std::min_element(step_seconds.begin(), step_seconds.end());
}
double Figure::median_peak_share() const { return median(peak_share); }

RoundsReport run_rounds(const std::vector<Contender>& contenders, const RoundsOptions& options) {
  RoundsReport report;
  report.cores = usable_cores();
  std::vector<int64_t> steps;
  for (const Contender& contender : contenders) {
    report.figures.push_back({contender.name, contender.cores, contender.flops, contender.samples, {}, {}});
    steps.push_back(steps_per_turn(contender, options.turn_seconds));
  }

  std::vector<Round> accepted, rejected;
  while (static_cast<int>(accepted.size()) < options.rounds &&
         static_cast<int>(rejected.size()) < options.most_rejected) {
    wait_until_quiet(options.foreign_limit * 0.75, 10);
    Round round = play(contenders, steps, options, report.cores);
    const bool shares_core =
        report.cores > 1 && round.peaks.all < options.scaling_limit * report.cores * round.peaks.one;
    const bool quiet = round.foreign <= options.foreign_limit && !shares_core;
    std::fprintf(stderr, "\rround %zu of %d, %zu thrown away (others used %.2f cores)   ", accepted.size() + quiet,
                 options.rounds, rejected.size() + !quiet, round.foreign);
    (quiet ? accepted : rejected).push_back(std::move(round));
  }
  std::fprintf(stderr, "\n");

  report.accepted = static_cast<int>(accepted.size());
  report.rejected = static_cast<int>(rejected.size());
  report.disturbed = report.accepted < options.rounds;
  if (report.disturbed) {
    std::sort(rejected.begin(), rejected.end(), [](const Round& a, const Round& b) { return a.foreign < b.foreign; });
    for (Round& round : rejected)
      if (static_cast<int>(accepted.size()) < options.rounds) accepted.push_back(std::move(round));
  }

  std::vector<double> one, all;
  for (const Round& round : accepted) {
    one.push_back(round.peaks.one);
    all.push_back(round.peaks.all);
    for (size_t i = 0; i < contenders.size(); ++i) {
      const double peak = contenders[i].cores > 1 ? round.peaks.all : round.peaks.one;
      report.figures[i].step_seconds.push_back(round.step_seconds[i]);
      report.figures[i].peak_share.push_back(contenders[i].flops / round.step_seconds[i] / peak);
    }
  }
  report.peak_one = median(one);
  report.peak_all = median(all);
  return report;
}

}  // namespace netc::bench
