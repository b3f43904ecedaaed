#include "compiler/kernel/tape.h"

#include <algorithm>

#include "compiler/base/errors.h"
#include "compiler/kernel/analysis.h"

namespace netc {
namespace {

class TapeMaker {
 public:
  TapeMaker(const Kernel& kernel, const Program& program)
      : kernel_(kernel), program_(program), depends_(dependences(kernel)), register_(kernel.exprs.size(), kNone),
        reread_(kernel.exprs.size(), false), reads_memory_(kernel.exprs.size(), false),
        placed_(kernel.exprs.size(), false) {}

  Tape make() {
    choose_lane();
    assign_registers();
    mark_reread();
    tape_.outer_levels.resize(tape_.outer.size());
    for (const Phase& phase : kernel_.phases) add_phase(phase);
    return std::move(tape_);
  }

 private:
  const Expr& expr(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)]; }
  bool is_real(ExprId id) const { return is_floating(expr(id).type); }
  int32_t reg(ExprId id) const { return id == kNone ? kNone : register_[static_cast<size_t>(id)]; }

  // The lane is the innermost parallel axis, but for one so short that strips of it would be mostly overhead.
  void choose_lane() {
    MatrixProduct product;
    if (match_matrix_product(kernel_, &product)) {
      tape_.product = true;
      tape_.lane = product.lane;
      tape_.product_a = access(expr(product.a));
      tape_.product_b = access(expr(product.b));
    } else if (!kernel_.parallel.empty()) {
      const auto length = [&](AxisId a) {
        const Extent& e = kernel_.axes[static_cast<size_t>(a)].extent;
        return e.times_batch ? e.count * std::max<int64_t>(1, program_.batch_capacity) : e.count;
      };
      tape_.lane = kernel_.parallel.back();
      constexpr int64_t kShort = 8;
      if (length(tape_.lane) < kShort)
        for (AxisId axis : kernel_.parallel)
          if (length(axis) > length(tape_.lane)) tape_.lane = axis;
    }
    for (AxisId axis : kernel_.parallel)
      if (axis != tape_.lane) tape_.outer.push_back(axis);
  }

  void assign_registers() {
    for (size_t i = 0; i < kernel_.exprs.size(); ++i)
      register_[i] = is_real(static_cast<ExprId>(i)) ? tape_.real_registers++ : tape_.integer_registers++;
    // All `reduced` expressions of one reduction read the register it accumulates in.
    reduction_register_.assign(kernel_.reductions.size(), kNone);
    for (size_t i = 0; i < kernel_.reductions.size(); ++i)
      reduction_register_[i] = is_real(kernel_.reductions[i].value) ? tape_.real_registers++ : tape_.integer_registers++;
    for (size_t i = 0; i < kernel_.exprs.size(); ++i)
      if (kernel_.exprs[i].op == ExprOp::reduced)
        register_[i] = reduction_register_[static_cast<size_t>(kernel_.exprs[i].slot)];
  }

  // Loads from memory this kernel also stores, and what is made of them, are read again in each phase.
  void mark_reread() {
    std::vector<BufferId> stored;
    for (const Phase& phase : kernel_.phases)
      for (const Store& store : phase.stores) stored.push_back(root_of(program_, store.buffer));
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
      const Expr& e = kernel_.exprs[i];
      if (e.op == ExprOp::load) {
        reread_[i] = std::find(stored.begin(), stored.end(), root_of(program_, e.buffer)) != stored.end();
        reads_memory_[i] = true;
      }
      for_each_operand(e, [&](ExprId operand) {
        if (reread_[static_cast<size_t>(operand)]) reread_[i] = true;
        if (reads_memory_[static_cast<size_t>(operand)]) reads_memory_[i] = true;
      });
    }
  }

  AxisSet lane_set() const { return tape_.lane == kNone ? 0 : axis_bit(tape_.lane); }

  bool varies_with_lane(ExprId id) const {
    const Dependence& d = depends_[static_cast<size_t>(id)];
    return (d.axes & lane_set()) != 0 || d.reductions != 0;
  }

  TapeIndex index(const Index& from) const {
    TapeIndex to;
    to.offset = from.offset;
    for (const Index::Term& term : from.terms) {
      if (term.axis == tape_.lane) to.lane_coefficient = term.coefficient;
      else to.terms.push_back(term);
    }
    if (from.gathered != kNone) {
      to.gathered = reg(from.gathered);
      to.gathered_coefficient = from.gathered_coefficient;
      to.gathered_varies = varies_with_lane(from.gathered);
    }
    return to;
  }

  TapeAccess access(const Expr& e) const { return {e.buffer, index(e.row), index(e.column)}; }

  Instruction instruction(ExprId id) const {
    const Expr& e = expr(id);
    Instruction in;
    in.op = e.op;
    in.type = e.type;
    in.uniform = !varies_with_lane(id);
    in.real = is_real(id);
    in.target = reg(id);
    for (int i = 0; i < arity(e.op); ++i) in.args[i] = reg(e.args[i]);
    if (arity(e.op) > 0) in.real_arguments = is_real(e.args[e.op == ExprOp::select ? 1 : 0]);
    in.truth_argument = e.op == ExprOp::cast && expr(e.args[0]).type == DType::boolean;
    in.value = e.value;
    in.slot = e.slot;
    if (e.op == ExprOp::load || e.op == ExprOp::random) in.access = access(e);
    return in;
  }

  void add_phase(const Phase& phase) {
    TapePhase made;
    made.loop = phase.loop;
    made.levels.resize(phase.loop.size() + 1);
    const bool is_product = tape_.product && tape_.phases.empty();
    if (is_product) tape_.product_target = reduction_register_[static_cast<size_t>(phase.reductions[0])];

    const std::vector<bool> needed = needed_by_phase(kernel_, phase);
    for (size_t i = 0; i < kernel_.exprs.size() && !is_product; ++i)
      if (needed[i] && kernel_.exprs[i].op != ExprOp::reduced) place(static_cast<ExprId>(i), made);

    for (int32_t r : phase.reductions) {
      const Reduction& reduction = kernel_.reductions[static_cast<size_t>(r)];
      made.reductions.push_back({reduction.combine, is_real(reduction.value), reg(reduction.value),
                                 reduction_register_[static_cast<size_t>(r)]});
    }
    for (const Store& store : phase.stores)
      made.stores.push_back({{store.buffer, index(store.row), index(store.column)}, is_real(store.value),
                             store.accumulate, reg(store.value)});
    tape_.phases.push_back(std::move(made));
  }

  // Puts an expression at the outermost place where all it varies with is known.
  void place(ExprId id, TapePhase& phase) {
    const size_t i = static_cast<size_t>(id);
    const Dependence& d = depends_[i];
    size_t level = 0;
    for (size_t depth = 0; depth < phase.loop.size(); ++depth)
      if (d.axes & axis_bit(phase.loop[depth])) level = depth + 1;
    if (level > 0 || reread_[i]) {
      phase.levels[level].push_back(instruction(id));
      return;
    }
    if (placed_[i]) return;   // outside loops a value made for an earlier phase still stands in its register
    placed_[i] = true;
    if ((d.axes & lane_set()) != 0 || d.reductions != 0) {
      phase.levels[0].push_back(instruction(id));
      return;
    }
    if (d.axes == 0 && !reads_memory_[i]) {
      tape_.once.push_back(instruction(id));
      return;
    }
    size_t outer_level = 0;
    for (size_t depth = 0; depth < tape_.outer.size(); ++depth)
      if (d.axes & axis_bit(tape_.outer[depth])) outer_level = depth;
    if (tape_.outer.empty()) tape_.once.push_back(instruction(id));
    else tape_.outer_levels[outer_level].push_back(instruction(id));
  }

  const Kernel& kernel_;
  const Program& program_;
  std::vector<Dependence> depends_;
  std::vector<int32_t> register_;
  std::vector<int32_t> reduction_register_;
  std::vector<bool> reread_;        // see mark_reread
  std::vector<bool> reads_memory_;  // made of loads, if only in part: known once a tower is entered, not before
  std::vector<bool> placed_;
  Tape tape_;
};

}  // namespace

Tape make_tape(const Kernel& kernel, const Program& program) { return TapeMaker(kernel, program).make(); }

}  // namespace netc
