// PTX text to a Module. The text comes from NVRTC or from a test; what the simulator does not know is refused by name:
// InternalError "PTX line 12: unknown instruction wgmma.mma_async...". Nothing is skipped that could change a result.
#pragma once

#include <string_view>

#include "runtime/backend/sim/ptx_module.h"

namespace netc::sim {

Module parse_ptx(std::string_view text);

}  // namespace netc::sim
