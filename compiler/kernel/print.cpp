// Kernels and programs as text for people: loop nests in pseudo-code. Values used once are written where they are
// used; values used more often get a name (t0, t1, ...), which is defined at the loop depth it varies with.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/program.h"

namespace netc {
namespace {

std::string number(double value) {
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {   // the shortest that reads back as the same f32
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (static_cast<float>(std::stod(text)) == static_cast<float>(value)) break;
  }
  return text;
}

std::string extent_text(Extent extent) {
  if (!extent.times_batch) return std::to_string(extent.count);
  return extent.count == 1 ? "B" : std::to_string(extent.count) + "*B";
}

const char* infix(ExprOp op) {
  switch (op) {
    case ExprOp::add: return "+";
    case ExprOp::sub: return "-";
    case ExprOp::mul: return "*";
    case ExprOp::div: return "/";
    case ExprOp::lt: return "<";
    case ExprOp::le: return "<=";
    case ExprOp::gt: return ">";
    case ExprOp::ge: return ">=";
    case ExprOp::eq: return "==";
    case ExprOp::ne: return "!=";
    case ExprOp::logical_and: return "and";
    case ExprOp::logical_or: return "or";
    default: return nullptr;
  }
}

// How tightly an operation binds; 9: never needs parentheses.
int precedence(ExprOp op) {
  switch (op) {
    case ExprOp::logical_or: return 1;
    case ExprOp::logical_and: return 2;
    case ExprOp::lt: case ExprOp::le: case ExprOp::gt: case ExprOp::ge: case ExprOp::eq: case ExprOp::ne: return 3;
    case ExprOp::add: case ExprOp::sub: return 4;
    case ExprOp::mul: case ExprOp::div: return 5;
    case ExprOp::neg: case ExprOp::logical_not: return 6;
    default: return 9;
  }
}

class KernelPrinter {
 public:
  KernelPrinter(const Kernel& kernel, const Program& program)
      : kernel_(kernel), program_(program), depends_(dependences(kernel)), uses_(kernel.exprs.size(), 0),
        name_(kernel.exprs.size()) {
    for (const Phase& phase : kernel.phases) count_uses(phase);
  }

  std::string print() {
    out_ << "kernel " << kernel_.name << "\n";
    std::string indent = "  ";
    if (!kernel_.parallel.empty()) {
      out_ << indent << "for " << axes_text(kernel_.parallel) << ":\n";
      indent += "  ";
    }
    for (const Phase& phase : kernel_.phases) print_phase(phase, indent);
    return out_.str();
  }

 private:
  const Expr& expr(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)]; }

  static bool is_short(const Expr& e) {
    return e.op == ExprOp::constant || e.op == ExprOp::scalar || e.op == ExprOp::axis || e.op == ExprOp::reduced;
  }

  void count_uses(const Phase& phase) {
    std::vector<int> uses(kernel_.exprs.size(), 0);
    const std::vector<bool> needed = needed_by_phase(kernel_, phase);
    const auto use = [&](ExprId id) {
      if (id != kNone) ++uses[static_cast<size_t>(id)];
    };
    for (int32_t r : phase.reductions) use(kernel_.reductions[static_cast<size_t>(r)].value);
    for (const Store& store : phase.stores) {
      use(store.value);
      use(store.row.gathered);
      use(store.column.gathered);
    }
    for (size_t i = 0; i < kernel_.exprs.size(); ++i)
      if (needed[i]) for_each_operand(kernel_.exprs[i], use);
    for (size_t i = 0; i < uses.size(); ++i) uses_[i] = std::max(uses_[i], uses[i]);
  }

  std::string axes_text(const std::vector<AxisId>& axes) const {
    std::string text;
    for (AxisId axis : axes) {
      const Axis& a = kernel_.axes[static_cast<size_t>(axis)];
      text += (text.empty() ? "" : ", ") + a.name + " in " + extent_text(a.extent);
    }
    return text;
  }

  // The value as an operand: its name if it has one, else its text, in parentheses where the context binds tighter.
  std::string operand(ExprId id, int context) const {
    const Expr& e = expr(id);
    if (!name_[static_cast<size_t>(id)].empty()) return name_[static_cast<size_t>(id)];
    const std::string text = definition(e);
    return precedence(e.op) < context ? "(" + text + ")" : text;
  }

  std::string index_text(const Index& index) const {
    std::string text;
    const auto plus = [&text](const std::string& part) { text += (text.empty() ? "" : " + ") + part; };
    const auto scaled = [](int64_t c, const std::string& x) { return c == 1 ? x : std::to_string(c) + "*" + x; };
    if (index.gathered != kNone) plus(scaled(index.gathered_coefficient, operand(index.gathered, 6)));
    for (const Index::Term& term : index.terms)
      plus(scaled(term.coefficient, kernel_.axes[static_cast<size_t>(term.axis)].name));
    if (index.offset != 0 || text.empty()) plus(std::to_string(index.offset));
    return text;
  }

  std::string element(BufferId buffer, const Index& row, const Index& column) const {
    return program_.buffers[static_cast<size_t>(buffer)].name + "[" + index_text(row) + ", " + index_text(column) + "]";
  }

  std::string scalar_text(int64_t slot) const {
    const std::string& name = program_.scalars[static_cast<size_t>(slot)].name;
    return name.empty() ? "scalar" + std::to_string(slot) : name;
  }

  std::string definition(const Expr& e) const {
    switch (e.op) {
      case ExprOp::constant: return is_floating(e.type) ? number(e.value) : std::to_string(static_cast<int64_t>(e.value));
      case ExprOp::scalar: return scalar_text(e.slot);
      case ExprOp::axis: return kernel_.axes[static_cast<size_t>(e.slot)].name;
      case ExprOp::load: return element(e.buffer, e.row, e.column);
      case ExprOp::reduced: return "s" + std::to_string(e.slot);
      case ExprOp::random: {
        char stream[16];
        std::snprintf(stream, sizeof stream, "%08llx", static_cast<unsigned long long>(e.slot));
        return std::string("random(") + stream + ", " + index_text(e.row) + ", " + index_text(e.column) + ")";
      }
      case ExprOp::cast: return std::string(dtype_name(e.type)) + "(" + operand(e.args[0], 0) + ")";
      case ExprOp::neg: return "-" + operand(e.args[0], 6);
      case ExprOp::logical_not: return "not " + operand(e.args[0], 6);
      default: break;
    }
    if (const char* sign = infix(e.op)) {
      const int own = precedence(e.op);
      // Left operands of equal strength stand bare; right ones do not, for evaluation order is part of the meaning.
      return operand(e.args[0], own) + " " + sign + " " + operand(e.args[1], own + 1);
    }
    std::string text = std::string(expr_op_name(e.op)) + "(";
    for (int i = 0; i < arity(e.op); ++i) text += (i ? ", " : "") + operand(e.args[i], 0);
    return text + ")";
  }

  static std::string fold(Combine combine, const std::string& target, const std::string& value) {
    if (combine == Combine::sum) return target + " += " + value;
    return target + " = " + (combine == Combine::max ? "max(" : "min(") + target + ", " + value + ")";
  }

  void print_phase(const Phase& phase, const std::string& indent) {
    AxisSet loop_axes = 0;
    for (AxisId axis : phase.loop) loop_axes |= axis_bit(axis);
    const std::vector<bool> needed = needed_by_phase(kernel_, phase);

    // Names made in this phase: outside its loop, and inside. Values that vary with a loop are named anew in each phase.
    std::ostringstream inside;
    const std::string deeper = phase.loop.empty() ? indent : indent + "  ";
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
      const Expr& e = kernel_.exprs[i];
      if (!needed[i] || uses_[i] < 2 || is_short(e)) continue;
      const bool in_loop = (depends_[i].axes & loop_axes) != 0;
      if (!in_loop && !name_[i].empty()) continue;   // an earlier phase has it
      const std::string text = definition(e);
      if (name_[i].empty()) name_[i] = "t" + std::to_string(next_name_++);
      if (in_loop) inside << deeper << name_[i] << " = " << text << "\n";
      else out_ << indent << name_[i] << " = " << text << "\n";
    }

    if (phase.reductions.size() == 1 && phase.stores.empty() && inside.str().empty() && !phase.loop.empty()) {
      static constexpr const char* kWords[] = {"sum", "max", "min"};
      const int32_t id = phase.reductions[0];
      const Reduction& r = kernel_.reductions[static_cast<size_t>(id)];
      out_ << indent << "s" << id << " = " << kWords[static_cast<size_t>(r.combine)] << " over "
           << axes_text(phase.loop) << " of " << operand(r.value, 0) << "\n";
      return;
    }
    if (!phase.loop.empty()) out_ << indent << "for " << axes_text(phase.loop) << " in order:\n";
    out_ << inside.str();
    for (int32_t id : phase.reductions) {
      const Reduction& r = kernel_.reductions[static_cast<size_t>(id)];
      out_ << deeper << fold(r.combine, "s" + std::to_string(id), operand(r.value, 0)) << "\n";
    }
    for (const Store& store : phase.stores)
      out_ << deeper << element(store.buffer, store.row, store.column) << (store.accumulate ? " += " : " = ")
           << operand(store.value, 0) << "\n";
  }

  const Kernel& kernel_;
  const Program& program_;
  std::vector<Dependence> depends_;
  std::vector<int> uses_;            // the most in one phase
  std::vector<std::string> name_;    // of expressions that have one by now
  int next_name_ = 0;
  std::ostringstream out_;
};

const char* kind_name(BufferKind kind) {
  static constexpr const char* kNames[] = {"input", "parameter", "state", "activation", "gradient", "output", "result"};
  return kNames[static_cast<size_t>(kind)];
}

std::string buffer_text(const Buffer& buffer, const Program& program) {
  std::ostringstream out;
  out << kind_name(buffer.kind) << " " << buffer.name << ": " << dtype_name(buffer.dtype) << " ["
      << extent_text(buffer.rows) << ", " << buffer.columns << "]";
  if (buffer.layout == Layout::panels) out << " panels of " << buffer.panel_columns << " x " << buffer.padded_rows;
  if (buffer.alias_of != kNone) out << " alias of " << program.buffers[static_cast<size_t>(buffer.alias_of)].name;
  if (buffer.arena_offset != kNone) out << " at " << buffer.arena_offset;
  return out.str();
}

std::string scalar_text(const Program& program, size_t id) {
  const auto name = [&](int32_t slot) {
    const Scalar& s = program.scalars[static_cast<size_t>(slot)];
    return s.name.empty() ? "scalar" + std::to_string(slot) : s.name;
  };
  const Scalar& s = program.scalars[id];
  if (s.op == ExprOp::scalar) return "scalar " + s.name;
  std::string text = "scalar " + name(static_cast<int32_t>(id)) + " = ";
  if (s.op == ExprOp::constant) return text + number(s.value);
  text += std::string(expr_op_name(s.op)) + "(";
  for (int i = 0; i < arity(s.op); ++i) text += (i ? ", " : "") + name(s.args[i]);
  return text + ")";
}

}  // namespace

std::string to_string(const Kernel& kernel, const Program& program) { return KernelPrinter(kernel, program).print(); }

std::string to_string(const Program& program) {
  std::ostringstream out;
  out << "program " << program.name << "\n";
  for (const Buffer& buffer : program.buffers) out << "  " << buffer_text(buffer, program) << "\n";
  for (size_t i = 0; i < program.scalars.size(); ++i) out << "  " << scalar_text(program, i) << "\n";
  for (const NamedBuffer& result : program.results)
    out << "  result " << result.name << " = " << program.buffers[static_cast<size_t>(result.buffer)].name << "\n";
  if (program.batch_capacity != 0)
    out << "  batch up to " << program.batch_capacity << ", arenas " << program.tower_arena_bytes << " bytes a tower, "
        << program.shared_arena_bytes << " bytes shared\n";
  for (const Step& step : program.steps) {
    static constexpr const char* kWhere[] = {", each tower", ", all towers together", ", each tower, a part of a sum", ", the same in every memory"};
    out << "\nstage " << step.stage << kWhere[static_cast<size_t>(step.scope)];
    if (step.with != kNone) out << ", with " << program.kernels[static_cast<size_t>(step.with)].name;
    out << "\n";
    out << to_string(program.kernels[static_cast<size_t>(step.kernel)], program);
  }
  return out.str();
}

}  // namespace netc
