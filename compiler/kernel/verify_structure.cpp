// Ids in range, arguments before uses, operand types, and that a phase uses only axes and results it can see.
#include <algorithm>
#include <set>

#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

bool in_range(int64_t id, size_t size) { return id >= 0 && id < static_cast<int64_t>(size); }

void verify_buffer(const Program& program, size_t id, Faults& faults) {
  const Buffer& b = program.buffers[id];
  const auto fault = [&](const std::string& what) { faults.push_back("buffer " + b.name + ": " + what); };
  if (b.rows.count < 1 || b.columns < 1) fault("has no elements");
  if (b.dtype == DType::f16 || b.dtype == DType::bf16) fault(std::string("cannot be stored as ") + dtype_name(b.dtype));
  if (b.rows.times_batch != is_per_tower(b)) fault(b.rows.times_batch ? "is batched but shared" : "is not batched");
  if (b.layout == Layout::panels) {
    const int64_t rows = b.rows.count * (b.rows.times_batch ? program.batch_capacity : 1);
    if (b.panel_columns < 1) fault("has panels without columns");
    if (b.padded_rows < rows) fault("keeps " + std::to_string(b.padded_rows) + " rows a panel but holds " + std::to_string(rows));
  }
  if (b.alias_of == kNone) return;
  if (!in_range(b.alias_of, id)) return fault("is an alias of a later buffer");
  const Buffer& root = program.buffers[static_cast<size_t>(b.alias_of)];
  if (b.layout != Layout::row_major || root.layout != Layout::row_major) fault("aliases a buffer that is not row-major");
  if (b.dtype != root.dtype || b.kind != root.kind) fault("is of another type or kind than " + root.name);
  if (b.rows.times_batch != root.rows.times_batch || b.rows.count * b.columns != root.rows.count * root.columns)
    fault("has another number of elements than " + root.name);
}

void verify_scalar(const Program& program, size_t id, Faults& faults) {
  const Scalar& s = program.scalars[id];
  const auto fault = [&](const std::string& what) { faults.push_back("scalar " + std::to_string(id) + ": " + what); };
  if (s.op == ExprOp::scalar) {
    if (s.name.empty()) fault("is a leaf without a name");
    return;
  }
  if (s.op != ExprOp::constant && arity(s.op) == 0) return fault(std::string("cannot be a ") + expr_op_name(s.op));
  if (s.op == ExprOp::cast) return fault("cannot be a cast");
  for (int i = 0; i < arity(s.op); ++i)
    if (!in_range(s.args[i], id)) fault("uses a scalar that does not stand before it");
}

class KernelStructure {
 public:
  KernelStructure(const Program& program, const Kernel& kernel, Faults& faults)
      : program_(program), kernel_(kernel), faults_(faults) {}

  void verify() {
    const size_t before = faults_.size();
    verify_axes();
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) verify_expr(static_cast<ExprId>(i));
    verify_phases();
    if (faults_.size() == before) verify_scopes();
  }

 private:
  void fault(const std::string& what) { faults_.push_back(in_kernel(kernel_, what)); }
  void expr_fault(ExprId id, const std::string& what) {
    fault("expression " + std::to_string(id) + " (" + expr_op_name(expr(id).op) + ") " + what);
  }
  const Expr& expr(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)]; }

  void verify_axes() {
    if (kernel_.axes.size() > 64 || kernel_.reductions.size() > 64) fault("has more than 64 axes or reductions");
    for (const Axis& axis : kernel_.axes)
      if (axis.extent.count < 1) fault("axis " + axis.name + " is empty");
    const auto once = [&](std::vector<AxisId> list) {
      for (AxisId axis : list)
        if (!in_range(axis, kernel_.axes.size())) return fault("names an axis it does not have");
      std::sort(list.begin(), list.end());
      if (std::adjacent_find(list.begin(), list.end()) != list.end()) fault("loops twice over one axis");
      const auto batch = std::count_if(list.begin(), list.end(), [&](AxisId a) {
        return kernel_.axes[static_cast<size_t>(a)].extent.times_batch;
      });
      if (batch > 1) fault("loops over the batch within the batch");
    };
    once(kernel_.parallel);
    for (const Phase& phase : kernel_.phases) {
      std::vector<AxisId> nest = kernel_.parallel;
      nest.insert(nest.end(), phase.loop.begin(), phase.loop.end());
      once(nest);
    }
  }

  void verify_index(const Index& index, size_t exprs_before, const std::string& of) {
    for (size_t i = 0; i < index.terms.size(); ++i) {
      if (!in_range(index.terms[i].axis, kernel_.axes.size())) fault(of + " is indexed by an axis that does not exist");
      if (index.terms[i].coefficient == 0) fault(of + " has an index term of coefficient 0");
      if (i > 0 && index.terms[i - 1].axis >= index.terms[i].axis) fault(of + " has index terms out of order");
    }
    if (index.gathered == kNone) return;
    if (!in_range(index.gathered, exprs_before)) fault(of + " is gathered by an expression that does not stand before it");
    else if (expr(index.gathered).type != DType::i32) fault(of + " is gathered by an expression that is not i32");
  }

  void verify_expr(ExprId id) {
    const Expr& e = expr(id);
    const size_t before = static_cast<size_t>(id);
    for (int i = 0; i < arity(e.op); ++i)
      if (!in_range(e.args[i], before)) return expr_fault(id, "uses an expression that does not stand before it");
    switch (e.op) {
      case ExprOp::constant: return;
      case ExprOp::scalar:
        if (!in_range(e.slot, program_.scalars.size())) expr_fault(id, "names a scalar that does not exist");
        return want(id, e.type == DType::f32, "must be f32");
      case ExprOp::axis:
        if (!in_range(e.slot, kernel_.axes.size())) expr_fault(id, "names an axis that does not exist");
        return want(id, e.type == DType::i32, "must be i32");
      case ExprOp::reduced:
        if (!in_range(e.slot, kernel_.reductions.size())) return expr_fault(id, "names a reduction that does not exist");
        return;   // its type: verify_phases, once reductions are known to be sound
      case ExprOp::random:
        if (e.row.gathered != kNone || e.column.gathered != kNone) expr_fault(id, "is gathered");
        verify_index(e.row, before, "random");
        verify_index(e.column, before, "random");
        return want(id, e.type == DType::i64, "must be i64");
      case ExprOp::load: {
        if (!in_range(e.buffer, program_.buffers.size())) return expr_fault(id, "names a buffer that does not exist");
        const Buffer& b = program_.buffers[static_cast<size_t>(e.buffer)];
        verify_index(e.row, before, "load of " + b.name);
        verify_index(e.column, before, "load of " + b.name);
        return want(id, fits(e.type, b.dtype), "does not fit the type of " + b.name);
      }
      default: return verify_operation(id);
    }
  }

  static bool fits(DType value, DType storage) {
    return is_floating(value) == is_floating(storage) && (value == DType::boolean) == (storage == DType::boolean);
  }

  void want(ExprId id, bool holds, const std::string& what) {
    if (!holds) expr_fault(id, what);
  }

  void verify_operation(ExprId id) {
    const Expr& e = expr(id);
    const DType a = expr(e.args[0]).type;
    const DType b = arity(e.op) > 1 ? expr(e.args[1]).type : a;
    if (e.op == ExprOp::cast) return;
    if (e.op == ExprOp::select)
      return want(id, a == DType::boolean && b == e.type && expr(e.args[2]).type == e.type, "wants (bool, x, x) -> x");
    if (e.op >= ExprOp::logical_and && e.op <= ExprOp::logical_not)
      return want(id, a == DType::boolean && b == a && e.type == a, "wants truths");
    if (e.op >= ExprOp::lt && e.op <= ExprOp::ne)
      return want(id, a == b && e.type == DType::boolean, "wants two operands of one type and gives bool");
    want(id, a == b && e.type == a && a != DType::boolean, "wants numbers of its own type");
    const bool whole_too = e.op == ExprOp::neg || e.op == ExprOp::abs || e.op == ExprOp::sign || e.op == ExprOp::add ||
                           e.op == ExprOp::sub || e.op == ExprOp::mul || e.op == ExprOp::max || e.op == ExprOp::min;
    want(id, is_floating(e.type) || whole_too, "is for floating values only");
  }

  void verify_phases() {
    std::vector<int> folded(kernel_.reductions.size(), 0);
    if (kernel_.phases.empty()) fault("has no phases");
    for (const Phase& phase : kernel_.phases) {
      for (int32_t r : phase.reductions) {
        if (!in_range(r, folded.size())) fault("folds a reduction that does not exist");
        else ++folded[static_cast<size_t>(r)];
      }
      for (const Store& store : phase.stores) verify_store(store);
    }
    for (size_t r = 0; r < folded.size(); ++r) {
      const std::string name = "reduction " + std::to_string(r);
      if (folded[r] != 1) fault(name + " is folded by " + std::to_string(folded[r]) + " phases");
      if (!in_range(kernel_.reductions[r].value, kernel_.exprs.size())) fault(name + " has no value");
      else if (expr(kernel_.reductions[r].value).type == DType::boolean) fault(name + " folds truths");
    }
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
      const Expr& e = kernel_.exprs[i];
      if (e.op != ExprOp::reduced || !in_range(e.slot, folded.size())) continue;
      const ExprId value = kernel_.reductions[static_cast<size_t>(e.slot)].value;
      if (in_range(value, kernel_.exprs.size()) && expr(value).type != e.type)
        expr_fault(static_cast<ExprId>(i), "has another type than its reduction");
    }
  }

  void verify_store(const Store& store) {
    if (!in_range(store.buffer, program_.buffers.size())) return fault("stores to a buffer that does not exist");
    const Buffer& b = program_.buffers[static_cast<size_t>(store.buffer)];
    const std::string what = "store to " + b.name;
    if (!in_range(store.value, kernel_.exprs.size())) return fault(what + " has no value");
    verify_index(store.row, kernel_.exprs.size(), what);
    verify_index(store.column, kernel_.exprs.size(), what);
    if (!fits(expr(store.value).type, b.dtype)) fault(what + ": the value is of another type");
    if (b.kind == BufferKind::input) fault(what + ": inputs are not written");
    if (store.accumulate && !is_floating(b.dtype)) fault(what + ": accumulates what is not floating");
    const bool gathered = store.row.gathered != kNone || store.column.gathered != kNone;
    if (gathered && !store.accumulate) fault(what + ": a gathered place may be stored twice");
  }

  // What a phase needs varies only with its own axes and with results of earlier phases.
  void verify_scopes() {
    const std::vector<Dependence> depends = dependences(kernel_);
    AxisSet parallel = 0;
    for (AxisId axis : kernel_.parallel) parallel |= axis_bit(axis);
    uint64_t known = 0;
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      const Phase& phase = kernel_.phases[p];
      AxisSet visible = parallel;
      for (AxisId axis : phase.loop) visible |= axis_bit(axis);
      const std::string name = "phase " + std::to_string(p);
      const auto check = [&](const Dependence& d, const std::string& what) {
        if (d.axes & ~visible) fault(name + ": " + what + " varies with an axis the phase does not run over");
        if (d.reductions & ~known) fault(name + ": " + what + " needs a reduction of no earlier phase");
      };
      for (int32_t r : phase.reductions)
        check(depends[static_cast<size_t>(kernel_.reductions[static_cast<size_t>(r)].value)], "a reduction");
      for (const Store& store : phase.stores) {
        const std::string what = "the store to " + program_.buffers[static_cast<size_t>(store.buffer)].name;
        check(depends[static_cast<size_t>(store.value)], what);
        check(dependence(store.row, depends), what);
        check(dependence(store.column, depends), what);
      }
      for (int32_t r : phase.reductions) known |= uint64_t{1} << r;
    }
  }

  const Program& program_;
  const Kernel& kernel_;
  Faults& faults_;
};

}  // namespace

void verify_structure(const Program& program, Faults& faults) {
  for (size_t i = 0; i < program.buffers.size(); ++i) verify_buffer(program, i, faults);
  for (size_t i = 0; i < program.scalars.size(); ++i) verify_scalar(program, i, faults);
  if (!faults.empty()) return;
  for (const Kernel& kernel : program.kernels) KernelStructure(program, kernel, faults).verify();
  for (const Step& step : program.steps)
    if (!in_range(step.kernel, program.kernels.size())) faults.push_back("a step runs a kernel that does not exist");
  std::set<std::string> names;
  for (const NamedBuffer& result : program.results) {
    if (!in_range(result.buffer, program.buffers.size())) faults.push_back("result " + result.name + " has no buffer");
    if (!names.insert(result.name).second) faults.push_back("two results are named " + result.name);
  }
}

}  // namespace netc
