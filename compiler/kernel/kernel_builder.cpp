#include "compiler/kernel/kernel_builder.h"

#include <algorithm>

#include "compiler/base/errors.h"

namespace netc {

Index at(AxisId axis, int64_t coefficient) {
  Index index;
  if (coefficient != 0) index.terms.push_back({axis, coefficient});
  return index;
}

Index at_constant(int64_t offset) {
  Index index;
  index.offset = offset;
  return index;
}

Index at_gathered(ExprId id) {
  Index index;
  index.gathered = id;
  return index;
}

Index operator+(Index a, const Index& b) {
  if (a.gathered != kNone && b.gathered != kNone) throw InternalError("an index can hold one gathered id");
  a.offset += b.offset;
  if (b.gathered != kNone) {
    a.gathered = b.gathered;
    a.gathered_coefficient = b.gathered_coefficient;
  }
  for (const Index::Term& term : b.terms) {
    const auto place = std::lower_bound(a.terms.begin(), a.terms.end(), term,
                                        [](const Index::Term& x, const Index::Term& y) { return x.axis < y.axis; });
    if (place == a.terms.end() || place->axis != term.axis) {
      a.terms.insert(place, term);
    } else {
      place->coefficient += term.coefficient;
      if (place->coefficient == 0) a.terms.erase(place);
    }
  }
  return a;
}

Index operator+(Index a, int64_t offset) {
  a.offset += offset;
  return a;
}

AxisId KernelBuilder::axis(std::string name, Extent extent) {
  kernel_.axes.push_back({std::move(name), extent});
  return static_cast<AxisId>(kernel_.axes.size() - 1);
}

AxisId KernelBuilder::parallel(std::string name, Extent extent) {
  const AxisId id = axis(std::move(name), extent);
  kernel_.parallel.push_back(id);
  return id;
}

ExprId KernelBuilder::constant(double value, DType type) {
  return kernel_.add({.op = ExprOp::constant, .type = type, .value = value});
}

ExprId KernelBuilder::scalar(int64_t slot) { return kernel_.add({.op = ExprOp::scalar, .slot = slot}); }

ExprId KernelBuilder::axis_value(AxisId axis) {
  return kernel_.add({.op = ExprOp::axis, .type = DType::i32, .slot = axis});
}

ExprId KernelBuilder::load(BufferId buffer, Index row, Index column, DType type) {
  return kernel_.add({.op = ExprOp::load, .type = type, .buffer = buffer, .row = std::move(row),
                      .column = std::move(column)});
}

ExprId KernelBuilder::random(uint32_t stream, Index row, Index column) {
  return kernel_.add({.op = ExprOp::random, .type = DType::i64, .slot = stream, .row = std::move(row),
                      .column = std::move(column)});
}

ExprId KernelBuilder::cast(ExprId value, DType type) {
  return kernel_.add({.op = ExprOp::cast, .type = type, .args = {value, kNone, kNone}});
}

ExprId KernelBuilder::unary(ExprOp op, ExprId a) {
  return kernel_.add({.op = op, .type = type_of(a), .args = {a, kNone, kNone}});
}

ExprId KernelBuilder::binary(ExprOp op, ExprId a, ExprId b) {
  const bool truth = op >= ExprOp::lt && op <= ExprOp::logical_or;
  return kernel_.add({.op = op, .type = truth ? DType::boolean : type_of(a), .args = {a, b, kNone}});
}

ExprId KernelBuilder::select(ExprId condition, ExprId a, ExprId b) {
  return kernel_.add({.op = ExprOp::select, .type = type_of(a), .args = {condition, a, b}});
}

Phase& KernelBuilder::current_phase() {
  if (kernel_.phases.empty()) kernel_.phases.emplace_back();
  return kernel_.phases.back();
}

void KernelBuilder::phase(std::vector<AxisId> loop) {
  kernel_.phases.emplace_back();
  kernel_.phases.back().loop = std::move(loop);
}

ExprId KernelBuilder::reduce(Combine combine, ExprId value) {
  const int32_t id = static_cast<int32_t>(kernel_.reductions.size());
  kernel_.reductions.push_back({combine, value});
  current_phase().reductions.push_back(id);
  return kernel_.add({.op = ExprOp::reduced, .type = type_of(value), .slot = id});
}

void KernelBuilder::store(BufferId buffer, Index row, Index column, ExprId value) {
  current_phase().stores.push_back({buffer, std::move(row), std::move(column), value, false});
}

void KernelBuilder::accumulate(BufferId buffer, Index row, Index column, ExprId value) {
  current_phase().stores.push_back({buffer, std::move(row), std::move(column), value, true});
}

}  // namespace netc
