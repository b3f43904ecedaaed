#include "compiler/kernel/emit_nest.h"

#include <algorithm>

namespace netc {
namespace {

// Scalar operations one item should hold: some microseconds, so that claiming one costs nothing beside it.
constexpr double kWorkPerItem = 32768;
constexpr int64_t kAssumedRows = 64;          // of a batch, where work must be estimated
constexpr int64_t kMostRandomColumns = 1024;  // bits drawn ahead for one row

class NestEmitter {
 public:
  NestEmitter(BodyEmitter& body, EmittedKernel& emitted)
      : body_(body), kernel_(body.kernel()), emitted_(emitted), lanes_(body.target().lanes) {}

  void emit() {
    emitted_.joint = !parallel_over_batch(kernel_);
    lane_ = choose_lane(kernel_.parallel, nullptr);
    order_parallel();
    choose_chunks();
    if (!emitted_.joint) {
      body_.out().line("const i64 rows = batch->rows[tower], first_row = batch->first_rows[tower];");
      body_.declare_pointers(BodyEmitter::Which::all, "tower");
    } else {
      body_.declare_pointers(BodyEmitter::Which::shared, "0");
    }
    decode_item();
    body_.set_lane(kNone, "", false);
    find_needed_before_phases();
    open_parallel();
    for (const Phase& phase : kernel_.phases) emit_phase(phase);
    for (; opened_ > 0; --opened_) body_.close();
  }

 private:
  struct Access {
    BufferId buffer;
    const Index* row;
    const Index* column;
    bool store;
  };

  // Accesses of one phase, or of all.
  std::vector<Access> accesses(const Phase* only) const {
    std::vector<Access> all;
    for (const Phase& phase : kernel_.phases) {
      if (only != nullptr && only != &phase) continue;
      const std::vector<bool> needed = needed_by_phase(kernel_, phase);
      for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
        const Expr& e = kernel_.exprs[i];
        if (needed[i] && e.op == ExprOp::load) all.push_back({e.buffer, &e.row, &e.column, false});
      }
      for (const Store& s : phase.stores) all.push_back({s.buffer, &s.row, &s.column, true});
    }
    return all;
  }

  // What may be computed once for all phases: everything but what is read from memory that a phase also writes.
  void find_needed_before_phases() {
    all_needed_.assign(kernel_.exprs.size(), false);
    for (const Phase& phase : kernel_.phases) {
      const std::vector<bool> needed = needed_by_phase(kernel_, phase);
      for (size_t i = 0; i < needed.size(); ++i) all_needed_[i] = all_needed_[i] || needed[i];
    }
    if (kernel_.phases.size() == 1) return;
    std::vector<bool> reread(kernel_.exprs.size(), false);
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
      const Expr& e = kernel_.exprs[i];
      if (e.op == ExprOp::load)
        for (const Access& access : accesses(nullptr))
          if (access.store && memory_of(access.buffer) == memory_of(e.buffer)) reread[i] = true;
      for_each_operand(e, [&](ExprId operand) {
        if (reread[static_cast<size_t>(operand)]) reread[i] = true;
      });
      if (reread[i]) all_needed_[i] = false;
    }
  }

  BufferId memory_of(BufferId id) const {
    while (body_.buffer(id).alias_of != kNone) id = body_.buffer(id).alias_of;
    return id;
  }

  // The axis along which memory is walked in vectors, if that is better than not.
  AxisId choose_lane(const std::vector<AxisId>& candidates, const Phase* phase) const {
    AxisId best = kNone;
    int best_score = 0;
    for (AxisId candidate : candidates) {
      const Extent& extent = body_.axis(candidate).extent;
      if (phase != nullptr && extent.times_batch) continue;   // the order over rows must not depend on slices
      if (!extent.times_batch && extent.count * 2 < lanes_) continue;
      int score = 0;
      for (const Access& access : accesses(phase)) {
        const auto along = body_.along(access.buffer, *access.row, *access.column, candidate);
        if (along == BodyEmitter::Along::contiguous) score += 1;
        else if (along == BodyEmitter::Along::scattered) score -= 2;
        else if (access.store) score -= 1000;
      }
      if (score > 0 && score >= best_score) {
        best = candidate;
        best_score = score;
      }
    }
    return best;
  }

  // The batch outermost (its items are numbered slowest), the lane innermost.
  void order_parallel() {
    for (AxisId a : kernel_.parallel)
      if (a != lane_ && body_.axis(a).extent.times_batch) order_.push_back(a);
    for (AxisId a : kernel_.parallel)
      if (a != lane_ && !body_.axis(a).extent.times_batch) order_.push_back(a);
    if (lane_ != kNone) {
      if (body_.axis(lane_).extent.times_batch) order_.insert(order_.begin(), lane_);
      else order_.push_back(lane_);
    }
    std::vector<AxisId> loops = order_;
    if (lane_ != kNone) std::erase(loops, lane_);
    outer_ = loops;
    // Over panels the loops go panel by panel.
    if (lane_ != kNone && !outer_.empty())
      for (const Access& access : accesses(nullptr)) {
        const Buffer& b = body_.buffer(access.buffer);
        if (b.layout == Layout::panels && b.columns > b.panel_columns &&
            body_.along(access.buffer, *access.row, *access.column, lane_) == BodyEmitter::Along::contiguous)
          lane_block_ = body_.target().panel_columns;
      }
  }

  static int64_t assumed(const Extent& extent) { return extent.times_batch ? extent.count * kAssumedRows : extent.count; }

  void choose_chunks() {
    double point = 0;   // work of one parallel point
    bool random = false;
    for (const Phase& phase : kernel_.phases) {
      double runs = 1;
      for (AxisId a : phase.loop) runs *= static_cast<double>(assumed(body_.axis(a).extent));
      const std::vector<bool> needed = needed_by_phase(kernel_, phase);
      double operations = static_cast<double>(phase.stores.size() + phase.reductions.size());
      for (size_t i = 0; i < needed.size(); ++i) {
        if (!needed[i]) continue;
        const ExprOp op = kernel_.exprs[i].op;
        random |= op == ExprOp::random;
        const bool heavy = op == ExprOp::random || op == ExprOp::exp || op == ExprOp::log || op == ExprOp::tanh ||
                           op == ExprOp::erf || op == ExprOp::pow || op == ExprOp::div || op == ExprOp::sqrt;
        operations += heavy ? 8 : 1;
      }
      point += runs * operations;
    }
    const bool vectors = lane_ != kNone || std::any_of(kernel_.phases.begin(), kernel_.phases.end(), [&](const Phase& p) {
      return choose_lane(p.loop, &p) != kNone;
    });
    point = std::max(1.0, vectors ? point / lanes_ * 2 : point * 2);
    double left = std::max(1.0, kWorkPerItem / point);
    emitted_.items.resize(order_.size());
    emitted_.work_per_item = point;
    for (size_t i = order_.size(); i-- > 0;) {
      const Extent& extent = body_.axis(order_[i]).extent;
      const bool is_lane = order_[i] == lane_;
      int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(left));
      if (is_lane) {
        if (random) chunk = std::min(chunk, kMostRandomColumns);
        const int64_t unit = body_.target().panel_columns;
        chunk = std::max<int64_t>(1, chunk / unit) * unit;
      }
      if (!extent.times_batch) chunk = std::min(chunk, std::max<int64_t>(1, extent.count));
      emitted_.items[i] = {extent, chunk};
      emitted_.work_per_item *= static_cast<double>(std::min(chunk, assumed(extent)));
      left = std::max(1.0, left / static_cast<double>(chunk));
    }
  }

  std::string from(AxisId a) const { return "from_" + body_.axis_label(a); }
  std::string to(AxisId a) const { return "to_" + body_.axis_label(a); }

  void decode_item() {
    CodeText& out = body_.out();
    bool left = false;
    for (const ItemAxis& axis : emitted_.items) left |= axis.extent.times_batch || axis.chunk < axis.extent.count;
    if (left) out.line("i64 part = item;");
    for (size_t i = order_.size(); i-- > 0;) {
      const ItemAxis& axis = emitted_.items[i];
      const AxisId a = order_[i];
      const std::string end = body_.extent_text(axis.extent), chunk = std::to_string(axis.chunk);
      if (!axis.extent.times_batch && axis.chunk >= axis.extent.count) {
        out.line("const i64 " + from(a) + " = 0, " + to(a) + " = " + end + ";");
        continue;
      }
      std::string part = "part";
      if (!axis.extent.times_batch) {
        const std::string parts = std::to_string((axis.extent.count + axis.chunk - 1) / axis.chunk);
        part = "part % " + parts;
        out.line("const i64 " + from(a) + " = " + part + " * " + chunk + ";");
        out.line("part /= " + parts + ";");
      } else {
        out.line("const i64 " + from(a) + " = part * " + chunk + ";");
      }
      out.line("const i64 " + to(a) + " = " + from(a) + " + " + chunk + " < " + end + " ? " + from(a) + " + " + chunk + " : " +
               end + ";");
    }
  }

  void open(const std::string& head) {
    body_.open(head);
    ++opened_;
  }

  static std::string loop_head(const std::string& v, const std::string& begin, const std::string& end, int64_t step) {
    return "for (i64 " + v + " = " + begin + "; " + v + " < " + end + "; " +
           (step == 1 ? "++" + v : v + " += " + std::to_string(step)) + ")";
  }

  void open_parallel() {
    AxisSet known = 0;
    std::string lane_begin, lane_end;
    if (lane_ != kNone) {
      lane_begin = from(lane_);
      lane_end = to(lane_);
      if (lane_block_ != 0) {
        const std::string block = "block_" + body_.axis_label(lane_);
        open(loop_head(block, lane_begin, lane_end, lane_block_));
        lane_begin = block;
        const std::string end = "end_" + body_.axis_label(lane_), width = std::to_string(lane_block_);
        body_.out().line("const i64 " + end + " = " + block + " + " + width + " < " + lane_end + " ? " + block + " + " + width +
                         " : " + lane_end + ";");
        lane_end = end;
      }
    }
    body_.define(all_needed_, known, 0);
    for (AxisId a : outer_) {
      open(loop_head(body_.axis_variable(a), from(a), to(a), 1));
      known |= axis_bit(a);
      body_.define(all_needed_, known, 0);
    }
    if (lane_ != kNone) {
      const Extent& extent = body_.axis(lane_).extent;
      const int64_t chunk = emitted_.items[static_cast<size_t>(std::find(order_.begin(), order_.end(), lane_) - order_.begin())].chunk;
      draw_random(all_needed_, lane_, known, lane_block_ != 0 ? lane_block_ : chunk, lane_begin, lane_end);
      open(loop_head(body_.axis_variable(lane_), lane_begin, lane_end, lanes_));
      const bool whole = !extent.times_batch && extent.count % lanes_ == 0;
      if (!whole) body_.out().line("const i64 lanes = " + to(lane_) + " - " + body_.axis_variable(lane_) + ";");
      body_.set_lane(lane_, whole ? "" : "lanes", true);
      if (lane_block_ != 0) body_.split_lane(lane_begin, "(" + body_.axis_variable(lane_) + " - " + lane_begin + ")");
      known |= axis_bit(lane_);
    }
    body_.define(all_needed_, known, 0);
    parallel_axes_ = known;
  }

  // Random bits along a lane loop that is about to open, drawn with all four words of every counter in use.
  void draw_random(const std::vector<bool>& needed, AxisId lane, AxisSet known, int64_t width, const std::string& begin,
                   const std::string& end) {
    if (width > kMostRandomColumns) return;
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
      const Expr& e = kernel_.exprs[i];
      const ExprId id = static_cast<ExprId>(i);
      if (e.op != ExprOp::random || !needed[i] || !body_.random_in_rows(id, lane)) continue;
      if ((body_.depends()[i].axes & ~(known | axis_bit(lane))) != 0) continue;
      const int64_t turn = lanes_ * 4, room = (width + turn - 1) / turn * turn;
      const std::string bits = "bits" + std::to_string(i);
      Index first = e.column;
      std::erase_if(first.terms, [&](const Index::Term& term) { return term.axis == lane; });
      body_.out().line("u32 " + bits + "[" + std::to_string(room) + "];");
      body_.out().line("random_row(batch, " + std::to_string(static_cast<uint32_t>(e.slot)) + "u, (u32)(" +
                       body_.index_text(e.row, true) + "), (u32)(" + body_.index_text(first, true) + " + " + begin + "), " +
                       end + " - " + begin + ", " + bits + ");");
      body_.prepare(id, "(vu)load_i((const i32*)" + bits + " + " + body_.axis_variable(lane) + " - " + begin + ")");
    }
  }

  void emit_phase(const Phase& phase) {
    const std::vector<bool> needed = needed_by_phase(kernel_, phase);
    const AxisId phase_lane = lane_ == kNone && !phase.loop.empty() ? choose_lane({phase.loop.back()}, &phase) : kNone;
    const bool vector = lane_ != kNone || phase_lane != kNone;
    CodeText& out = body_.out();
    for (int32_t r : phase.reductions) {
      const DType type = reduction_type(r);
      const std::string start = body_.identity(kernel_.reductions[static_cast<size_t>(r)].combine, type);
      out.line(std::string(BodyEmitter::c_type(type, vector)) + " " + total(r, phase_lane) + " = " +
               (vector ? (type == DType::f32 ? "splat(" : "splat_i(") + start + ")" : start) + ";");
    }
    const bool block = kernel_.phases.size() > 1;
    if (block) body_.open("");
    body_.define(needed, parallel_axes_, done_);
    int opened = 0;
    AxisSet known = parallel_axes_;
    std::string mask;
    for (AxisId a : phase.loop) {
      const Extent& extent = body_.axis(a).extent;
      const std::string v = body_.axis_variable(a);
      if (extent.times_batch && emitted_.joint) {
        body_.open("for (i64 t = 0; t < batch->towers; ++t)");
        ++opened;
        out.line("const i64 rows = batch->rows[t], first_row = batch->first_rows[t];");
        body_.declare_pointers(BodyEmitter::Which::batched, "t");
      }
      if (a == phase_lane) draw_random(needed, a, known, extent.count, "0", std::to_string(extent.count));
      body_.open(loop_head(v, "0", body_.extent_text(extent), a == phase_lane ? lanes_ : 1));
      ++opened;
      known |= axis_bit(a);
      if (a == phase_lane) {
        const bool whole = extent.count % lanes_ == 0;
        if (!whole) {
          out.line("const i64 lanes = " + std::to_string(extent.count) + " - " + v + ";");
          mask = "mask_below(lanes)";
        }
        body_.set_lane(a, whole ? "" : "lanes", false);
      }
      body_.define(needed, known, done_);
    }
    for (int32_t r : phase.reductions) {
      const Reduction& reduction = kernel_.reductions[static_cast<size_t>(r)];
      out.line(total(r, phase_lane) + " = " +
               body_.fold(reduction.combine, reduction_type(r), total(r, phase_lane), reduction.value, vector, mask) + ";");
    }
    for (const Store& store : phase.stores) body_.store(store);
    for (; opened > 0; --opened) body_.close();
    if (block) body_.close();
    if (phase_lane != kNone) {
      body_.set_lane(kNone, "", false);
      for (int32_t r : phase.reductions) {
        const Combine combine = kernel_.reductions[static_cast<size_t>(r)].combine;
        const bool real = reduction_type(r) == DType::f32;
        const std::string name = combine == Combine::sum ? "sum_of" : combine == Combine::max ? "max_of" : "min_of";
        out.line(std::string("const ") + (real ? "float" : "i32") + " s" + std::to_string(r) + " = " + name +
                 (real ? "(" : "_i(") + total(r, phase_lane) + ");");
      }
    }
    for (int32_t r : phase.reductions) done_ |= uint64_t{1} << r;
  }

  DType reduction_type(int32_t r) const {
    const DType type = body_.expr(kernel_.reductions[static_cast<size_t>(r)].value).type;
    return type == DType::f32 ? DType::f32 : DType::i32;
  }

  static std::string total(int32_t r, AxisId phase_lane) {
    return (phase_lane == kNone ? "s" : "lanes_of_s") + std::to_string(r);
  }

  BodyEmitter& body_;
  const Kernel& kernel_;
  EmittedKernel& emitted_;
  const int lanes_;
  AxisId lane_ = kNone;
  std::vector<AxisId> order_;         // of items, slowest first
  std::vector<AxisId> outer_;         // parallel loops around the lane's
  int64_t lane_block_ = 0;            // columns of a panel, if the nest goes panel by panel
  std::vector<bool> all_needed_;
  AxisSet parallel_axes_ = 0;
  uint64_t done_ = 0;                 // reductions of phases already written
  int opened_ = 0;
};

}  // namespace

void emit_nest(BodyEmitter& body, EmittedKernel& emitted) { NestEmitter(body, emitted).emit(); }

}  // namespace netc
