// One instruction of PTX into the form that runs.
#pragma once

#include <string_view>

#include "runtime/backend/sim/kernel_builder.h"
#include "runtime/backend/sim/ptx_operands.h"

namespace netc::sim {

// opcode: with all its modifiers. The guard is already in `instruction`. Appends to the builder's code.
void parse_instruction(std::string_view opcode, uint32_t line, Cursor& cursor, KernelBuilder& builder,
                       Instruction instruction, const SourcePlace& place);

}  // namespace netc::sim
