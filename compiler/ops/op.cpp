#include "compiler/ops/op.h"

#include <unordered_map>

#include "compiler/base/errors.h"
#include "compiler/ops/rows.h"

namespace netc {

namespace {

std::vector<OpRow> make_table() {
  std::vector<OpRow> rows;
  append_arithmetic(rows);
  append_activations(rows);
  append_shape(rows);
  append_reduce(rows);
  append_contract(rows);
  append_gather(rows);
  append_random(rows);
  append_softmax(rows);
  append_normalize(rows);
  append_losses(rows);
  append_training(rows);
  return rows;
}

template <class T>
const T& attribute(const Attributes& attributes, const std::string& name, const char* kind) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) throw InternalError("attribute `" + name + "` is missing");
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) throw InternalError("attribute `" + name + "` is not " + kind);
  return *value;
}

}  // namespace

std::span<const OpRow> op_table() {
  static const std::vector<OpRow> rows = make_table();
  return rows;
}

const OpRow* find_op(const std::string& name) {
  static const std::unordered_map<std::string, const OpRow*> by_name = [] {
    std::unordered_map<std::string, const OpRow*> index;
    for (const OpRow& row : op_table())
      if (!index.emplace(row.name, &row).second) throw InternalError("op `" + row.name + "` has two rows");
    return index;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const OpRow& op_row(const Node& node) {
  const OpRow* row = find_op(node.op);
  if (row == nullptr) throw InternalError("there is no op `" + node.op + "`");
  return *row;
}

int64_t int_attribute(const Attributes& attributes, const std::string& name) {
  return attribute<int64_t>(attributes, name, "a whole number");
}

double float_attribute(const Attributes& attributes, const std::string& name) {
  return attribute<double>(attributes, name, "a number");
}

bool bool_attribute(const Attributes& attributes, const std::string& name, bool fallback) {
  return attributes.contains(name) ? attribute<bool>(attributes, name, "a bool") : fallback;
}

const std::vector<int64_t>& ints_attribute(const Attributes& attributes, const std::string& name) {
  return attribute<std::vector<int64_t>>(attributes, name, "a list of whole numbers");
}

const std::string& text_attribute(const Attributes& attributes, const std::string& name) {
  return attribute<std::string>(attributes, name, "text");
}

}  // namespace netc
