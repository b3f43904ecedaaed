#define NETC_SIM_HANDLERS kHandlersAny
#include "runtime/backend/sim/lane_ops.h"
