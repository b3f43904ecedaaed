// A generated model of any number of layers, to see that the front end stays linear.
#pragma once

#include <string>

namespace netc::bench {

// `layers` layers as a person would write them: named values, two or three stages a line, no repeat.
std::string large_model(int layers);

}  // namespace netc::bench
