#include "runtime/backend/sim/fault.h"

namespace netc::sim {
namespace {

std::string text_of(const Index3& index) {
  return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," + std::to_string(index[2]) + ")";
}

std::string message(FaultKind kind, const SimulatedGpuFault::Place& place, const std::string& text) {
  std::string line = std::string("simulated GPU: ") + name(kind) + ": " + text;
  if (!place.kernel.empty()) line += "\n  in kernel " + place.kernel;
  if (!place.source.empty()) line += " at " + place.source;
  if (place.ptx_line > 0) line += " (PTX line " + std::to_string(place.ptx_line) + ")";
  if (place.has_thread) line += ", block " + text_of(place.block) + " thread " + text_of(place.thread);
  return line;
}

}  // namespace

const char* name(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::misaligned: return "misaligned";
    case FaultKind::wrong_device: return "pointer of another device";
    case FaultKind::use_after_free: return "use after free";
    case FaultKind::uninitialised_read: return "uninitialised read";
    case FaultKind::race: return "race";
    case FaultKind::divergent_barrier: return "divergent barrier";
    case FaultKind::divergent_warp: return "divergent warp operation";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::no_progress: return "no progress";
    case FaultKind::trap: return "trap";
    case FaultKind::bad_launch: return "bad launch";
    case FaultKind::read_only: return "store to read-only memory";
  }
  return "fault";
}

SimulatedGpuFault::SimulatedGpuFault(FaultKind fault_kind, Place fault_place, std::string fault_text)
    : std::runtime_error(message(fault_kind, fault_place, fault_text)),
      kind(fault_kind),
      place(std::move(fault_place)),
      text(std::move(fault_text)) {}

}  // namespace netc::sim
