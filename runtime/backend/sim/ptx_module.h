// A program of the simulated GPU in its parsed form: flat arrays that the executor walks without looking anything up.
//
// A register is a row of 32 lanes of 4 or 8 bytes, one per thread of a warp; a predicate is a mask of 32 bits. An
// operand is a byte offset into the warp's registers, or (negative, complemented) into the kernel's constants, where
// every literal stands as a row of its own: the executor never asks which of the two it reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace netc::sim {

inline constexpr int kWarpLanes = 32;
inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;
inline constexpr int32_t kNoOperand = INT32_MIN;

// How the scheduler treats an instruction; `none` goes straight to its handler.
enum class Control : uint8_t { none, branch, branch_table, exit, trap, barrier, warp_sync };

enum class Rounding : uint8_t { nearest, zero, down, up };

enum class Space : uint8_t { generic, global, shared, local, param, module_data };

enum class Compare : uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

enum class Combine : uint8_t { none, all_of, any_of, differ };   // of setp with a third predicate: and, or, xor

enum class Atomic : uint8_t { add, min, max, inc, dec, exchange, compare_swap, bit_and, bit_or, bit_xor };

enum InstructionFlag : uint16_t {
  kFlushSubnormals = 1,
  kSaturate = 2,
  kToInteger = 4,        // cvt.rni and its kin: round to a whole number
  kNanWins = 8,          // min.NaN, max.NaN
  kWideSource = 16,      // a 64-bit register read for its low bits
  kAddress32 = 32,       // the address register has 32 bits
  kStrong = 64,          // volatile, relaxed, acquire or atomic: takes part in no race with its like
  kSignExtend = 128,     // of a narrow load
  kAcquire = 256,        // fences of the memory model that come with the access
  kRelease = 512,
  kReadOnlyPath = 1024,  // ld.global.nc
};

struct Instruction {
  uint16_t op = 0;            // row of opcodes.def
  Control control = Control::none;
  Rounding rounding = Rounding::nearest;
  uint16_t flags = 0;
  uint8_t mode = 0;           // Compare, Atomic, special register, shuffle kind: what the row's handler expects
  Combine combine = Combine::none;
  Space space = Space::generic;
  uint8_t element_bytes = 0;  // of one memory element; a vector access has `count` of them
  uint8_t count = 1;
  uint8_t lane_bytes = 4;     // of the register a memory element lives in
  uint8_t flops = 0;          // per thread
  int32_t guard = kNoOperand; // predicate; complemented: negated
  int32_t d = kNoOperand, d2 = kNoOperand;                                               // results
  int32_t a = kNoOperand, b = kNoOperand, c = kNoOperand, e = kNoOperand;                // sources
  int32_t list = -1;          // where the operands of a vector or the targets of a table start in Kernel::lists
  int64_t immediate = 0;      // address offset, branch target, lookup table of lop3
};

struct SourcePlace {
  uint32_t ptx_line = 0;
  uint32_t file = 0;   // 0: none; else index into Module::files
  uint32_t line = 0;
};

struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

struct SharedVariable {
  std::string name;
  uint32_t offset = 0, bytes = 0;
  bool is_dynamic = false;   // its size comes with the launch
};

struct alignas(64) ConstantRow {
  uint8_t bytes[kWarpLanes * 4];
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0;
  std::vector<SharedVariable> shared;    // with gaps between them, so that each has its own bounds
  uint32_t shared_extent = 0;            // where dynamic shared memory starts
  uint32_t static_shared_bytes = 0;      // as the GPU counts
  uint32_t local_bytes = 0;              // per thread
  uint32_t max_threads = 0;              // .maxntid; 0: not declared
  uint32_t register_bytes = 0;           // per warp
  uint32_t predicates = 2;               // 0 is false, 1 is true
  std::vector<Instruction> code;
  std::vector<SourcePlace> places;       // one per instruction
  std::vector<ConstantRow> constants;
  std::vector<int32_t> lists;
};

struct Module {
  std::string target;                    // "sm_90"
  std::vector<std::string> files;        // by number of .file
  std::vector<uint8_t> data;             // .const and .global variables, read-only
  std::vector<Kernel> kernels;

  const Kernel* find(std::string_view kernel) const {
    for (const Kernel& k : kernels)
      if (k.name == kernel) return &k;
    return nullptr;
  }
};

// The upper byte of a generic address tells its space; the next byte is the device of a global address.
inline constexpr uint64_t kSpaceShift = 56, kDeviceShift = 48;
inline constexpr uint64_t kGlobalTag = 0x6D, kSharedTag = 0x53, kLocalTag = 0x4C, kParamTag = 0x50, kModuleTag = 0x44;
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << kDeviceShift) - 1;

}  // namespace netc::sim
