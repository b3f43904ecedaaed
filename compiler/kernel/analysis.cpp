#include "compiler/kernel/analysis.h"

namespace netc {

Dependence dependence(const Index& index, const std::vector<Dependence>& of_exprs) {
  Dependence result;
  for (const Index::Term& term : index.terms) result.axes |= axis_bit(term.axis);
  if (index.gathered != kNone) {
    const Dependence& gathered = of_exprs[static_cast<size_t>(index.gathered)];
    result.axes |= gathered.axes;
    result.reductions |= gathered.reductions;
  }
  return result;
}

std::vector<Dependence> dependences(const Kernel& kernel) {
  std::vector<Dependence> all;
  all.reserve(kernel.exprs.size());
  for (const Expr& e : kernel.exprs) {
    Dependence d;
    const auto join = [&d](const Dependence& other) {
      d.axes |= other.axes;
      d.reductions |= other.reductions;
    };
    if (e.op == ExprOp::axis) d.axes = axis_bit(static_cast<AxisId>(e.slot));
    if (e.op == ExprOp::reduced) d.reductions = uint64_t{1} << e.slot;
    if (e.op == ExprOp::load || e.op == ExprOp::random) {
      join(dependence(e.row, all));
      join(dependence(e.column, all));
    }
    for (int i = 0; i < arity(e.op); ++i) join(all[static_cast<size_t>(e.args[i])]);
    all.push_back(d);
  }
  return all;
}

int arity(ExprOp op) {
  if (op < ExprOp::cast) return 0;
  if (op <= ExprOp::sign) return 1;
  if (op <= ExprOp::logical_or) return 2;
  return op == ExprOp::logical_not ? 1 : 3;
}

const char* expr_op_name(ExprOp op) {
  static constexpr const char* kNames[] = {
      "constant", "scalar", "axis",  "load",       "reduced", "random", "cast",        "neg",        "abs",
      "exp",      "log",    "log1p", "expm1",      "sqrt",    "rsqrt",  "reciprocal",  "sin",        "cos",
      "tanh",     "erf",    "floor", "sign",       "add",     "sub",    "mul",         "div",        "max",
      "min",      "pow",    "lt",    "le",         "gt",      "ge",     "eq",          "ne",         "logical_and",
      "logical_or", "logical_not", "select"};
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<size_t>(ExprOp::select) + 1);
  return kNames[static_cast<size_t>(op)];
}

std::vector<bool> needed_by_phase(const Kernel& kernel, const Phase& phase) {
  std::vector<bool> needed(kernel.exprs.size(), false);
  const auto need = [&needed](ExprId id) {
    if (id != kNone) needed[static_cast<size_t>(id)] = true;
  };
  for (int32_t r : phase.reductions) need(kernel.reductions[static_cast<size_t>(r)].value);
  for (const Store& store : phase.stores) {
    need(store.value);
    need(store.row.gathered);
    need(store.column.gathered);
  }
  for (size_t i = kernel.exprs.size(); i-- > 0;)   // arguments stand before uses
    if (needed[i]) for_each_operand(kernel.exprs[i], need);
  return needed;
}

BufferId root_of(const Program& program, BufferId buffer) {
  while (program.buffers[static_cast<size_t>(buffer)].alias_of != kNone)
    buffer = program.buffers[static_cast<size_t>(buffer)].alias_of;
  return buffer;
}

}  // namespace netc
