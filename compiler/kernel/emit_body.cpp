#include "compiler/kernel/emit_body.h"

#include <algorithm>
#include <cmath>

#include "compiler/base/errors.h"
#include "compiler/kernel/emit_math.h"

namespace netc {
namespace {

int64_t coefficient(const Index& index, AxisId axis) {
  for (const Index::Term& term : index.terms)
    if (term.axis == axis) return term.coefficient;
  return 0;
}

// In parentheses unless it is a single name, number or parenthesis.
std::string grouped(const std::string& text) {
  const bool parenthesised = text.front() == '(' && text.find(')') == text.size() - 1;
  return parenthesised || text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string scaled_by(int64_t factor) { return factor == 1 ? "" : " * " + std::to_string(factor); }

// One more term of an address: nothing for zero.
std::string scaled(const std::string& index, int64_t factor) {
  if (index == "0") return "";
  return " + " + (factor == 1 ? index : grouped(index) + scaled_by(factor));
}

std::string times(int64_t factor, const std::string& text) {
  return factor == 1 ? text : std::to_string(factor) + " * " + text;
}

}  // namespace

const BodyDialect& c_dialect() {
  static constexpr BodyDialect kDialect{"batch", "buffers", "mul_add1", "__builtin_inff()", "__builtin_nanf(\"\")",
                                        [](ExprOp op) { return std::string(math_function(op)) + "_1"; }};
  return kDialect;
}

BodyEmitter::BodyEmitter(const Kernel& kernel, const Program& program, const Target& target, CodeText& out,
                         EmitUsage& usage, const BodyDialect& dialect)
    : kernel_(kernel), program_(program), target_(target), out_(out), usage_(usage), dialect_(dialect),
      depends_(dependences(kernel)), fused_(kernel.exprs.size(), false), defined_(kernel.exprs.size(), false) {
  const auto use = [this](BufferId id) {
    if (std::find(buffers_.begin(), buffers_.end(), id) == buffers_.end()) buffers_.push_back(id);
  };
  for (const Expr& e : kernel.exprs)
    if (e.op == ExprOp::load) use(e.buffer);
  for (const Phase& phase : kernel.phases)
    for (const Store& s : phase.stores) use(s.buffer);
  name_axes();
  find_fused();
}

void BodyEmitter::name_axes() {
  std::set<std::string> taken;
  for (size_t i = 0; i < kernel_.axes.size(); ++i) {
    std::string name = identifier(kernel_.axes[i].name);
    if (!taken.insert(name).second) {
      name += "_" + std::to_string(i);
      taken.insert(name);
    }
    axis_names_.push_back(name);
  }
}

// A product with one use, as an operand of a sum or of a fold, costs nothing as part of a multiply-add.
void BodyEmitter::find_fused() {
  std::vector<int> uses(kernel_.exprs.size(), 0);
  for (const Expr& e : kernel_.exprs) for_each_operand(e, [&](ExprId id) { ++uses[static_cast<size_t>(id)]; });
  for (const Reduction& r : kernel_.reductions) ++uses[static_cast<size_t>(r.value)];
  for (const Phase& phase : kernel_.phases)
    for (const Store& s : phase.stores) {
      ++uses[static_cast<size_t>(s.value)];
      if (s.row.gathered != kNone) ++uses[static_cast<size_t>(s.row.gathered)];
      if (s.column.gathered != kNone) ++uses[static_cast<size_t>(s.column.gathered)];
    }
  const auto may_fuse = [&](ExprId id) {
    const Expr& e = expr(id);
    return e.op == ExprOp::mul && e.type == DType::f32 && uses[static_cast<size_t>(id)] == 1;
  };
  for (const Expr& e : kernel_.exprs) {
    if ((e.op != ExprOp::add && e.op != ExprOp::sub) || e.type != DType::f32) continue;
    if (may_fuse(e.args[1])) fused_[static_cast<size_t>(e.args[1])] = true;
    else if (may_fuse(e.args[0])) fused_[static_cast<size_t>(e.args[0])] = true;
  }
  for (const Reduction& r : kernel_.reductions)
    if (r.combine == Combine::sum && may_fuse(r.value)) fused_[static_cast<size_t>(r.value)] = true;
}

ExprId BodyEmitter::fused_product(const Expr& e) const {
  for (int i : {1, 0})
    if (fused_[static_cast<size_t>(e.args[i])]) return e.args[i];
  return kNone;
}

std::string BodyEmitter::extent_text(const Extent& extent) const {
  if (!extent.times_batch) return std::to_string(extent.count);
  return times(extent.count, "rows");
}

std::string BodyEmitter::pointer(BufferId id) const {
  const auto at = std::find(buffers_.begin(), buffers_.end(), id);
  return "b" + std::to_string(at - buffers_.begin());
}

void BodyEmitter::declare_pointers(Which which, const std::string& tower) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& b = buffer(buffers_[i]);
    if (which != Which::all && (which == Which::batched) != b.rows.times_batch) continue;
    const char* type = nullptr;
    switch (b.dtype) {
      case DType::f32: type = "float"; break;
      case DType::i32: type = "i32"; break;
      case DType::u8: case DType::boolean: type = "u8"; break;
      default: throw InternalError("the CPU backend does not store " + std::string(dtype_name(b.dtype)));
    }
    out_.line(std::string(type) + "* const b" + std::to_string(i) + " = buffers[" + tower + " * " +
              std::to_string(buffers_.size()) + " + " + std::to_string(i) + "];   // " + b.name);
  }
}

void BodyEmitter::set_lane(AxisId lane, std::string valid, bool lane_reductions) {
  lane_ = lane;
  valid_ = std::move(valid);
  lane_reductions_ = lane_reductions;
  lane_base_.clear();
  lane_step_.clear();
}

void BodyEmitter::split_lane(std::string base, std::string step) {
  lane_base_ = std::move(base);
  lane_step_ = std::move(step);
}

void BodyEmitter::open(const std::string& head) {
  out_.open(head);
  scopes_.emplace_back();
}

void BodyEmitter::close() {
  for (ExprId id : scopes_.back()) defined_[static_cast<size_t>(id)] = false;
  scopes_.pop_back();
  out_.close();
}

const char* BodyEmitter::c_type(DType type, bool vector) {
  switch (type) {
    case DType::f32: return vector ? "vf" : "float";
    case DType::i32: case DType::boolean: return vector ? "vi" : "i32";
    case DType::i64: return vector ? "vu" : "u32";
    default: throw InternalError(std::string("no values of type ") + dtype_name(type));
  }
}

bool BodyEmitter::is_vector(ExprId id) const {
  if (lane_ == kNone) return false;
  const Dependence& d = depends_[static_cast<size_t>(id)];
  return (d.axes & axis_bit(lane_)) != 0 || (lane_reductions_ && d.reductions != 0);
}

bool BodyEmitter::is_inline(const Expr& e) const {
  return e.op == ExprOp::constant || e.op == ExprOp::scalar || e.op == ExprOp::reduced;
}

std::string BodyEmitter::constant_text(const Expr& e) const {
  const float f = static_cast<float>(e.value);
  if (e.type != DType::f32 || std::isfinite(f)) return literal(e.value, e.type);
  if (std::isnan(f)) return dialect_.nan;
  return f > 0 ? dialect_.infinity : std::string("(-") + dialect_.infinity + ")";
}

std::string BodyEmitter::value(ExprId id, bool as_vector) const {
  const Expr& e = expr(id);
  std::string text;
  if (e.op == ExprOp::constant) text = constant_text(e);
  else if (e.op == ExprOp::scalar) text = std::string(dialect_.step) + "->scalars[" + std::to_string(e.slot) + "]";
  else if (e.op == ExprOp::reduced) text = "s" + std::to_string(e.slot);
  else text = "x" + std::to_string(id);
  if (!as_vector || is_vector(id)) return text;
  switch (e.type) {
    case DType::f32: return "splat(" + text + ")";
    case DType::i32: return "splat_i(" + text + ")";
    case DType::boolean: return "splat_i(-(" + text + "))";
    default: return "splat_u(" + text + ")";
  }
}

void BodyEmitter::define(const std::vector<bool>& needed, AxisSet axes, uint64_t reductions) {
  for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
    const Expr& e = kernel_.exprs[i];
    if (!needed[i] || defined_[i] || fused_[i] || is_inline(e)) continue;
    if ((depends_[i].axes & ~axes) != 0 || (depends_[i].reductions & ~reductions) != 0) continue;
    const ExprId id = static_cast<ExprId>(i);
    const std::string name = "x" + std::to_string(i);
    const std::string text = define_text(id);
    if (text.starts_with("{")) {   // lane by lane
      out_.line(std::string(c_type(e.type, true)) + " " + name + " = {0};");
      out_.line("for (i64 l = 0; l < " + lane_count() + " && l < LANES; ++l) " + name + "[l] = " + text.substr(1) + ";");
    } else {
      out_.line(std::string("const ") + c_type(e.type, is_vector(id)) + " " + name + " = " + text + ";");
    }
    defined_[i] = true;
    scopes_.back().push_back(id);
  }
}

std::string BodyEmitter::define_text(ExprId id) const {
  const Expr& e = expr(id);
  if (e.op == ExprOp::random) usage_.random = true;
  if (const auto prepared = prepared_.find(id); prepared != prepared_.end()) return prepared->second;
  switch (e.op) {
    case ExprOp::load: return load_text(id);
    case ExprOp::random: return random_value(id);
    case ExprOp::axis: {
      Index index;
      index.terms.push_back({static_cast<AxisId>(e.slot), 1});
      const std::string text = "(i32)(" + index_text(index, true) + ")";
      return is_vector(id) ? "splat_i(" + text + ") + lane_numbers()" : text;
    }
    default: return operation(e, is_vector(id));
  }
}

// ---- places ----

std::string BodyEmitter::index_text(const Index& index, bool global, const std::string& lane_offset) const {
  std::string text;
  const auto plus = [&text](const std::string& part) { text += (text.empty() ? "" : " + ") + part; };
  for (const Index::Term& term : index.terms) {
    std::string variable = axis_variable(term.axis);
    const Extent& extent = axis(term.axis).extent;
    if (global && extent.times_batch) variable = "(" + variable + " + " + times(extent.count, "first_row") + ")";
    if (term.axis == lane_ && !lane_offset.empty()) variable = "(" + variable + " + " + lane_offset + ")";
    plus(times(term.coefficient, variable));
  }
  if (index.gathered != kNone) {
    std::string id = value(index.gathered, false);
    if (is_vector(index.gathered)) id += "[" + lane_offset + "]";
    plus(times(index.gathered_coefficient, "(i64)" + id));
  }
  if (index.offset != 0 || text.empty()) plus(std::to_string(index.offset));
  return text;
}

std::string BodyEmitter::checked(const std::string& index, const Index& of, BufferId id, bool row) const {
  if (of.gathered == kNone) return index;
  const Buffer& b = buffer(id);
  const std::string limit = row ? extent_text(b.rows) : std::to_string(b.columns);
  return std::string("checked_id(") + dialect_.step + ", " + dialect_.fault_key + ", " + index + ", " + limit + ", " + pointer(id).substr(1) + ")";
}

std::string BodyEmitter::checked_index(BufferId id, const Index& index, bool row) const {
  return checked(index_text(index, false), index, id, row);
}

std::string BodyEmitter::address(BufferId id, const std::string& row, const std::string& column) const {
  const Buffer& b = buffer(id);
  if (b.layout == Layout::row_major) return pointer(id) + scaled(row, b.columns) + scaled(column, 1);
  const int64_t width = b.panel_columns;
  if (b.columns <= width || column == "0") return pointer(id) + scaled(row, width) + scaled(column, 1);
  const std::string c = "(u64)" + grouped(column);
  return pointer(id) + scaled(row, width) + " + " + c + " / " + std::to_string(width) + scaled_by(b.padded_rows * width) +
         " + " + c + " % " + std::to_string(width);
}

std::string BodyEmitter::panel_address(BufferId id, const std::string& row, const std::string& first_column) const {
  const Buffer& b = buffer(id);
  const int64_t width = b.panel_columns;
  if (b.columns <= width || first_column == "0") return pointer(id) + scaled(row, width);
  return pointer(id) + scaled(row, width) + " + (u64)" + grouped(first_column) + " / " + std::to_string(width) +
         scaled_by(b.padded_rows * width);
}

std::string BodyEmitter::address(BufferId id, const Index& row, const Index& column, const std::string& lane_offset) const {
  const Buffer& b = buffer(id);
  const bool is_lane = column.terms.size() == 1 && column.terms[0] == Index::Term{lane_, 1} && column.gathered == kNone;
  if (!lane_base_.empty() && is_lane && lane_offset.empty() && b.layout == Layout::panels && b.columns > b.panel_columns &&
      b.panel_columns == target_.panel_columns && column.offset % b.panel_columns == 0) {
    const std::string base = column.offset == 0 ? lane_base_ : lane_base_ + " + " + std::to_string(column.offset);
    return panel_address(id, checked(index_text(row, false), row, id, true), base) + " + " + lane_step_;
  }
  return address(id, checked(index_text(row, false, lane_offset), row, id, true),
                 checked(index_text(column, false, lane_offset), column, id, false));
}

std::string BodyEmitter::element_as_float(BufferId id, const std::string& row, const std::string& column) const {
  return "(float)*(" + address(id, row, column) + ")";
}

BodyEmitter::Along BodyEmitter::along(BufferId id, const Index& row, const Index& column, AxisId lane) const {
  const auto gathered_varies = [&](const Index& index) {
    return index.gathered != kNone && (depends_[static_cast<size_t>(index.gathered)].axes & axis_bit(lane)) != 0;
  };
  if (gathered_varies(row) || gathered_varies(column)) return Along::scattered;
  const int64_t by_row = coefficient(row, lane), by_column = coefficient(column, lane);
  if (by_row == 0 && by_column == 0) return Along::fixed;
  const Buffer& b = buffer(id);
  if (b.layout == Layout::row_major)
    return by_row * b.columns + by_column == 1 ? Along::contiguous : Along::scattered;
  // In panels a vector must begin at a multiple of its width (lanes do), so that it ends in the same panel.
  if (by_row != 0 || by_column != 1 || column.gathered != kNone || b.panel_columns % target_.lanes != 0)
    return Along::scattered;
  if (column.offset % target_.lanes != 0) return Along::scattered;
  for (const Index::Term& term : column.terms)
    if (term.axis != lane && term.coefficient % target_.lanes != 0) return Along::scattered;
  return Along::contiguous;
}

bool BodyEmitter::random_in_rows(ExprId id, AxisId lane) const {
  const Expr& e = expr(id);
  if (coefficient(e.row, lane) != 0 || coefficient(e.column, lane) != 1) return false;
  if (e.row.gathered != kNone || e.column.gathered != kNone || e.column.offset % 4 != 0) return false;
  return std::all_of(e.column.terms.begin(), e.column.terms.end(),
                     [&](const Index::Term& term) { return term.axis == lane || term.coefficient % 4 == 0; });
}

// ---- loads and stores ----

std::string BodyEmitter::load_text(ExprId id) const {
  const Expr& e = expr(id);
  const DType stored = buffer(e.buffer).dtype;
  const DType raw = stored == DType::f32 ? DType::f32 : DType::i32;
  if (!is_vector(id)) return loaded_value(id, "*(" + address(e.buffer, e.row, e.column) + ")");
  if (along(e.buffer, e.row, e.column, lane_) == Along::contiguous) {
    const char* load = stored == DType::f32 ? "load_f(" : stored == DType::i32 ? "load_i(" : "load_b(";
    return converted(load + address(e.buffer, e.row, e.column) + ")", raw, e.type, true);
  }
  std::string one = converted("*(" + address(e.buffer, e.row, e.column, "l") + ")", raw, e.type, false);
  if (e.type == DType::boolean) one = "-(" + one + ")";
  return "{" + one;
}

std::string BodyEmitter::random_value(ExprId id) const {
  const Expr& e = expr(id);
  const bool vector = is_vector(id);
  const std::string offset = vector ? "l" : "";
  return std::string(vector ? "{" : "") + "random_bits(" + dialect_.step + ", " + std::to_string(static_cast<uint32_t>(e.slot)) +
         "u, (u32)(" + index_text(e.row, true, offset) + "), (u32)(" + index_text(e.column, true, offset) + "))";
}

std::string BodyEmitter::stored_value(const Store& s) const {
  const DType raw = buffer(s.buffer).dtype == DType::f32 ? DType::f32 : DType::i32;
  return converted(value(s.value, false), expr(s.value).type, raw, false);
}

std::string BodyEmitter::loaded_value(ExprId id, const std::string& element) const {
  const DType raw = buffer(expr(id).buffer).dtype == DType::f32 ? DType::f32 : DType::i32;
  return converted(element, raw, expr(id).type, false);
}

void BodyEmitter::store(const Store& s) {
  const DType stored = buffer(s.buffer).dtype;
  const DType raw = stored == DType::f32 ? DType::f32 : DType::i32;
  const DType type = expr(s.value).type;
  if (lane_ == kNone) {
    out_.line("*(" + address(s.buffer, s.row, s.column) + ") " + (s.accumulate ? "+= " : "= ") + stored_value(s) + ";");
    return;
  }
  const std::string text = converted(value(s.value, true), type, raw, true);
  const char suffix = stored == DType::f32 ? 'f' : stored == DType::i32 ? 'i' : 'b';
  if (along(s.buffer, s.row, s.column, lane_) != Along::contiguous) {
    out_.open("");
    out_.line(std::string("const ") + c_type(raw, true) + " y = " + text + ";");
    out_.line("for (i64 l = 0; l < " + lane_count() + " && l < LANES; ++l) *(" +
              address(s.buffer, s.row, s.column, "l") + ") " + (s.accumulate ? "+= y[l];" : "= y[l];"));
    out_.close();
    return;
  }
  const std::string place = address(s.buffer, s.row, s.column);
  const std::string total = s.accumulate ? std::string("load_") + suffix + "(" + place + ") + " + text : text;
  const bool padded = buffer(s.buffer).layout == Layout::panels;   // what lies beyond the last column is nobody's
  if (valid_.empty() || padded) out_.line(std::string("store_") + suffix + "(" + place + ", " + total + ");");
  else out_.line(std::string("store_part_") + suffix + "(" + place + ", " + total + ", " + valid_ + ");");
}

}  // namespace netc
