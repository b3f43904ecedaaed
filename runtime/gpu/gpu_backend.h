// Runs programs on devices with a memory each: one tower a device, weights copied to all, gradients added up where the
// tower program says so (tower_program.h: GradientBucket).
//
//   load   kernels of all programs as one CUDA text, compiled by NVRTC for the devices' architecture (or taken from the
//          cache); weights, arenas and inputs allocated on every device, sizes known beforehand
//   run    one host thread a tower: its rows copied in, its launches one after the other; at a bucket all meet
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/backend.h"
#include "runtime/gpu/device.h"

namespace netc {

struct GpuOptions {
  std::function<std::string(Span)> span_text;   // the .net line of a span, for kernels' comments; may be empty
  std::string cache_directory;                  // of compiled kernels; empty: $XDG_CACHE_HOME/netc or ~/.cache/netc
};

// Throws RuntimeError where there is no NVRTC.
std::unique_ptr<Backend> make_gpu_backend(std::unique_ptr<GpuGroup> devices, GpuOptions options = {});

}  // namespace netc
