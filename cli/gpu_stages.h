// The stages of `netc compile` that are about GPUs: CUDA text, PTX, and what each kernel takes of the machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/kernel/program.h"

namespace netc {

struct GpuStage {
  const Program* program = nullptr;
  std::vector<std::string> architectures;               // "sm_90"; at least one
  std::function<std::string(Span)> span_text;           // the .net line of a span
};

// "sm_80,sm_90" to {"sm_80", "sm_90"}. UsageError for one that is none, or that the NVRTC of this machine (if there is
// one) does not know; the message lists those it knows.
std::vector<std::string> parse_architectures(const std::string& text);

std::string cuda_text(const GpuStage& stage);
std::string ptx_text(const GpuStage& stage);             // RuntimeError without NVRTC
// Registers, spills, shared memory, occupancy, bytes and operations of each kernel at the batch the program is planned for.
std::string resource_table(const GpuStage& stage);
std::string resource_json(const GpuStage& stage);

}  // namespace netc
