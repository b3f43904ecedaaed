#include "runtime/backend/sim/kernel_builder.h"

#include <cstring>

#include "compiler/base/errors.h"

namespace netc::sim {

void refuse_ptx(uint32_t line, const std::string& why) {
  throw InternalError("PTX line " + std::to_string(line) + ": " + why);
}

KernelBuilder::KernelBuilder(Kernel& of_kernel, const std::map<std::string, Symbol, std::less<>>& module_symbols)
    : kernel(of_kernel), module_symbols_(module_symbols) {
  open_scope();
}

void KernelBuilder::open_scope() { scopes_.emplace_back(); }
void KernelBuilder::close_scope() { scopes_.pop_back(); }

void KernelBuilder::declare(std::string_view name, uint8_t bytes, uint32_t count) {
  Names& names = scopes_.back()[name];
  names = {bytes, std::vector<Register>(count == 0 ? 1 : count), count > 0};
}

Register KernelBuilder::give_row(uint8_t bytes) {
  Register fresh{0, bytes};
  if (bytes == 0) {
    fresh.operand = static_cast<int32_t>(kernel.predicates++);
  } else {
    fresh.operand = static_cast<int32_t>(kernel.register_bytes);
    kernel.register_bytes += bytes == 8 ? 8 * kWarpLanes : 4 * kWarpLanes;
  }
  return fresh;
}

const Register* KernelBuilder::find_register(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  for (size_t s = scopes_.size(); s-- > 0;) {
    auto& names = scopes_[s];
    auto found = names.find(name);
    uint32_t index = 0;
    if ((found == names.end() || found->second.is_range) && digits < name.size()) {
      found = names.find(name.substr(0, digits));
      if (found != names.end() && !found->second.is_range) found = names.end();
      for (const char c : name.substr(digits)) index = index * 10 + static_cast<uint32_t>(c - '0');
    }
    if (found == names.end() || index >= found->second.registers.size()) continue;
    Register& entry = found->second.registers[index];
    if (entry.operand == kNoOperand) entry = give_row(found->second.bytes);
    return &entry;
  }
  return nullptr;
}

int32_t KernelBuilder::constant32(uint32_t bits) {
  const auto [entry, is_new] = constants32_.try_emplace(bits, 0);
  if (is_new) {
    entry->second = ~static_cast<int32_t>(kernel.constants.size() * sizeof(ConstantRow));
    ConstantRow row;
    for (int lane = 0; lane < kWarpLanes; ++lane) std::memcpy(row.bytes + 4 * lane, &bits, 4);
    kernel.constants.push_back(row);
  }
  return entry->second;
}

int32_t KernelBuilder::constant64(uint64_t bits) {
  const auto [entry, is_new] = constants64_.try_emplace(bits, 0);
  if (is_new) {
    entry->second = ~static_cast<int32_t>(kernel.constants.size() * sizeof(ConstantRow));
    ConstantRow row;
    for (int lane = 0; lane < kWarpLanes / 2; ++lane) std::memcpy(row.bytes + 8 * lane, &bits, 8);
    kernel.constants.push_back(row);
    kernel.constants.push_back(row);
  }
  return entry->second;
}

const Symbol* KernelBuilder::find_symbol(std::string_view name) const {
  if (const auto own = symbols_.find(name); own != symbols_.end()) return &own->second;
  const auto shared = module_symbols_.find(name);
  return shared == module_symbols_.end() ? nullptr : &shared->second;
}

void KernelBuilder::define_label(std::string_view name, uint32_t line) {
  if (!labels_.emplace(name, pc()).second) refuse_ptx(line, "label " + std::string(name) + " is defined twice");
}

void KernelBuilder::branch_to(std::string_view label, uint32_t line) { branches_.push_back({pc(), label, line}); }

void KernelBuilder::define_table(std::string_view name, std::vector<std::string_view> labels) {
  tables_[name] = std::move(labels);
}

void KernelBuilder::branch_by(std::string_view table, uint32_t line) { table_branches_.push_back({pc(), table, line}); }

void KernelBuilder::resolve_labels() {
  const auto target = [&](std::string_view label, uint32_t line) {
    const auto found = labels_.find(label);
    if (found == labels_.end()) refuse_ptx(line, "label " + std::string(label) + " is not defined");
    return found->second;
  };
  for (const Pending& branch : branches_) kernel.code[branch.pc].immediate = target(branch.label, branch.line);
  for (const Pending& branch : table_branches_) {
    const auto table = tables_.find(branch.label);
    if (table == tables_.end())
      refuse_ptx(branch.line, "branch table " + std::string(branch.label) + " is not defined");
    kernel.code[branch.pc].list = static_cast<int32_t>(kernel.lists.size());
    kernel.lists.push_back(static_cast<int32_t>(table->second.size()));
    for (const std::string_view label : table->second)
      kernel.lists.push_back(static_cast<int32_t>(target(label, branch.line)));
  }
}

}  // namespace netc::sim
