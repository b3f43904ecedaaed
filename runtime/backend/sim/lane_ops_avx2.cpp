// Compiled with -mavx2 -mfma on x86-64 (cmake/simulated_gpu.cmake); nothing in it may run before a look at the
// processor.
#include "runtime/backend/sim/warp.h"

namespace netc::sim {
#if defined(__AVX2__) && defined(__FMA__)
const bool kHasAvx2Handlers = true;
#else
const bool kHasAvx2Handlers = false;
#endif
}  // namespace netc::sim

#if defined(__AVX2__) && defined(__FMA__)
#define NETC_SIM_HANDLERS kHandlersAvx2
#include "runtime/backend/sim/lane_ops.h"
#else
namespace netc::sim {
const Handler kHandlersAvx2[] = {nullptr};
}
#endif
