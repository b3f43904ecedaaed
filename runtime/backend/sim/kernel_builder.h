// A kernel while it is parsed: its registers, constants and names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/backend/sim/ptx_module.h"

namespace netc::sim {

struct Register {
  int32_t operand = kNoOperand;   // offset of its row, or number of the predicate
  uint8_t bytes = 0;              // 2, 4, 8; 0: a predicate
};

struct Symbol {
  Space space = Space::global;
  uint64_t value = 0;   // offset in its space; of module data the address
};

[[noreturn]] void refuse_ptx(uint32_t line, const std::string& why);

class KernelBuilder {
 public:
  KernelBuilder(Kernel& kernel, const std::map<std::string, Symbol, std::less<>>& module_symbols);

  // --- registers. A range "%r<6>" declares %r0 to %r5; rows are given out at first use.
  void open_scope();
  void close_scope();
  void declare(std::string_view name, uint8_t bytes, uint32_t count);   // count 0: the one name
  const Register* find_register(std::string_view name);

  // --- constants, the same number once
  int32_t constant32(uint32_t bits);
  int32_t constant64(uint64_t bits);

  // --- names
  void add_symbol(std::string_view name, Symbol symbol) { symbols_[std::string(name)] = symbol; }
  const Symbol* find_symbol(std::string_view name) const;

  // --- labels
  uint32_t pc() const { return static_cast<uint32_t>(kernel.code.size()); }
  void define_label(std::string_view name, uint32_t line);
  void branch_to(std::string_view label, uint32_t line);              // for the instruction that comes next
  void define_table(std::string_view name, std::vector<std::string_view> labels);
  void branch_by(std::string_view table, uint32_t line);
  void resolve_labels();

  Kernel& kernel;

 private:
  struct Names {
    uint8_t bytes = 0;
    std::vector<Register> registers;
    bool is_range = false;
  };
  Register give_row(uint8_t bytes);

  struct Pending {
    uint32_t pc;
    std::string_view label;
    uint32_t line;
  };

  const std::map<std::string, Symbol, std::less<>>& module_symbols_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::vector<std::unordered_map<std::string_view, Names>> scopes_;
  std::unordered_map<uint32_t, int32_t> constants32_;
  std::unordered_map<uint64_t, int32_t> constants64_;
  std::unordered_map<std::string_view, uint32_t> labels_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> tables_;
  std::vector<Pending> branches_, table_branches_;
};

}  // namespace netc::sim
