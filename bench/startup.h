// How long things take from the outside: first steps, the check of a large file, the compilation of a unit.
#pragma once

#include <string>
#include <vector>

namespace netc::bench {

struct Duration {
  std::string name;
  std::vector<double> seconds;   // one a repetition
};

// netc train of the seed net, from the start of the process to the end of its first step: with an empty kernel cache, and
// with a filled one.
std::vector<Duration> time_to_first_step(int repetitions);

// netc check of generated models of 250 to 4000 layers, whole processes.
std::vector<Duration> time_of_check(int repetitions);

}  // namespace netc::bench
