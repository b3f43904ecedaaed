// What this machine is: which target its processor runs, and how many cores this process may use.
#pragma once

#include "compiler/kernel/target.h"

namespace netc {

const Target& detect_cpu_target();            // the widest known target the processor and the kernel support
bool runs_target(const Target& target);       // can code for this target run here?
int available_cores();                        // by the affinity mask of the process, at least 1

}  // namespace netc
