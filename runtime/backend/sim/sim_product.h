// The library's matrix product on a simulated GPU: plain loops on the host, f32 sums in ascending order of k.
#pragma once

#include "runtime/backend/sim/device_memory.h"
#include "runtime/gpu/device.h"

namespace netc {

void simulate_product(const DeviceProduct& product, sim::DeviceMemory& memory, int threads);

}  // namespace netc
