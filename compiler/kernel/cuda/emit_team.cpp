// Kernels with loops: the loops of a point dealt out among the members of a team, or run by one thread.
#include <algorithm>

#include "compiler/kernel/cuda/emit_forms.h"
#include "compiler/kernel/cuda/kept_values.h"
#include "compiler/kernel/cuda/lane_run.h"
#include "compiler/kernel/cuda/memory_access.h"

namespace netc::cuda {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

class TeamEmitter {
 public:
  TeamEmitter(BodyEmitter& body, const KernelForm& form)
      : body_(body),
        kernel_(body.kernel()),
        form_(form),
        out_(body.out()),
        reread_(reads_written_memory(kernel_, body.program())),
        index_(index_type(form)),
        kept_(form.form == Form::warp || form.form == Form::block ? choose_kept(body, reread_, form.team)
                                                                  : KeptValues{}) {}

  FormText emit() {
    place_threads();
    for (AxisId axis : form_.order) known_ |= axis_bit(axis);
    body_.define(needed_before_phases(), known_, 0);
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      if (p > 0 && form_.team > 1 && needs_sync(p)) sync();
      if (kernel_.phases[p].loop.empty()) write_epilogue(kernel_.phases[p]);
      else write_loop(p);
    }
    if (form_.form == Form::block) return {{{form_.points, 1}}, form_.threads};
    return {{{form_.points, form_.points_per_block()}}, form_.threads};
  }

 private:
  // ---- who works on which point ----

  void place_threads() {
    const std::string u = unsigned_type(form_);
    const std::string points = "(" + u + ")(" + body_.extent_text(form_.points) + ")";
    const std::string block = form_.wide ? "(u64)blockIdx.x" : "blockIdx.x";
    switch (form_.form) {
      case Form::warp:   // a whole warp leaves, or none of it
        out_.line("const " + index_ + " member = threadIdx.x % 32u;");
        out_.line("const " + u + " point = " + block + " * " + number(form_.points_per_block()) +
                  "u + threadIdx.x / 32u;");
        out_.line("if (point >= " + points + ") return;");
        break;
      case Form::block:
        out_.line("const " + index_ + " member = threadIdx.x;");
        out_.line("const " + u + " point = " + block + ";");
        break;
      case Form::columns:   // lanes beyond the last point come along to the barriers and do nothing
        out_.line("const " + index_ + " member = threadIdx.x / 32u;");
        out_.line("const " + u + " wanted = " + block + " * 32u + threadIdx.x % 32u, last = " + points + " - 1u;");
        out_.line("const bool inside = wanted <= last;");
        out_.line("const " + u + " point = inside ? wanted : last;");
        break;
      default:
        out_.line("const " + u + " point = " + block + " * 256u + threadIdx.x;");
        out_.line("if (point >= " + points + ") return;");
    }
    if (form_.form == Form::block || form_.form == Form::columns) {
      if (const int slots = form_.form == Form::block ? form_.threads / 32 : form_.threads; !kernel_.reductions.empty())
        out_.line("__shared__ float partial[" + number(slots) + "];");
    }
    decode_point(body_, form_, "point");
  }

  // What is computed once for all phases: everything but what reads memory that the kernel writes.
  std::vector<bool> needed_before_phases() const {
    std::vector<bool> all(kernel_.exprs.size(), false);
    for (const Phase& phase : kernel_.phases) {
      const std::vector<bool> needed = needed_by_phase(kernel_, phase);
      for (size_t i = 0; i < needed.size(); ++i)
        all[i] = all[i] || (needed[i] && !(reread_[i] && kernel_.phases.size() > 1));
    }
    return all;
  }

  // Whether phase p reads what another member may have stored.
  bool needs_sync(size_t p) const {
    const std::vector<bool> needed = needed_by_phase(kernel_, kernel_.phases[p]);
    for (size_t i = 0; i < needed.size(); ++i)
      if (needed[i] && reread_[i]) return true;
    return false;
  }

  void sync() { out_.line(form_.form == Form::warp ? "__syncwarp();" : "__syncthreads();"); }

  // ---- phases ----

  // Once a point, by one member: others must not even read what it may store over.
  void write_epilogue(const Phase& phase) {
    body_.open(form_.team == 1 ? "" : form_.form == Form::columns ? "if (member == 0 && inside)" : "if (member == 0)");
    body_.define(needed_by_phase(kernel_, phase), known_, done_);
    for (const Store& s : phase.stores) body_.store(s);
    body_.close();
  }

  void write_loop(size_t p) {
    const Phase& phase = kernel_.phases[p];
    const KeptPhase* kept = kept_.of(p);
    for (int32_t r : phase.reductions)
      out_.line(std::string(type_name(r)) + " " + total(r) + " = " + body_.identity(combine(r), type(r)) + ";");
    if (kept != nullptr)
      for (ExprId id : kept->fresh)
        out_.line(std::string(BodyEmitter::c_type(body_.expr(id).type, false)) + " kept" + number(id) + "[" +
                  number(kept_.turns) + "];");
    const bool block = kernel_.phases.size() > 1;
    if (block) body_.open("");
    std::vector<bool> needed = needed_by_phase(kernel_, phase);
    body_.define(without_kept(needed, kept), known_, done_);
    const int opened = open_loops(phase, needed, kept);
    if (kept != nullptr)
      for (ExprId id : kept->fresh) out_.line("kept" + number(id) + "[turn] = x" + number(id) + ";");
    for (int32_t r : phase.reductions)
      out_.line(total(r) + " = " + body_.fold(combine(r), type(r), total(r), reduction(r).value, false, "") + ";");
    for (const Store& s : phase.stores) body_.store(s);
    for (int i = 0; i < opened; ++i) body_.close();
    if (block) body_.close();
    body_.forget_prepared();
    for (int32_t r : phase.reductions) {
      if (form_.team > 1) join(r);
      done_ |= uint64_t{1} << r;
    }
  }

  std::vector<bool> without_kept(std::vector<bool> needed, const KeptPhase* kept) const {
    if (kept == nullptr) return needed;
    return kept->needed;
  }

  // Opens the loops of a phase and defines what each level knows. Returns how many blocks are open.
  int open_loops(const Phase& phase, const std::vector<bool>& all_needed, const KeptPhase* kept) {
    const std::vector<bool> needed = without_kept(all_needed, kept);
    AxisSet known = known_;
    if (form_.team == 1) {
      for (AxisId axis : phase.loop) {
        const std::string v = body_.axis_variable(axis);
        body_.open("for (" + index_ + " " + v + " = 0; " + v + " < " + body_.extent_text(body_.axis(axis).extent) +
                   "; ++" + v + ")");
        known |= axis_bit(axis);
        body_.define(needed, known, done_);
      }
      return static_cast<int>(phase.loop.size());
    }
    const Extent all = product_of(kernel_, phase.loop);
    const std::string end = body_.extent_text(all), team = number(form_.team);
    const std::string at = phase.loop.size() == 1 ? body_.axis_variable(phase.loop[0]) : "at";
    int opened = 1;
    if (kept != nullptr) {
      out_.raw("#pragma unroll\n");
      body_.open("for (i32 turn = 0; turn < " + number(kept_.turns) + "; ++turn)");
      out_.line("const " + index_ + " " + at + " = member + turn * " + team + ";");
      if (all.count % form_.team != 0) {
        body_.open("if (" + at + " < " + end + ")");
        ++opened;
      }
      for (ExprId id : kept->taken) body_.prepare(id, "kept" + number(id) + "[turn]");
    } else {
      const std::string inside = form_.form == Form::columns ? "inside && " : "";
      body_.open("for (" + index_ + " " + at + " = member; " + inside + at + " < " + end + "; " + at + " += " + team +
                 ")");
    }
    if (phase.loop.size() > 1) decode_loop(phase.loop, at);
    for (AxisId axis : phase.loop) known |= axis_bit(axis);
    body_.define(needed, known, done_);
    return opened;
  }

  // The axes of a flattened loop, the last one fastest.
  void decode_loop(const std::vector<AxisId>& loop, const std::string& at) {
    const std::string u = unsigned_type(form_);
    std::string rest = "(" + u + ")" + at;
    for (size_t i = loop.size(); i-- > 0;) {
      const std::string size = "(" + u + ")(" + body_.extent_text(body_.axis(loop[i]).extent) + ")";
      out_.line("const " + index_ + " " + body_.axis_variable(loop[i]) + " = (" + index_ + ")(" + rest +
                (i > 0 ? " % " + size : "") + ");");
      rest = (rest.find(' ') == std::string::npos ? rest : "(" + rest + ")") + " / " + size;
    }
  }

  // ---- the totals of all members become one ----

  void join(int32_t r) {
    const char* fold = combine(r) == Combine::sum ? "sum" : combine(r) == Combine::max ? "max" : "min";
    const std::string kind = type(r) == DType::f32 ? "f" : "i", result = "s" + number(r);
    const std::string warp = std::string("warp_") + fold + "_" + kind + "(";
    if (form_.form == Form::warp) {
      out_.line("const " + std::string(type_name(r)) + " " + result + " = " + warp + total(r) + ");");
      return;
    }
    // Whole numbers pass through the same scratch, bit for bit.
    const bool real = type(r) == DType::f32;
    const auto packed = [&](const std::string& x) { return real ? x : "__int_as_float(" + x + ")"; };
    const auto unpacked = [&](const std::string& x) { return real ? x : "__float_as_int(" + x + ")"; };
    const std::string identity = body_.identity(combine(r), type(r));
    if (form_.form == Form::block) {
      out_.line(total(r) + " = " + warp + total(r) + ");");
      out_.line("if (threadIdx.x % 32u == 0u) partial[threadIdx.x / 32u] = " + packed(total(r)) + ";");
      out_.line("__syncthreads();");
      const std::string warps = number(form_.threads / 32);
      out_.line("const " + std::string(type_name(r)) + " " + result + " = " + warp + "threadIdx.x % 32u < " + warps +
                "u ? " + unpacked("partial[threadIdx.x % 32u]") + " : " + identity + ");");
      out_.line("__syncthreads();");
      return;
    }
    out_.line("partial[threadIdx.x] = " + packed(total(r)) + ";");
    out_.line("__syncthreads();");
    out_.open("for (u32 n = " + number(form_.threads / 2) + "u; n >= 32u; n /= 2u)");
    const std::string a = unpacked("partial[threadIdx.x]"), b = unpacked("partial[threadIdx.x + n]");
    out_.line("if (threadIdx.x < n) partial[threadIdx.x] = " + packed(folded(combine(r), real, a, b)) + ";");
    out_.line("__syncthreads();");
    out_.close();
    out_.line("const " + std::string(type_name(r)) + " " + result + " = " + unpacked("partial[threadIdx.x % 32u]") +
              ";");
    out_.line("__syncthreads();");
  }

  static std::string folded(Combine combine, bool real, const std::string& a, const std::string& b) {
    if (combine == Combine::sum) return a + " + " + b;
    const bool most = combine == Combine::max;
    if (real) return std::string(most ? "max_nan1(" : "min_nan1(") + a + ", " + b + ")";
    return std::string(most ? "max(" : "min(") + a + ", " + b + ")";
  }

  const Reduction& reduction(int32_t r) const { return kernel_.reductions[static_cast<size_t>(r)]; }
  Combine combine(int32_t r) const { return reduction(r).combine; }
  DType type(int32_t r) const { return body_.expr(reduction(r).value).type == DType::f32 ? DType::f32 : DType::i32; }
  const char* type_name(int32_t r) const { return BodyEmitter::c_type(type(r), false); }
  std::string total(int32_t r) const { return (form_.team > 1 ? "own_s" : "s") + number(r); }

  BodyEmitter& body_;
  const Kernel& kernel_;
  const KernelForm& form_;
  CodeText& out_;
  const std::vector<bool> reread_;
  const std::string index_;
  const KeptValues kept_;
  AxisSet known_ = 0;
  uint64_t done_ = 0;   // reductions of phases already written
};

}  // namespace

FormText emit_team(BodyEmitter& body, const KernelForm& form) { return TeamEmitter(body, form).emit(); }

}  // namespace netc::cuda
