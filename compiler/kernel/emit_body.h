// The scalar body of a kernel as C statements, on single values or on vectors along one axis.
//
// Every expression becomes one constant, `x7`, defined at the outermost place where all it depends on is known.
//
//   kernel   y[r, c] = max(x[r, c] + bias[0, c], 0)
//   C        const vf x0 = load_f(b0 + ...), x1 = load_f(b1 + i_c); const vf x2 = x0 + x1; ...
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/emit_c.h"
#include "compiler/kernel/emit_text.h"

namespace netc {

// What a kernel asks of the head of its unit.
struct EmitUsage {
  bool random = false;
  bool transpose = false;
  std::set<ExprOp> math;
  std::set<std::pair<std::string, int>> tiles;   // product tiles: kind, rows (emit_tile.h)

  void join(const EmitUsage& other) {
    random |= other.random;
    transpose |= other.transpose;
    math.insert(other.math.begin(), other.math.end());
    tiles.insert(other.tiles.begin(), other.tiles.end());
  }
};

// The few spellings in which the languages of generated text differ. All else of a body on single values is the same
// text everywhere, and so an operation added to it is there in every language at once.
struct BodyDialect {
  const char* step;                       // the variable with the scalars, the seed and the update: "batch"
  const char* fault_key;                  // what checked_id is handed beside it, to tell the kernel by
  const char* multiply_add;               // one rounding where the target has it
  const char* infinity;
  const char* nan;
  std::string (*function)(ExprOp op);     // the name of an elementary function
};
const BodyDialect& c_dialect();

class BodyEmitter {
 public:
  BodyEmitter(const Kernel& kernel, const Program& program, const Target& target, CodeText& out, EmitUsage& usage,
              const BodyDialect& dialect = c_dialect());

  const Kernel& kernel() const { return kernel_; }
  const Program& program() const { return program_; }
  const Target& target() const { return target_; }
  CodeText& out() { return out_; }
  EmitUsage& usage() { return usage_; }
  const std::vector<BufferId>& buffers() const { return buffers_; }
  const std::vector<Dependence>& depends() const { return depends_; }
  const Buffer& buffer(BufferId id) const { return program_.buffers[static_cast<size_t>(id)]; }
  const Axis& axis(AxisId id) const { return kernel_.axes[static_cast<size_t>(id)]; }
  const Expr& expr(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)]; }

  std::string axis_variable(AxisId id) const { return "i_" + axis_names_[static_cast<size_t>(id)]; }
  const std::string& axis_label(AxisId id) const { return axis_names_[static_cast<size_t>(id)]; }
  std::string extent_text(const Extent& extent) const;            // "10", "rows", "28 * rows"
  std::string pointer(BufferId id) const;                         // "b3"

  // Declares the pointers of shared buffers, or of batched ones of the tower whose number `tower` is in C.
  enum class Which { shared, batched, all };
  void declare_pointers(Which which, const std::string& tower);

  // From now on code runs on vectors along `lane` (kNone: on single values). `valid`: C text of how many lanes are in
  // use, empty when always all. `lane_reductions`: results of reductions are vectors too.
  void set_lane(AxisId lane, std::string valid, bool lane_reductions);
  // The lane's variable is `base` + `step`, base a multiple of the panel and step within it: places in panels are then
  // computed from the two.
  void split_lane(std::string base, std::string step);
  AxisId lane() const { return lane_; }
  const std::string& valid_lanes() const { return valid_; }
  std::string lane_count() const { return valid_.empty() ? "LANES" : valid_; }

  void open(const std::string& head);   // a C block; what is defined in it is forgotten at its end
  void close();

  // Defines every needed expression that is not defined yet and whose axes and reductions are all among those known.
  void define(const std::vector<bool>& needed, AxisSet axes, uint64_t reductions);
  // The value of `id` is at hand as `text`, whatever it is made of (random bits drawn ahead: as vu).
  void prepare(ExprId id, std::string text) { prepared_[id] = std::move(text); }
  void forget_prepared() { prepared_.clear(); }
  void store(const Store& store);
  std::string stored_value(const Store& store) const;             // of single values, in the type of the buffer
  std::string loaded_value(ExprId load, const std::string& element) const;   // a stored element as the load's value

  bool is_vector(ExprId id) const;
  std::string value(ExprId id, bool as_vector) const;             // operand text
  std::string fold(Combine combine, DType type, const std::string& total, ExprId id, bool vector,
                   const std::string& mask) const;                // right side of `total = ...`
  std::string identity(Combine combine, DType type) const;
  static const char* c_type(DType type, bool vector);

  // How an access moves along an axis.
  enum class Along { fixed, contiguous, scattered };
  Along along(BufferId buffer, const Index& row, const Index& column, AxisId axis) const;

  std::string index_text(const Index& index, bool global, const std::string& lane_offset = {}) const;
  std::string address(BufferId id, const Index& row, const Index& column, const std::string& lane_offset = {}) const;
  std::string address(BufferId id, const std::string& row, const std::string& column) const;
  // The row (or column) an index names, a gathered id brought inside the buffer.
  std::string checked_index(BufferId id, const Index& index, bool row) const;
  // In panels, of a column that is the first one of its panel.
  std::string panel_address(BufferId id, const std::string& row, const std::string& first_column) const;
  // A stored element as float, wherever and of whatever type it is.
  std::string element_as_float(BufferId id, const std::string& row, const std::string& column) const;
  bool is_fused(ExprId id) const { return fused_[static_cast<size_t>(id)]; }   // never defined: part of a multiply-add
  // Bits of a row may be drawn in one go: contiguous along `axis` from a multiple of 4.
  bool random_in_rows(ExprId id, AxisId axis) const;

 private:
  void name_axes();
  void find_fused();
  bool is_inline(const Expr& e) const;
  std::string constant_text(const Expr& e) const;
  std::string define_text(ExprId id) const;
  std::string load_text(ExprId id) const;
  std::string random_value(ExprId id) const;
  std::string operation(const Expr& e, bool vector) const;
  std::string call(ExprOp op, const std::string& arguments, bool vector) const;
  std::string converted(const std::string& text, DType from, DType to, bool vector) const;
  std::string checked(const std::string& index, const Index& of, BufferId buffer, bool row) const;
  ExprId fused_product(const Expr& e) const;

  const Kernel& kernel_;
  const Program& program_;
  const Target& target_;
  CodeText& out_;
  EmitUsage& usage_;
  const BodyDialect& dialect_;
  std::vector<Dependence> depends_;
  std::vector<BufferId> buffers_;
  std::vector<std::string> axis_names_;
  std::vector<bool> fused_;               // products that only a sum uses: written as one multiply-add
  std::vector<bool> defined_;
  std::vector<std::vector<ExprId>> scopes_{1};
  std::map<ExprId, std::string> prepared_;
  AxisId lane_ = kNone;
  std::string valid_;
  std::string lane_base_, lane_step_;
  bool lane_reductions_ = false;
};

}  // namespace netc
