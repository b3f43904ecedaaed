#include "compiler/kernel/cuda/lane_run.h"

#include <algorithm>

#include "compiler/kernel/cuda/cuda_prelude.h"
#include "compiler/kernel/cuda/memory_access.h"
#include "compiler/kernel/cuda/words.h"

namespace netc::cuda {
namespace {

char suffix_of(DType stored) { return stored == DType::f32 ? 'f' : stored == DType::i32 ? 'i' : 'b'; }

class Writer {
 public:
  explicit Writer(const LaneRun& run)
      : run_(run), body_(run.body), kernel_(body_.kernel()), variable_(body_.axis_variable(run.lane)) {}

  void write(std::span<const Phase> phases) {
    // A phase that reads what an earlier one of the run has stored waits for the end of its loop.
    const std::vector<bool> reread = reads_written_memory(kernel_, body_.program());
    std::vector<size_t> cuts{0};
    for (size_t p = 1; p <= phases.size(); ++p) {
      bool cut = p == phases.size();
      if (!cut) {
        const std::vector<bool> needed = needed_by_phase(kernel_, phases[p]);
        for (size_t i = 0; i < needed.size(); ++i) cut = cut || (needed[i] && reread[i]);
      }
      if (cut) cuts.push_back(p);
    }
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts.size() > 2) body_.open("");
      write_together(phases.subspan(cuts[i], cuts[i + 1] - cuts[i]));
      if (cuts.size() > 2) body_.close();
    }
  }

 private:
  void write_together(std::span<const Phase> phases) {
    CodeText& out = body_.out();
    std::vector<bool> needed(kernel_.exprs.size(), false);
    for (const Phase& phase : phases) {
      const std::vector<bool> more = needed_by_phase(kernel_, phase);
      for (size_t i = 0; i < more.size(); ++i) needed[i] = needed[i] || more[i];
    }
    body_.define(needed, run_.known, 0);
    for (size_t i = 0; i < needed.size(); ++i)
      if (needed[i]) read_ahead(static_cast<ExprId>(i));
    std::vector<const Store*> together;
    for (const Phase& phase : phases)
      for (const Store& s : phase.stores)
        if (run_.quads && !s.accumulate && quad(s.buffer, s.row, s.column)) {
          out.line(std::string(suffix_of(body_.buffer(s.buffer).dtype) == 'f' ? "quad_f" : "quad_i") + " y" +
                   std::to_string(together.size()) + ";");
          together.push_back(&s);
        }
    out.raw("#pragma unroll\n");
    body_.open("for (i32 l = 0; l < 4; ++l)");
    out.line("const " + index_type(run_.form) + " " + variable_ + " = " + run_.first + " + l;");
    if (!run_.quads && !run_.guard.empty()) body_.open("if (" + run_.guard + ")");
    if (run_.begin) run_.begin();
    body_.define(needed, run_.known | axis_bit(run_.lane), run_.reductions);
    for (const Phase& phase : phases)
      for (const Store& s : phase.stores) {
        const auto at = std::find(together.begin(), together.end(), &s);
        if (at == together.end()) body_.store(s);
        else out.line("y" + std::to_string(at - together.begin()) + ".at[l] = " + body_.stored_value(s) + ";");
      }
    if (!run_.quads && !run_.guard.empty()) body_.close();
    body_.close();
    for (size_t i = 0; i < together.size(); ++i)
      out.line(std::string("store_quad_") + suffix_of(body_.buffer(together[i]->buffer).dtype) + "(" +
               place(together[i]->buffer, together[i]->row, together[i]->column) + ", y" + std::to_string(i) + ");");
    body_.forget_prepared();
  }

  // Loads of four neighbours and random bits of four columns, before the loop.
  void read_ahead(ExprId id) {
    const Expr& e = body_.expr(id);
    CodeText& out = body_.out();
    const std::string number = std::to_string(id);
    const AxisSet others = body_.depends()[static_cast<size_t>(id)].axes & ~axis_bit(run_.lane);
    if (body_.depends()[static_cast<size_t>(id)].reductions != 0 || (others & ~run_.known) != 0) return;
    if (e.op == ExprOp::random && body_.random_in_rows(id, run_.lane)) {
      out.line("u32 w" + number + "[4];");
      out.line("random_four(step, " + std::to_string(static_cast<uint32_t>(e.slot)) + "u, (u32)(" +
               body_.index_text(e.row, true) + "), (u32)(" +
               with_word(body_.index_text(e.column, true), variable_, run_.first) + ") / 4u, w" + number + ");");
      body_.prepare(id, "w" + number + "[l]");
    }
    if (e.op == ExprOp::load && run_.quads && quad(e.buffer, e.row, e.column)) {
      const DType stored = body_.buffer(e.buffer).dtype;
      const char suffix = suffix_of(stored);
      out.line(std::string("const ") + (suffix == 'f' ? "quad_f" : "quad_i") + " v" + number + " = load_quad_" +
               suffix + "(" + place(e.buffer, e.row, e.column) + ");");
      body_.prepare(id, body_.loaded_value(id, "v" + number + ".at[l]"));
    }
  }

  bool quad(BufferId buffer, const Index& row, const Index& column) const {
    return is_quad(kernel_, body_.program(), body_.depends(), buffer, row, column, run_.lane);
  }

  std::string place(BufferId buffer, const Index& row, const Index& column) const {
    return with_word(body_.address(buffer, row, column), variable_, run_.first);
  }

  const LaneRun& run_;
  BodyEmitter& body_;
  const Kernel& kernel_;
  const std::string variable_;
};

}  // namespace

void emit_lane_run(const LaneRun& run, std::span<const Phase> phases) { Writer(run).write(phases); }

std::string index_type(const KernelForm& form) { return form.wide ? "i64" : "i32"; }
std::string unsigned_type(const KernelForm& form) { return form.wide ? "u64" : "u32"; }

void decode_point(BodyEmitter& body, const KernelForm& form, const std::string& point, int64_t lane_unit) {
  const std::string type = index_type(form), u = form.wide ? "ull" : "u";
  std::string rest = point;
  for (size_t i = form.order.size(); i-- > 0;) {
    const AxisId axis = form.order[i];
    const Extent& extent = body.axis(axis).extent;
    const bool lane = i + 1 == form.order.size() && lane_unit > 1;
    const int64_t unit = lane ? lane_unit : 1;
    const std::string name = lane ? "first_" + body.axis_label(axis) : body.axis_variable(axis);
    std::string size, text = rest;
    if (extent == Extent{1, false}) {
      body.out().line("const " + type + " " + name + " = 0;");
      continue;
    }
    if (extent.times_batch) size = "(" + unsigned_type(form) + ")(" + body.extent_text(extent) + ")";
    else size = std::to_string(extent.count / unit) + u;
    bool last = true;   // slower axes of more than one value are left
    for (size_t j = 0; j < i; ++j) last = last && body.axis(form.order[j]).extent == Extent{1, false};
    if (!last) text += " % " + size;
    if (unit > 1) text = "(" + text + ") * " + std::to_string(unit) + u;
    if (last && unit == 1 && rest.find(' ') == std::string::npos)
      body.out().line("const " + type + " " + name + " = (" + type + ")" + text + ";");
    else body.out().line("const " + type + " " + name + " = (" + type + ")(" + text + ");");
    if (rest.find(' ') != std::string::npos) rest = "(" + rest + ")";
    rest += " / " + size;
  }
}

}  // namespace netc::cuda
