// Contenders measured side by side: each round gives every contender a turn, between probes of the machine's FMA peak.
// A round in which others used the machine, or its cores shared one physical core, is thrown away.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace netc::bench {

struct Contender {
  std::string name;               // "seed net, 1 tower, 1 core"
  int cores = 1;                  // what the peak is taken of
  double flops = 0;               // floating-point operations of one step, by its arithmetic
  int64_t samples = 0;            // rows of one step
  // Makes `steps` steps and gives the seconds they took. Throws to leave the comparison.
  std::function<double(int64_t steps)> run;
};

struct Figure {
  std::string name;
  int cores = 1;
  double flops = 0;
  int64_t samples = 0;
  std::vector<double> step_seconds;      // one an accepted round
  std::vector<double> peak_share;        // of the peak probed in the same round, 0 .. 1
  double median_seconds() const;
  double best_seconds() const;
  double median_peak_share() const;
};

struct RoundsOptions {
  int rounds = 9;                        // accepted ones wanted
  int most_rejected = 60;                // then the figures are given as they are, and said to be disturbed
  double turn_seconds = 0.4;             // of one contender in one round
  double foreign_limit = 0.08;           // cores
  double scaling_limit = 0.85;           // peak of n cores / (n x peak of one): 1.7 for two
  std::vector<int> children;             // processes that take part
};

struct RoundsReport {
  std::vector<Figure> figures;           // in the order of the contenders
  int accepted = 0, rejected = 0;
  bool disturbed = false;                // not enough quiet rounds: accepted ones are the least disturbed
  double peak_one = 0, peak_all = 0;     // medians, flops per second
  int cores = 1;
};

RoundsReport run_rounds(const std::vector<Contender>& contenders, const RoundsOptions& options);

double median(std::vector<double> values);

}  // namespace netc::bench
