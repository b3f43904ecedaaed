// How often this process has asked for memory with `new`, to show that steps do not.
#pragma once

#include <cstdint>

namespace netc {

int64_t allocations();

}  // namespace netc
