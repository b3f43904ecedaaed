// What the simulated GPU reports about generated code: a wrong access, a race, a deadlock. Not an error of the machine
// and not of the simulator.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace netc::sim {

enum class FaultKind {
  out_of_bounds,        // outside every buffer, or past the end of one
  misaligned,           // the address is no multiple of the access
  wrong_device,         // a pointer of another GPU
  use_after_free,
  uninitialised_read,   // check mode only
  race,                 // check mode only
  divergent_barrier,    // a barrier that not all threads of the block reach together
  divergent_warp,       // a warp operation that misses lanes named in its mask
  deadlock,             // nobody can go on
  no_progress,          // the instruction limit of a block is used up
  trap,                 // the kernel stopped itself (assert, __trap)
  bad_launch,           // grid, block or shared memory that no GPU takes
  read_only,            // a store to constant memory or to parameters
};

const char* name(FaultKind kind);   // "out of bounds"

using Index3 = std::array<uint32_t, 3>;

class SimulatedGpuFault : public std::runtime_error {
 public:
  struct Place {
    std::string kernel;
    std::string source;       // "net.cu:12", from #line; empty without line information
    int ptx_line = 0;
    Index3 block{}, thread{};
    bool has_thread = false;  // false: the report is about a block or a launch
    uint64_t address = 0;     // of the access; 0: none
    std::string buffer;       // name of the buffer in or near which the access lies; empty: none
  };

  SimulatedGpuFault(FaultKind fault_kind, Place fault_place, std::string fault_text);

  FaultKind kind;
  Place place;
  std::string text;   // the finding without its place
};

}  // namespace netc::sim
