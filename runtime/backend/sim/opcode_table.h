// The rows of opcodes.def as the parser asks for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace netc::sim {

struct OpcodeRow {
  uint16_t op = 0;             // index of its handler
  std::string_view operands;   // as opcodes.def describes them
  std::string_view accepts;
  uint8_t flops = 0;

  bool is_accepting(char letter) const { return accepts.find(letter) != std::string_view::npos; }
};

// The row of an opcode without its accepted modifiers ("add.f32"), or null.
const OpcodeRow* find_opcode(std::string_view key);

std::vector<std::string> all_opcodes();   // every key, sorted

}  // namespace netc::sim
