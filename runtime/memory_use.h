// What this process takes of the machine's memory, as the kernel counts it.
#pragma once

#include <cstdint>

namespace netc {

int64_t peak_memory_bytes();      // the most that was resident at once; 0 where /proc does not say
int64_t resident_memory_bytes();  // now

}  // namespace netc
