#include "compiler/kernel/cuda/update_group.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "compiler/kernel/cuda/cuda_prelude.h"
#include "compiler/kernel/cuda/emit_forms.h"
#include "compiler/kernel/cuda/memory_access.h"
#include "compiler/kernel/cuda/share_loops.h"
#include "compiler/kernel/cuda/words.h"
#include "compiler/kernel/target.h"

namespace netc::cuda {
namespace {

constexpr size_t kMostPointers = 500;  // of one launch: parameters hold 4096 bytes, the step block's address among them

const Kernel& kernel_of(const Program& program, int32_t step) {
  return program.kernels[static_cast<size_t>(program.steps[static_cast<size_t>(step)].kernel)];
}

// A kernel over one axis, with every buffer seen as one row of all its elements.
struct FlatKernel {
  Kernel kernel;
  Program program;      // the buffers only
  int64_t count = 0;
};

// Elements in the order of memory, the same for all that moves; what does not move stays where it is.
class Flattening {
 public:
  Flattening(const Program& program, const Kernel& kernel) : program_(program), kernel_(kernel) {}

  std::optional<FlatKernel> flatten() {
    if (kernel_.phases.size() != 1 || !kernel_.phases[0].loop.empty() || !fits_32_bits(kernel_, program_)) return {};
    const Extent points = product_of(kernel_, kernel_.parallel);
    if (points.times_batch || points.count == 0) return {};
    FlatKernel flat;
    flat.count = points.count;
    flat.kernel = kernel_;
    flat.kernel.axes = {{"i", points}};
    flat.kernel.parallel = {0};
    for (Expr& e : flat.kernel.exprs) {
      if (e.op == ExprOp::random || e.op == ExprOp::axis) return {};
      if (e.op == ExprOp::load && !flatten(e.buffer, e.row, e.column)) return {};
    }
    for (Store& s : flat.kernel.phases[0].stores)
      if (s.accumulate || !flatten(s.buffer, s.row, s.column)) return {};
    flat.program.batch_capacity = program_.batch_capacity;
    flat.program.buffers = program_.buffers;
    for (Buffer& b : flat.program.buffers) {
      if (b.rows.times_batch) continue;   // not among those of the kernel
      b.columns *= b.rows.count;
      b.rows.count = 1;
    }
    return flat;
  }

 private:
  bool flatten(BufferId buffer, Index& row, Index& column) const {
    const LinearPlace place = linear_place(program_, buffer, row, column);
    if (place.gathered != kNone || program_.buffers[static_cast<size_t>(buffer)].rows.times_batch) return false;
    row = column = {};
    if (place.coefficients.empty()) {
      column.offset = place.offset;
      return true;
    }
    int64_t step = 1;   // in the order of the parallel axes, the last one fastest
    for (size_t i = kernel_.parallel.size(); i-- > 0;) {
      const AxisId axis = kernel_.parallel[i];
      const int64_t count = kernel_.axes[static_cast<size_t>(axis)].extent.count;
      const auto found = place.coefficients.find(axis);
      if (count != 1 && (found == place.coefficients.end() || found->second != step)) return false;
      step *= count;
    }
    if (place.offset != 0) return false;
    column.terms = {{0, 1}};
    return true;
  }

  const Program& program_;
  const Kernel& kernel_;
};

struct Member {
  int32_t step = 0;
  std::vector<BufferId> buffers;
  int64_t units = 0;                 // quads, or elements
  std::vector<bool> read_only;       // by buffer
};

// Members of one text.
struct FormClass {
  std::string types;   // of the pointers
  std::string body;
  std::vector<Member> members;
};

std::vector<BufferId> accessed(const Kernel& kernel, bool writes) {
  std::vector<BufferId> all;
  for (const Access& access : accesses(kernel))
    if (writes ? access.load == kNone : access.load != kNone) all.push_back(access.buffer);
  return all;
}

// Whether one of two kernels writes what the other touches.
bool conflict(const Program& program, const Kernel& a, const Kernel& b) {
  const auto meet = [&](const std::vector<BufferId>& x, const std::vector<BufferId>& y) {
    return std::any_of(x.begin(), x.end(), [&](BufferId i) {
      return std::any_of(y.begin(), y.end(), [&](BufferId j) { return may_overlap(program, i, j); });
    });
  };
  const std::vector<BufferId> written_a = accessed(a, true), written_b = accessed(b, true);
  return meet(written_a, written_b) || meet(written_a, accessed(b, false)) || meet(written_b, accessed(a, false));
}

size_t pointer_count(const Kernel& kernel) {
  std::vector<BufferId> all = accessed(kernel, true), read = accessed(kernel, false);
  all.insert(all.end(), read.begin(), read.end());
  std::sort(all.begin(), all.end());
  return static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

std::string number(size_t n) { return std::to_string(n); }

// Sorts the steps into classes of equal text.
std::vector<FormClass> classes_of(const Program& program, const std::vector<int32_t>& steps) {
  std::vector<BufferId> written;
  for (int32_t step : steps)
    for (BufferId id : accessed(kernel_of(program, step), true)) written.push_back(id);
  std::vector<FormClass> classes;
  for (int32_t step : steps) {
    const Kernel kernel = share_loops(kernel_of(program, step));
    const FlatKernel flat = Flattening(program, kernel).flatten().value();
    const KernelForm form = choose_form(flat.kernel, flat.program);
    CodeText out;
    EmitUsage usage;
    BodyEmitter body(flat.kernel, flat.program, gpu_target(), out, usage, cuda_dialect());
    out.open("");
    emit_pointwise(body, form, "block", "count");
    out.close();
    Member member{step, body.buffers(), flat.count / (form.quads ? 4 : 1), {}};
    std::string types;
    for (BufferId id : member.buffers) {
      types += element_type(program.buffers[static_cast<size_t>(id)].dtype);
      member.read_only.push_back(std::none_of(written.begin(), written.end(),
                                              [&](BufferId w) { return may_overlap(program, w, id); }));
      types += member.read_only.back() ? "; " : "*; ";
    }
    const std::string text = without_unused(out.text());
    auto known = std::find_if(classes.begin(), classes.end(),
                              [&](const FormClass& c) { return c.types == types && c.body == text; });
    if (known == classes.end()) known = classes.insert(classes.end(), {types, text, {}});
    known->members.push_back(std::move(member));
  }
  return classes;
}

}  // namespace

std::vector<std::vector<int32_t>> group_updates(const Program& program) {
  std::vector<std::vector<int32_t>> launches;
  std::vector<int32_t> waiting;
  size_t pointers = 0;
  const auto flush = [&] {
    if (!waiting.empty()) launches.push_back(std::move(waiting));
    waiting.clear();
    pointers = 0;
  };
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const int32_t step = static_cast<int32_t>(i);
    const Kernel& kernel = kernel_of(program, step);
    if (std::any_of(waiting.begin(), waiting.end(),
                    [&](int32_t other) { return conflict(program, kernel_of(program, other), kernel); }))
      flush();
    const bool flat = Flattening(program, kernel).flatten().has_value();
    const size_t more = flat ? pointer_count(kernel) : 0;
    if (!flat || more > kMostPointers) {
      launches.push_back({step});
      continue;
    }
    if (pointers + more > kMostPointers) flush();
    waiting.push_back(step);
    pointers += more;
  }
  flush();
  return launches;
}

KernelText emit_update_group(const Program& program, const std::vector<int32_t>& steps) {
  KernelText text;
  text.launch.block_threads = 256;
  std::vector<FormClass> classes = classes_of(program, steps);
  CodeText out;
  out.open("");
  out.line("u32 block = blockIdx.x;");
  text.parameters = "(const struct step_block* step";
  for (FormClass& c : classes) {
    int64_t blocks = 0;
    for (const Member& member : c.members) blocks += (member.units + 255) / 256;
    const bool last = &c == &classes.back();
    if (classes.size() > 1) out.open(last ? "" : "if (block < " + std::to_string(blocks) + "u)");
    out.line("u32 count = 0u;   // accesses of the member that the block belongs to");
    const Member& first = c.members.front();
    std::vector<std::string> types;
    for (size_t i = 0; i < first.buffers.size(); ++i) {
      types.push_back(std::string(first.read_only[i] ? "const " : "") +
                      element_type(program.buffers[static_cast<size_t>(first.buffers[i])].dtype) + "*");
      out.line(types.back() + " b" + number(i) + " = 0;");
    }
    int64_t begin = 0;
    for (const Member& member : c.members) {
      const int64_t end = begin + (member.units + 255) / 256;
      std::string take = "count = " + std::to_string(member.units) + "u;";
      for (size_t i = 0; i < member.buffers.size(); ++i) {
        const std::string parameter = "p" + number(text.launch.buffers.size());
        text.parameters += ", " + types[i] + (member.read_only[i] ? " __restrict__ " : " ") + parameter;
        text.launch.buffers.push_back(member.buffers[i]);
        take += " b" + number(i) + " = " + parameter + ";";
      }
      const std::string offset = begin == 0 ? "" : "block -= " + std::to_string(begin) + "u; ";
      out.line(std::string(begin == 0 ? "if" : "else if") + " (block < " + std::to_string(end) + "u) { " + offset +
               take + " }");
      text.launch.grid_parts.push_back({{Extent{member.units, false}, 256}});
      begin = end;
    }
    std::istringstream lines(c.body);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("#")) out.raw(line + "\n");
      else if (line != "{" && line != "}") out.line(line.substr(2));
    if (!last) out.line("return;");
    if (classes.size() > 1) out.close();
    if (!last) out.line("block -= " + std::to_string(blocks) + "u;");
  }
  out.close();
  text.parameters += ")";
  text.body = out.text();
  text.body.insert(2, row_declarations(text.body, false));
  return text;
}

}  // namespace netc::cuda
