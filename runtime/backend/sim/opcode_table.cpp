#include "runtime/backend/sim/opcode_table.h"

#include <algorithm>
#include <functional>
#include <map>

namespace netc::sim {
namespace {

struct Row {
  std::string_view key, operands, accepts;
  int flops;
};

constexpr Row kRows[] = {
#define OP(key, operands, accepts, flops, handler) {key, operands, accepts, flops},
#include "runtime/backend/sim/opcodes.def"
#undef OP
};

// "add.{u32,s32}" stands for two keys.
void expand(const std::string& key, const std::function<void(const std::string&)>& emit) {
  const size_t open = key.find('{');
  if (open == std::string::npos) return emit(key);
  const size_t close = key.find('}', open);
  for (size_t begin = open + 1; begin <= close;) {
    const size_t end = std::min(key.find(',', begin), close);
    expand(key.substr(0, open) + key.substr(begin, end - begin) + key.substr(close + 1), emit);
    begin = end + 1;
  }
}

using Table = std::map<std::string, OpcodeRow, std::less<>>;

const Table& table() {
  static const Table built = [] {
    Table rows;
    uint16_t op = 0;
    for (const Row& row : kRows) {
      expand(std::string(row.key), [&](const std::string& key) {
        rows[key] = {op, row.operands, row.accepts, static_cast<uint8_t>(row.flops)};
      });
      ++op;
    }
    return rows;
  }();
  return built;
}

}  // namespace

const OpcodeRow* find_opcode(std::string_view key) {
  const auto found = table().find(key);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> all_opcodes() {
  std::vector<std::string> keys;
  for (const auto& [key, row] : table()) keys.push_back(key);
  return keys;
}

}  // namespace netc::sim
