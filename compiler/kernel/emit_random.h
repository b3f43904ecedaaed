// Random bits as C text: Philox-4x32-10 of compiler/kernel/random.h, a counter per lane and all four words of it used.
#pragma once

#include <string>

#include "compiler/kernel/target.h"

namespace netc {

//   random_tile   bits of the rows of one panel, as products need them
//   random_row    bits of a run of columns of one row
//   random_bits   one value, wherever it is
std::string emit_random(const Target& target);

}  // namespace netc
