#include "compiler/program/expr_copy.h"

#include <bit>
#include <unordered_map>

#include "compiler/program/affine.h"

namespace netc {

ExprCopier::ExprCopier(const Kernel& from, Kernel& to, std::vector<Index> axis_map, int32_t reduction_offset)
    : from_(from),
      to_(to),
      axis_map_(std::move(axis_map)),
      reduction_offset_(reduction_offset),
      copied_(from.exprs.size(), kNone) {}

Index ExprCopier::copy(const Index& index) {
  Index result = substitute(index, axis_map_);
  if (index.gathered != kNone) {
    result.gathered = copy(index.gathered);
    result.gathered_coefficient = index.gathered_coefficient;
  }
  return result;
}

ExprId ExprCopier::axis_value(const Index& index) {
  const auto integer = [&](int64_t value) {
    Expr e;
    e.op = ExprOp::constant;
    e.type = DType::i32;
    e.value = static_cast<double>(value);
    return to_.add(e);
  };
  const auto binary = [&](ExprOp op, ExprId a, ExprId b) {
    Expr e;
    e.op = op;
    e.type = DType::i32;
    e.args[0] = a;
    e.args[1] = b;
    return to_.add(e);
  };
  ExprId sum = kNone;
  for (const Index::Term& term : index.terms) {
    Expr axis;
    axis.op = ExprOp::axis;
    axis.type = DType::i32;
    axis.slot = term.axis;
    ExprId value = to_.add(axis);
    if (term.coefficient != 1) value = binary(ExprOp::mul, value, integer(term.coefficient));
    sum = sum == kNone ? value : binary(ExprOp::add, sum, value);
  }
  if (sum == kNone) return integer(index.offset);
  return index.offset == 0 ? sum : binary(ExprOp::add, sum, integer(index.offset));
}

ExprId ExprCopier::copy(ExprId id) {
  if (copied_[static_cast<size_t>(id)] != kNone) return copied_[static_cast<size_t>(id)];
  Expr e = from_.exprs[static_cast<size_t>(id)];
  for (ExprId& arg : e.args)
    if (arg != kNone) arg = copy(arg);
  ExprId result = kNone;
  if (e.op == ExprOp::axis) {
    result = axis_value(axis_map_[static_cast<size_t>(e.slot)]);
  } else {
    if (e.op == ExprOp::load || e.op == ExprOp::random) {
      e.row = copy(e.row);
      e.column = copy(e.column);
    }
    if (e.op == ExprOp::reduced) e.slot += reduction_offset_;
    if (e.op == ExprOp::load && replacement_) {
      if (const auto value = replacement_(e.buffer, e.row, e.column)) result = *value;
    }
    if (result == kNone) result = to_.add(std::move(e));
  }
  return copied_[static_cast<size_t>(id)] = result;
}

namespace {

struct ExprHash {
  static void mix(size_t& seed, size_t value) { seed ^= value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2); }
  static void mix(size_t& seed, const Index& index) {
    mix(seed, static_cast<size_t>(index.offset));
    for (const Index::Term& term : index.terms) {
      mix(seed, static_cast<size_t>(term.axis));
      mix(seed, static_cast<size_t>(term.coefficient));
    }
    mix(seed, static_cast<size_t>(index.gathered));
  }
  size_t operator()(const Expr& e) const {
    size_t seed = static_cast<size_t>(e.op) * 31 + static_cast<size_t>(e.type);
    for (ExprId arg : e.args) mix(seed, static_cast<size_t>(arg));
    mix(seed, std::bit_cast<size_t>(e.value));
    mix(seed, static_cast<size_t>(e.slot));
    mix(seed, static_cast<size_t>(e.buffer));
    mix(seed, e.row);
    mix(seed, e.column);
    return seed;
  }
};

}  // namespace

void tidy_exprs(Kernel& kernel) {
  std::vector<Expr> old = std::move(kernel.exprs);
  kernel.exprs.clear();
  std::vector<ExprId> renamed(old.size(), kNone);
  std::unordered_map<Expr, ExprId, ExprHash> known;
  const std::function<ExprId(ExprId)> visit = [&](ExprId id) -> ExprId {
    if (id == kNone) return kNone;
    ExprId& name = renamed[static_cast<size_t>(id)];
    if (name != kNone) return name;
    Expr e = old[static_cast<size_t>(id)];
    for (ExprId& arg : e.args) arg = visit(arg);
    e.row.gathered = visit(e.row.gathered);
    e.column.gathered = visit(e.column.gathered);
    const auto [place, fresh] = known.try_emplace(e, static_cast<ExprId>(kernel.exprs.size()));
    if (fresh) kernel.exprs.push_back(e);
    return name = place->second;
  };
  for (Phase& phase : kernel.phases) {
    for (int32_t number : phase.reductions) {
      ExprId& value = kernel.reductions[static_cast<size_t>(number)].value;
      value = visit(value);
    }
    for (Store& store : phase.stores) {
      store.row.gathered = visit(store.row.gathered);
      store.column.gathered = visit(store.column.gathered);
      store.value = visit(store.value);
    }
  }
}

bool reads_buffer(const Kernel& kernel, BufferId buffer) {
  bool found = false;
  for_each_load(kernel, [&](const Expr& load) { found |= load.buffer == buffer; });
  return found;
}

bool writes_buffer(const Kernel& kernel, BufferId buffer) {
  for (const Phase& phase : kernel.phases)
    for (const Store& store : phase.stores)
      if (store.buffer == buffer) return true;
  return false;
}

}  // namespace netc
